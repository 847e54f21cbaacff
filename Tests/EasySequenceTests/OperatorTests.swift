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
    let products: LazyStream<Int> = zip(LazyStream([7, 8]), LazyStream(0...).noting(calls)).map(*)
    #expect(products.array == [0, 8])
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
    #expect(zip(names, verbs, things, LazyStream(["x", "y"])).count() == 2)
    let six = zip(names, names, verbs, verbs, names, LazyStream(0...))
    #expect(
      six.reduceEach { $0 + $1 + $4 + "\($5)" }.array == ["AdaAdaAda0", "BobBobBob1", "DeaDeaDea2"])
    let pairs = zip(names, LazyStream(0...))
    #expect(zip(pairs, names).reduceEach { "\($0.0)\($0.1)\($1)" }.head == "Ada0Ada")
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

  @Test func `skip evaluates what it skips, when what follows is read`() {
    let calls = Calls()
    let rest = LazyStream(0...).noting(calls).dropFirst(2)
    #expect(calls.all == [])
    #expect(rest.head == 2)
    #expect(calls.all == [0, 1, 2])
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
    #expect(LazyStream(0...).prefixUntil { $0 >= 3 }.array == [0, 1, 2])
    #expect(stream.prefix { $0 <= 1 }.array == [0, 1])
    #expect(stream.prefix { _ in true }.array == stream.array)
    #expect(stream.prefix { _ in false }.array == [])
    #expect(stream.dropUntil { $0 >= 3 }.array == [3, 0, 2, 4])
    #expect(stream.drop { $0 <= 1 }.array == [2, 3, 0, 2, 4])
    let calls = Calls()
    let dropped = stream.drop {
      calls.note($0)
      return $0 <= 1
    }
    #expect(dropped.array == [2, 3, 0, 2, 4])
    #expect(calls.all == [0, 1, 2])  // not asked again after the first that stays
    #expect(stream.drop { _ in true }.array == [])
    #expect(stream.drop { _ in false }.array == stream.array)
  }

  @Test func `scan does not tell the start`() {
    #expect(LazyStream(1...4).scan(0, +).array == [1, 3, 6, 10])
    #expect(LazyStream(1...4).scanWithIndex(0) { $0 + $1 + $2 }.array == [1, 4, 9, 16])
    let calls = Calls()
    let nothing = LazyStream<Int>().scan(0) {
      calls.note($1)
      return $0 + $1
    }
    #expect(nothing.array == [])
    #expect(calls.all == [])
  }

  @Test func `combinePrevious and pairs of neighbours`() {
    #expect(LazyStream(1...3).combinePrevious(1) { "\($0)-\($1)" }.array == ["1-1", "1-2", "2-3"])
    #expect(
      LazyStream<Int?>([1, 2]).combinePrevious(nil) { "\($0 ?? 0)-\($1 ?? 0)" }.array == [
        "0-1", "1-2",
      ])
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
    // With their types, or the compiler tries every minus that there is, for seconds.
    let numbers: LazyStream<Int> = [1, 2, 3], one: LazyStream<Int> = [1], none = LazyStream<Int>()
    let minus: @Sendable (Int, LazyStream<Int>) -> Int = { $0 - $1.head! }
    #expect(numbers.reduce(0, -) == -6)
    #expect(numbers.foldRight(0, minus) == 2)
    #expect(numbers.prefix(2).foldRight(5, minus) == 4)
    #expect(numbers.reduceRight(0, -) == 2)
    #expect(one.foldRight(9) { _, rest in rest.head! } == 9)
    #expect(none.reduce(4, +) == 4)
    #expect(none.foldRight(7, minus) == 7)
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
    #expect(stream.contains(3))
    #expect(calls.all == [0, 1, 2, 3])
    #expect(!LazyStream<Int>().contains(1))
    #expect(LazyStream<Int>().first { _ in true } == nil)
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
