import EasySequence
import Foundation
import Testing

@Suite struct `2.4 Operators` {
  @Test
  func `concat and startWith: empties vanish, the right side is untouched until it is reached`() {
    let calls = Calls()
    let right = LazyStream(2...).noting(calls)
    let (zero, one): (LazyStream<Int>, LazyStream<Int>) = ([0], [1])
    let stream = zero + LazyStream<Int>() + one + right
    #expect(stream.prefix(2).array == [0, 1])
    #expect(calls.all == [])
    #expect(stream.prefix(3).array == [0, 1, 2])
    #expect(calls.all == [2])
    #expect(LazyStream([1, 2]).prepending(0).array == [0, 1, 2])
  }

  @Test func `concat of a list`() {
    let parts: [LazyStream<Int>] = [[0], [], [1, 2, 3], [4], [5], [], [], [6, 7]]
    #expect(LazyStream.concat(parts).array == Array(0...7))
    #expect(LazyStream<Int>.concat([]).isEmpty)
    #expect(LazyStream(parts).flattened().array == Array(0...7))
  }

  @Test func `zip stops at the shorter, with infinite streams too, and asks no further`() {
    #expect(
      zip(LazyStream([1, 2, 3]), LazyStream(["x", "y"])).map { "\($0)\($1)" }.array == ["1x", "2y"])
    let calls = Calls()
    #expect(
      zip(LazyStream([7, 8]), LazyStream(0...).noting(calls)).map { $0 * $1 }.array == [0, 8])
    #expect(calls.all == [0, 1])
    let same = LazyStream(1...3)
    #expect(same.zip(with: same).map { $0 + $1 }.array == [2, 4, 6])
  }

  @Test func `zip of four, and reduceEach`() {
    let names: LazyStream = ["Ada", "Bob", "Dea"]
    let verbs: LazyStream = ["eats", "cooks", "jumps"]
    let things: LazyStream = ["fish", "bear", "rock"]
    let rows = zip(names, verbs, things, LazyStream(1...))
    let lines = rows.reduceEach { "\($3) \($0) \($1) \($2)" }
    #expect(lines.array == ["1 Ada eats fish", "2 Bob cooks bear", "3 Dea jumps rock"])
  }

  @Test func `zip of a list`() {
    #expect(LazyStream<Int>.zip([]).isEmpty)
    #expect(LazyStream.zip([LazyStream([1, 2])]).array == [[1], [2]])
    #expect(
      LazyStream.zip([LazyStream(1...), LazyStream(5...6), [9, 9, 9]]).array == [
        [1, 5, 9], [2, 6, 9],
      ])
  }

  @Test func `skip beyond the end is empty`() {
    #expect(LazyStream([0, 1, 2]).dropFirst(0).array == [0, 1, 2])
    #expect(LazyStream([0, 1, 2]).dropFirst().array == [1, 2])
    #expect(LazyStream([0, 1, 2]).dropFirst(4).array == [])
    #expect(LazyStream(0...).dropFirst(100)[1] == 101)
    #expect(LazyStream(0..<200).dropFirst(100).map { $0 }.dropFirst(50).head == 150)
  }

  @Test func `take ends an infinite stream and does not look behind`() {
    let calls = Calls()
    let stream = LazyStream(0...).noting(calls)
    #expect(stream.prefix(0).array == [])
    #expect(calls.all == [])
    #expect(stream.prefix(2).array == [0, 1])
    #expect(calls.all == [0, 1])
    #expect(LazyStream([1]).prefix(9).array == [1])
  }

  @Test func `take and skip, while and until`() {
    let stream: LazyStream = [0, 1, 2, 3, 0, 2, 4]
    #expect(stream.prefixUntil { $0 >= 3 }.array == [0, 1, 2])
    #expect(stream.prefix { $0 <= 1 }.array == [0, 1])
    #expect(stream.prefix { _ in true }.array == stream.array)
    #expect(stream.prefix { _ in false }.array == [])
    #expect(stream.dropUntil { $0 >= 3 }.array == [3, 0, 2, 4])
    #expect(stream.drop { $0 <= 1 }.array == [2, 3, 0, 2, 4])
    #expect(stream.drop { _ in true }.array == [])
    #expect(stream.drop { _ in false }.array == stream.array)
  }

  @Test func `scan does not tell the start`() {
    #expect(LazyStream(1...4).scan(0, +).array == [1, 3, 6, 10])
    #expect(LazyStream(1...4).scanWithIndex(0) { $0 + $1 + $2 }.array == [1, 4, 9, 16])
    #expect(LazyStream<Int>().scan(0, +).array == [])
  }

  @Test func `combinePrevious and pairs of neighbours`() {
    #expect(LazyStream(1...3).combinePrevious(1) { "\($0)-\($1)" }.array == ["1-1", "1-2", "2-3"])
    #expect(LazyStream(1...3).adjacentPairs().map { $0 * 10 + $1 }.array == [12, 23])
  }

  @Test func `distinctUntilChanged, ignore, mapReplace, filter`() {
    #expect(LazyStream([1, 2, 3, 1, 1]).removeDuplicates().array == [1, 2, 3, 1])
    #expect(LazyStream<Int?>([nil, nil, 1, nil]).removeDuplicates().array == [nil, 1, nil])
    #expect(LazyStream(0...6).ignore(1).array == [0, 2, 3, 4, 5, 6])
    #expect(LazyStream(0...2).mapReplace("x").array == ["x", "x", "x"])
    #expect(LazyStream(0...9).filter { $0 % 3 == 0 }.array == [0, 3, 6, 9])
  }

  @Test func `foldLeft and foldRight`() {
    #expect(LazyStream([1, 2, 3]).reduce(0, -) == -6)
    #expect(LazyStream([1, 2, 3]).foldRight(0) { $0 - $1.head! } == 2)
    #expect(LazyStream([1, 2, 3]).prefix(2).foldRight(5) { $0 - $1.head! } == 4)
    #expect(LazyStream([1, 2, 3]).reduceRight(0, -) == 2)
    #expect(LazyStream<Int>().foldRight(7) { $0 + $1.head! } == 7)
  }

  @Test func `foldRight does not evaluate the tail unless the rest is read, and reads it once`() {
    let calls = Calls()
    let stream = LazyStream(0...).noting(calls)
    #expect(stream.foldRight(-1) { element, _ in element } == 0)
    #expect(calls.all == [0])
    #expect(stream.foldRight(false) { element, rest in element > 3 || (rest.head! && rest.head!) })
    #expect(calls.all == [0, 1, 2, 3, 4])
  }

  @Test func `any, all and the first match stop when they know, unlike the original's all`() {
    let calls = Calls()
    let stream = LazyStream(0...).noting(calls)
    #expect(stream.contains { $0 == 2 })
    #expect(!stream.allSatisfy { $0 < 3 })
    #expect(stream.first { $0 > 2 } == 3)
    #expect(calls.all == [0, 1, 2, 3])
    #expect(!LazyStream<Int>().contains(1))
    #expect(LazyStream<Int>().allSatisfy { _ in false })
  }

  @Test func `a string is characters everywhere, unlike the original`() {
    let hearts = "\u{2665}\u{FE0F}\u{2666}\u{FE0F}".stream
    #expect(hearts.array.count == 2)
    #expect(hearts.map { String($0) }.head == "\u{2665}\u{FE0F}")
    #expect(String("foobar".stream.array) == "foobar")
  }

  @Test func `collections: what they were when the stream was made, in their own order`() {
    var dictionary = ["a": 1, "b": 2]
    let (pairs, keys, values) = (
      dictionary.stream, dictionary.keys.stream, dictionary.values.stream
    )
    let expected = Array(dictionary)
    dictionary["c"] = 3
    #expect(pairs.map(\.key).array == expected.map(\.key))
    #expect(keys.array == expected.map(\.key))
    #expect(values.array == expected.map(\.value))
    #expect(Set([1, 2, 3]).stream.array.sorted() == [1, 2, 3])
    #expect(LazyStream(IndexSet([3, 1, 2])).array == [1, 2, 3])
    #expect(IndexSet().stream.isEmpty)
  }

  @Test func `makers: unfold, iterate, counting, repeating, cycled, positions`() {
    let down = LazyStream.unfold(10) { n -> Int? in
      defer { n -= 3 }
      return n > 0 ? n : nil
    }
    #expect(down.array == [10, 7, 4, 1])
    #expect(LazyStream.iterate(1) { $0 * 2 }.prefix(5).array == [1, 2, 4, 8, 16])
    #expect(
      LazyStream<Int?>.iterate(nil) { $0.map { $0 + 1 } ?? 1 }.prefix(3).array == [nil, 1, 2])
    #expect(LazyStream.counting(from: 0, by: 5).prefix(3).array == [0, 5, 10])
    #expect(LazyStream.repeating("x", count: 2).array == ["x", "x"])
    #expect(LazyStream(1...2).cycled().prefix(5).array == [1, 2, 1, 2, 1])
    #expect(LazyStream<Int>().cycled().isEmpty)
    #expect(LazyStream(5...6).mapWithIndex { $0 * 10 + $1 }.array == [50, 61])
    #expect(LazyStream(5...6).enumerated().map(\.offset).array == [0, 1])
    #expect(LazyStream(5...6)[1] == 6)
    #expect(LazyStream(5...6)[2] == nil)
    #expect(LazyStream(5...6).count() == 2)
  }

  @Test func `definitions by themselves: Fibonacci numbers, primes by a sieve`() {
    let fibonacci = LazyStream.recursive { fibonacci in
      [0, 1] + zip(fibonacci, fibonacci.tail).map { $0 + $1 }
    }
    #expect(fibonacci.prefix(10).array == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
    #expect(fibonacci[90] == 2_880_067_194_370_816_120)
    @Sendable func sieve(_ numbers: LazyStream<Int>) -> LazyStream<Int> {
      LazyStream.deferred {
        guard let (prime, rest) = numbers.uncons() else { return [] }
        return [prime] + sieve(rest.filter { $0 % prime != 0 })
      }
    }
    #expect(sieve(LazyStream(2...)).prefix(10).array == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29])
    #expect(sieve(LazyStream(2...))[500] == 3581)
  }
}

@Suite struct `2.5 Object protocol` {
  @Test func `equality is symmetric, and by elements, unlike the original`() {
    let array: LazyStream = [0]
    #expect(array == LazyStream.just(0))
    #expect(LazyStream.just(0) == array)
    #expect(LazyStream<Int>() == array.tail)
    #expect(array.tail == LazyStream<Int>())
    #expect(LazyStream(0...3) != LazyStream(0...4))
    let infinite = LazyStream(0...)
    #expect(infinite == infinite)
  }

  @Test func `equal streams have equal hashes, unlike the original`() {
    #expect(LazyStream([0, 1]).hashValue == LazyStream(0...1).hashValue)
    #expect(LazyStream<Int>().hashValue == LazyStream([0]).tail.hashValue)
    #expect(Set((0..<100).map { LazyStream([7, $0]) }).count == 100)
  }

  @Test func `a hash tells beginnings apart, and computes eight elements at most`() {
    #expect(LazyStream([0, 1]).hashValue != LazyStream([0, 2]).hashValue)
    #expect(LazyStream([0, 1]).hashValue != LazyStream([0, 1, 2]).hashValue)
    let calls = Calls()
    #expect(LazyStream(0...).noting(calls).hashValue == LazyStream(0..<8).appending([9]).hashValue)
    #expect(calls.all == Array(0..<8))
  }

  @Test func `coding is an array's and round trips`() throws {
    let data = try JSONEncoder().encode(LazyStream(1...3).map { $0 * 2 })
    #expect(String(decoding: data, as: UTF8.self) == "[2,4,6]")
    #expect(try JSONDecoder().decode(LazyStream<Int>.self, from: data).array == [2, 4, 6])
  }

  @Test
  func
    `a description computes nothing, starts at the present position and is bounded, unlike the original`()
  {
    let stream = LazyStream(1...)
    #expect("\(stream)" == "LazyStream[...]")
    _ = stream[1]
    #expect("\(stream.tail)" == "LazyStream[2, ...]")
    _ = stream[99]
    #expect("\(stream.dropFirst(80))".hasSuffix("96, ...]"))
    #expect("\(LazyStream([1, 2]).evaluated())" == "LazyStream[1, 2]")
    #expect(stream.named("numbers").map { $0 }.filter { _ in true }.name == "numbers.map.filter")
  }
}

@Suite struct `Examples of the guide` {
  @Test func `primes, bind with a sum, unfold, foldRight, by hand`() {
    let primes = LazyStream(2...).filter { n in !(2..<n).contains { n % $0 == 0 } }
    #expect(Array(primes.prefix(5)) == [2, 3, 5, 7, 11])
    let bounded = LazyStream(1...).bind(0) { sum, element, stop in
      sum += element
      stop = sum > 5
      return [element, sum]
    }
    #expect(bounded.array == [1, 1, 2, 3, 3, 6])
    var rest = LazyStream(1...)
    while let (element, tail) = rest.uncons(), element < 10 { rest = tail }
    #expect(rest.head == 10)
  }

  @Test func `flatMap to any sequence stays lazy`() {
    let calls = Calls()
    let letters = LazyStream(["ab", "", "c"]).flatMap { text in
      calls.note(text.count)
      return text
    }
    #expect(calls.all == [])
    #expect(String(letters.array) == "abc")
    #expect(calls.all == [2, 0, 1])
  }
}
