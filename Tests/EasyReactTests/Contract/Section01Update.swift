import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Testing

/// Contract, section 1.6.
extension Section1 {
  @Test func `1.6 update reads, changes and sets as one step`() {
    let list = MutableNode([1])
    let told = Recorder(list)
    list.update { $0.append(2) }
    list.update { $0.append(3) }
    #expect(told.values == [[1], [1, 2], [1, 2, 3]])
    let empty = MutableNode<Int>()
    let silent = Recorder(empty)
    empty.update { $0 += 1 }
    #expect(empty.isEmpty && silent.values == [])
    #expect(checkInvariants([list, empty]) == [])
  }

  @Test func `1.6 an update in a listener is applied after what waits before it`() {
    let a = MutableNode(0)
    let told = Journal<String>()
    let listening = a.listen { value in
      told.note("begin \(value)")
      if value == 1 {
        a.value = 10
        a.update { $0 += 5 }
        a.update { $0 *= 2 }
      }
      told.note("end \(value)")
    }
    _ = told.take()
    a.value = 1
    #expect(
      told.entries == [
        "begin 1", "end 1", "begin 10", "end 10", "begin 15", "end 15", "begin 30", "end 30",
      ])
    #expect(a.value == 30)
    #expect(checkInvariants([a]) == [])
    keepAlive(listening)
  }

  @Test
  func `1.6 no concurrent set falls in between: updates from many threads give the exact total`() {
    let counter = MutableNode(0)
    let (threads, each) = (4, 2_000)
    let isComplete = DispatchSemaphore(value: 0)
    let told = Journal<Int>()
    let listening = counter.listen { value in
      told.note(value)
      if value == threads * each { isComplete.signal() }
    }
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      for _ in 0..<each { counter.update { $0 += 1 } }
    }
    wait(for: isComplete)
    #expect(told.entries == Array(0...(threads * each)))
    keepAlive(listening)
  }

  @Test func `1.6 under contention the closure runs on the thread that holds the node`() {
    let a = MutableNode(0)
    let isInside = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0)
    let isOver = DispatchSemaphore(value: 0)
    let threads = Journal<ObjectIdentifier>()
    let told = Journal<Int>()
    let listening = a.listen { value in
      told.note(value)
      if value == 1 {
        isInside.signal()
        wait(for: mayGoOn)
      }
    }
    let holder = Thread {
      a.value = 1
      isOver.signal()
    }
    holder.start()
    wait(for: isInside)
    a.update { value in
      threads.note(ObjectIdentifier(Thread.current))
      value += 41
    }
    #expect(threads.entries == [])
    #expect(told.entries == [0, 1])
    mayGoOn.signal()
    wait(for: isOver)
    #expect(threads.entries == [ObjectIdentifier(holder)])
    #expect(told.entries == [0, 1, 42])
    #expect(a.value == 42)
    #expect(checkInvariants([a]) == [])
    keepAlive(listening)
  }
}
