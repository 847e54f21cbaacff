import Dispatch
import EasySequence
import Foundation
import Synchronization
import Testing

/// Runs `body` on some threads at once and waits; fails after two minutes.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let done = DispatchSemaphore(value: 0)
  for number in 0..<count {
    Thread {
      body(number)
      done.signal()
    }.start()
  }
  for _ in 0..<count { #expect(done.wait(timeout: .now() + 600) == .success) }
}

/// A place for a stream that another one is defined by before it is made.
private final class Slot: Sendable {
  private let content = Mutex<LazyStream<Int>>([])
  var stream: LazyStream<Int> { content.withLock { $0 } }
  func set(_ stream: LazyStream<Int>) {
    let old = content.withLock { content in
      defer { content = stream }
      return content
    }
    _ = consume old
  }
}

@Suite struct `16 Threads` {
  @Test func `eight threads in different orders see the same elements, each closure once`() {
    let calls = Calls()
    let stream = LazyStream(0..<2_000).noting(calls).filter { $0 % 2 == 0 }
    onThreads(8) { number in
      switch number % 4 {
      case 0: #expect(stream.array == Array(stride(from: 0, to: 2_000, by: 2)))
      case 1: #expect(stream[999] == 1_998)
      case 2: for index in stride(from: 990, to: 0, by: -90) { #expect(stream[index] == 2 * index) }
      default:
        var (rest, index) = (stream, 0)
        while let (head, tail) = rest.uncons() {
          #expect(head == 2 * index)
          (rest, index) = (tail, index + 1)
        }
        #expect(index == 1_000)
      }
    }
    #expect(calls.all == Array(0..<2_000))
  }

  @Test func `eight threads over one definition by itself`() {
    let fibonacci = LazyStream.recursive { fibonacci in
      [0, 1] + zip(fibonacci, fibonacci.tail).map { $0 &+ $1 }
    }
    onThreads(8) { _ in #expect(fibonacci[90] == 2_880_067_194_370_816_120) }
  }

  @Test func `two streams defined by each other, forced from two threads, do not deadlock`() {
    for _ in 0..<20 {
      let slot = Slot()
      let first: LazyStream<Int> = [0] + .deferred { slot.stream.map { $0 + 1 } }
      let second: LazyStream<Int> = [0] + .deferred { first.map { $0 + 1 } }
      slot.set(second)
      onThreads(2) { number in #expect((number == 0 ? first : second)[1_000] == 1_000) }
      slot.set([])  // they hold each other
    }
  }

  @Test func `versions of a stream that share their elements, read by eight threads`() {
    for _ in 0..<20 {
      let calls = Calls()
      var versions = [LazyStream(0..<200).noting(calls)]
      for number in 0..<50 { versions.append(versions[number] + [200 + number]) }
      let all = versions
      onThreads(8) { number in
        for index in stride(from: number * 6, through: 50, by: 3) {
          #expect(all[index].elementsEqual(0..<(200 + index)))
        }
      }
      #expect(calls.all == Array(0..<200))
    }
  }

  @Test func `versions of a stream, none read before, read by eight threads from the newest`() {
    for _ in 0..<20 {
      let calls = Calls()
      var versions = [LazyStream(0..<20).noting(calls)]
      for number in 0..<100 { versions.append(versions[number] + [20 + number]) }
      let all = versions
      onThreads(8) { number in
        for index in stride(from: 100 - number, through: 0, by: -7) {
          #expect(all[index][number * 2] == number * 2)
          #expect(all[index].elementsEqual(0..<(20 + index)))
        }
      }
      #expect(calls.all == Array(0..<20))
    }
  }

  @Test func `a tail made before its elements were known, read by eight threads`() {
    for _ in 0..<20 {
      let calls = Calls()
      let tail = LazyStream(0..<500).noting(calls).dropFirst(300)
      onThreads(8) { number in
        #expect(tail.dropFirst(number * 20).head == 300 + number * 20)
        #expect(tail.array == Array(300..<500))
        #expect(tail.map { $0 }.array == Array(300..<500))
      }
      #expect(calls.all == Array(0..<500))
    }
  }

  @Test func `tails made, read and dropped while other threads compute what they wait for`() {
    for _ in 0..<20 {
      let calls = Calls()
      let stream = LazyStream(0..<4_000).noting(calls)
      onThreads(8) { number in
        if number == 0 { return #expect(stream.array == Array(0..<4_000)) }
        var kept: [(place: Int, tail: LazyStream<Int>)] = []
        for step in 0..<200 {
          let place = (step * 37 * number + 32 * step) % 4_000
          kept.append((place, stream.dropFirst(place)))
          if kept.count > 8 { kept.removeFirst(4) }
          if step % 16 == 0 {
            for one in kept { #expect(one.tail.head == one.place) }
          }
        }
      }
      #expect(calls.all == Array(0..<4_000))
    }
  }

  @Test func `a closure may wait for another thread that reads what is known: no lock is held`() {
    let slot = Mutex<LazyStream<Int>?>(nil)
    let stream = LazyStream(0...).map { number in
      if number == 1 {
        let done = DispatchSemaphore(value: 0)
        Thread {
          #expect(slot.withLock { $0 }?.head == 0)
          done.signal()
        }.start()
        #expect(done.wait(timeout: .now() + 600) == .success)
      }
      return number
    }
    slot.withLock { $0 = stream }
    #expect(stream[1] == 1)
    slot.withLock { $0 = nil }
  }

  /// It is misuse, for the definition is to be kept; but no data race, whatever the threads do.
  @Test func `a definition by itself that goes while a part of it is walked stops with a message`()
    async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let slot = Slot(), hasBegun = DispatchSemaphore(value: 0)
      var all: LazyStream<Int>? = .recursive { all in
        slot.set(all)
        return [0] + all.map { $0 + 1 }
      }
      #expect(all?.head == 0)
      let part = slot.stream
      slot.set([])
      let isOver = DispatchSemaphore(value: 0)
      Thread {
        for number in part {
          if number == 1_000 { hasBegun.signal() }
          if number == 10_000_000 { break }
        }
        isOver.signal()
      }.start()
      #expect(hasBegun.wait(timeout: .now() + 600) == .success)
      all = nil
      #expect(isOver.wait(timeout: .now() + 600) == .success)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Keep what LazyStream.recursive returns"))
    #expect(!text.contains("ThreadSanitizer"))
  }

  @Test func `elements that wait for each other across threads stop with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      enum Ring {
        static let arrived = DispatchSemaphore(value: 0)
        static let met = Atomic(0)
        static let first: LazyStream<Int> = LazyStream.just(1).map { _ in meet(second) }
        static let second: LazyStream<Int> = LazyStream.just(1).map { _ in meet(first) }
        static func meet(_ other: LazyStream<Int>) -> Int {
          // Each waits until the other one has begun too: the second lets both go on.
          if met.add(1, ordering: .sequentiallyConsistent).newValue == 2 {
            arrived.signal()
            arrived.signal()
          }
          guard arrived.wait(timeout: .now() + 600) == .success else { return 0 }
          return other.head ?? 0
        }
      }
      Thread { _ = Ring.first.head }.start()
      _ = Ring.second.head
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("wait for each other"))
  }
}
