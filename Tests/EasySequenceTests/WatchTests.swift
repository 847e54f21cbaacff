import EasySequence
import Synchronization
import Testing

/// Keeps what happened at a watched stream.
private final class Log: Sendable {
  private let demands = Mutex<[Demand]>([])
  func note(_ demand: Demand) { demands.withLock { $0.append(demand) } }
  /// What happened since the last call.
  func take() -> [Demand] {
    demands.withLock { demands in
      defer { demands = [] }
      return demands
    }
  }
}

@Suite struct `Watching a stream` {
  @Test func `a walk asks for what is not known and reads what is`() {
    let log = Log()
    let stream = LazyStream(1...).watched { log.note($0) }
    #expect(stream.prefix(2).array == [1, 2])
    #expect(log.take() == [.asked(0), .computed(0), .asked(1), .computed(1)])
    #expect(stream.map { $0 }.prefix(3).array == [1, 2, 3])
    #expect(log.take() == [.read(0), .read(1), .asked(2), .computed(2)])
    for element in stream where element == 2 { break }
    #expect(log.take() == [.read(0), .read(1)])
  }

  @Test func `elements that are skipped are asked for, one by one`() {
    let log = Log()
    let stream = LazyStream(1...).watched { log.note($0) }
    #expect(stream.dropFirst(2).head == 3)
    #expect(
      log.take() == [.asked(0), .computed(0), .asked(1), .computed(1), .asked(2), .computed(2)])
    #expect(stream.map { $0 }.dropFirst(2).head == 3)
    #expect(log.take() == [.read(0), .read(1), .read(2)])
  }

  @Test func `the end is asked for until it is known`() {
    let log = Log()
    let stream = LazyStream([7]).watched { log.note($0) }
    #expect(stream.array == [7])
    #expect(stream.array == [7])
    #expect(log.take() == [.asked(0), .computed(0), .asked(1), .ended(1), .read(0)])
  }

  @Test func `positions go on in tails and from chunk to chunk`() {
    let log = Log()
    let stream = LazyStream(0..<100)
    #expect(stream.dropFirst(60).watched { log.note($0) }.head == 60)
    #expect(stream.dropFirst(61).watched { log.note($0) }.map { $0 }.head == 61)
    let demands = log.take()
    #expect(demands.first == .asked(0))
    #expect(demands.suffix(4) == [.asked(60), .computed(60), .asked(61), .computed(61)])
    #expect(demands.count == 124)
  }

  @Test func `what an element makes happen lies between asked and computed`() {
    let log = Log()
    let source = LazyStream(1...).watched { log.note($0) }
    let derived = source.map { $0 * 2 }.watched { demand in
      switch demand {
      case .asked(let position): log.note(.asked(100 + position))
      case .computed(let position): log.note(.computed(100 + position))
      default: break
      }
    }
    #expect(derived.head == 2)
    #expect(log.take() == [.asked(100), .asked(0), .computed(0), .computed(100)])
  }

  @Test func `two observers are both told`() {
    let (first, second) = (Log(), Log())
    let watched = LazyStream(1...).watched { first.note($0) }
    #expect(watched.tail.watched { second.note($0) }.head == 2)
    #expect(second.take() == [.asked(0), .computed(0), .asked(1), .computed(1)])
    #expect(first.take() == [.asked(0), .computed(0), .asked(1), .computed(1)])
    #expect(watched.head == 1)
    #expect(first.take() == [.read(0)])
    #expect(second.take() == [])
  }

  @Test func `only who reads through the result is heard, and a watched stage is stored once`() {
    let (log, calls) = (Log(), Calls())
    let stream = LazyStream(1...3).noting(calls)
    let watched = stream.watched { log.note($0) }
    #expect(stream.array == [1, 2, 3])
    #expect(log.take() == [])
    #expect(watched.array == [1, 2, 3])
    #expect(log.take() == [.read(0), .read(1), .read(2)])
    #expect(calls.all == [1, 2, 3])
  }
}
