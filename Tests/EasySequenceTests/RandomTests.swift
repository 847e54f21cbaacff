import EasySequence
import Testing

/// Numbers that are the same in each run.
private struct Seeded: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}

/// Streams beside the arrays that they must be, made of each other at random, read, held and dropped.
private struct Program {
  struct Pair {
    var stream: LazyStream<Int>
    var array: [Int]
  }
  var random: Seeded
  var pool: [Pair] = [Pair(stream: LazyStream(0..<40), array: Array(0..<40))]
  /// What each closure was called with, and what it may be called with, in order.
  var calls: [(calls: Calls, allowed: [Int])] = []

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func pick() -> Pair { pool[number(0..<pool.count)] }

  mutating func noted(_ pair: Pair) -> LazyStream<Int> {
    let calls = Calls()
    self.calls.append((calls, pair.array))
    return pair.stream.noting(calls)
  }

  /// A concatenation, or a part of one.
  mutating func joined() -> Pair {
    let (one, other, n) = (pick(), pick(), number(0..<10))
    switch number(0..<10) {
    case 0..<4: return Pair(stream: one.stream + [n], array: one.array + [n])
    case 4: return Pair(stream: one.stream.prepending(n), array: [n] + one.array)
    case 5, 6: return Pair(stream: one.stream + other.stream, array: one.array + other.array)
    case 7: return Pair(stream: noted(one) + [n], array: one.array + [n])
    case 8:
      return Pair(stream: one.stream.dropFirst(n), array: Array(one.array.dropFirst(n)))
    default:
      let parts = (0..<number(0..<60)).map { _ in pick() }.filter { $0.array.count < 8 }
      return Pair(stream: .concat(parts.map(\.stream)), array: parts.flatMap(\.array))
    }
  }

  mutating func made() -> Pair {
    let (one, other, n) = (pick(), pick(), number(0..<50))
    let (stream, array) = (one.stream, one.array)
    switch number(0..<18) {
    case 0, 1: return Pair(stream: noted(one), array: array)
    case 2:
      return Pair(
        stream: stream.filter { $0 % 3 != n % 3 }, array: array.filter { $0 % 3 != n % 3 })
    case 3, 4: return Pair(stream: stream + other.stream, array: array + other.array)
    case 5: return Pair(stream: stream.prefix(n), array: Array(array.prefix(n)))
    case 6, 7: return Pair(stream: stream.dropFirst(n), array: Array(array.dropFirst(n)))
    case 8:
      return Pair(
        stream: zip(stream, other.stream).map { $0 &+ $1 },
        array: zip(array, other.array).map { $0 &+ $1 })
    case 9:
      return Pair(
        stream: stream.prefix(20).flatMap { $0 % 2 == 0 ? [$0, n] : [] },
        array: array.prefix(20).flatMap { $0 % 2 == 0 ? [$0, n] : [] })
    case 10:
      var sum = 0
      return Pair(
        stream: stream.scan(0) { $0 &+ $1 },
        array: array.map {
          sum &+= $0
          return sum
        })
    case 11:
      return Pair(stream: stream.cycled().prefix(array.isEmpty ? 0 : n), array: cycled(array, n))
    case 12: return Pair(stream: stream.prepending(n), array: [n] + array)
    case 13:
      let tail = other.stream
      return Pair(stream: LazyStream(head: { n }, tail: { tail }), array: [n] + other.array)
    case 14: return Pair(stream: .deferred { stream }, array: array)
    case 15: return Pair(stream: stream.named("s"), array: array)
    case 16: return Pair(stream: stream.watched { _ in }, array: array)
    default:
      let parts = [one, other, pick()]
      return Pair(stream: .concat(parts.map(\.stream)), array: parts.flatMap(\.array))
    }
  }

  func cycled(_ array: [Int], _ count: Int) -> [Int] {
    array.isEmpty ? [] : (0..<count).map { array[$0 % array.count] }
  }

  mutating func step() { step(made()) }

  mutating func step(_ pair: Pair) {
    if pool.count > 1, number(0..<3) == 0 { pool.remove(at: number(0..<pool.count)) }
    if pair.array.count < 400 { pool.append(pair) }
    let (read, position) = (pick(), number(0..<60))
    switch number(0..<4) {
    case 0: #expect(read.stream.head == read.array.first)
    case 1:
      #expect(read.stream[position] == (position < read.array.count ? read.array[position] : nil))
    case 2: #expect(read.stream.elementsEqual(read.array))
    default: #expect(read.array.starts(with: read.stream.known(limit: .max).elements))
    }
  }

  func check() {
    for pair in pool { #expect(pair.stream.array == pair.array) }
    for (calls, allowed) in calls { #expect(allowed.starts(with: calls.all)) }
  }
}

@Suite struct `Random programs` {
  @Test(arguments: 0..<200) func `streams are the arrays they must be, each closure once, in order`(
    _ seed: Int
  ) {
    var program = Program(random: Seeded(state: UInt64(seed)))
    for _ in 0..<60 { program.step() }
    program.check()
  }

  @Test(arguments: 0..<100) func `concatenations of each other are the arrays they must be`(
    _ seed: Int
  ) {
    var program = Program(random: Seeded(state: UInt64(1_000 + seed)))
    program.pool.append(Program.Pair(stream: [], array: []))
    program.pool.append(Program.Pair(stream: [7], array: [7]))
    for _ in 0..<200 { program.step(program.joined()) }
    program.check()
  }
}
