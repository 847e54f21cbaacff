import EasySequence

// Single operators of LazyStream beside the same with Swift's lazy views: `count` elements of the result, one walk.

func measureOperators() {
  head("one operator, \(count) elements; ns")
  compare(
    "map", { sum(LazyStream(0..<count).map { $0 &* 3 }) }, { sum((0..<count).lazy.map { $0 &* 3 }) }
  )
  compare(
    "filter, a half", { sum(LazyStream(0..<(2 * count)).filter { $0 & 1 == 0 }) },
    { sum((0..<(2 * count)).lazy.filter { $0 & 1 == 0 }) })
  compare("scan (here a plain loop)", { sum(LazyStream(0..<count).scan(0) { $0 &+ $1 }) }, scanSum)
  compare(
    "flatMap, streams of ten",
    { sum(LazyStream(0..<(count / 10)).flatMap { LazyStream($0..<($0 + 10)) }) },
    { sum((0..<(count / 10)).lazy.flatMap { $0..<($0 + 10) }) })
  compare(
    "flatMap, ranges of ten", { sum(LazyStream(0..<(count / 10)).flatMap { $0..<($0 + 10) }) },
    { sum((0..<(count / 10)).lazy.flatMap { $0..<($0 + 10) }) })
  compare(
    "zip of two", { sum(zip(LazyStream(0..<count), LazyStream(0...)).map { $0 &+ $1 }) },
    { sum(zip(0..<count, 0...).lazy.map { $0.0 &+ $0.1 }) })
  compare(
    "zip of three",
    {
      sum(zip(LazyStream(0..<count), LazyStream(0...), LazyStream(0...)).map { $0 &+ $1 &+ $2 })
    }, { sum(zip(zip(0..<count, 0...), 0...).lazy.map { $0.0.0 &+ $0.0.1 &+ $0.1 }) })
  compare(
    "concat of two", { sum(LazyStream(0..<(count / 2)) + LazyStream((count / 2)..<count)) },
    { sum([0..<(count / 2), (count / 2)..<count].lazy.joined()) })
  compare(
    "removeDuplicates (a plain loop)", { sum(LazyStream(0..<count).removeDuplicates()) },
    distinctSum)
}

private func compare(_ name: String, _ ours: () -> Int, _ swifts: () -> Int) {
  let expected = swifts()
  row("\(name): LazyStream", measure(expected, ours))
  row("\(name): Swift's lazy", measure(expected, swifts))
}

// Swift has no lazy scan and no lazy removal of duplicates; these are what one would write.

private func scanSum() -> Int {
  var (sum, result) = (0, 0)
  for element in 0..<count {
    result &+= element
    add(result, to: &sum)
  }
  return sum
}

private func distinctSum() -> Int {
  var (sum, last) = (0, Int?.none)
  for element in 0..<count where element != last {
    last = element
    add(element, to: &sum)
  }
  return sum
}
