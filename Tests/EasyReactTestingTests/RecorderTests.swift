import Dispatch
import EasyReact
import EasyReactTesting
import Testing

@Suite struct RecorderTests {
  @Test func `it records the present value and every later one, in order`() {
    let a = MutableNode(1)
    let recorder = Recorder(a.map { $0 * 2 })
    a.value = 2
    a.value = 2
    #expect(recorder.values == [2, 4, 4])
    #expect(Recorder(MutableNode<Int>()).values == [])
  }

  @Test func `it records contexts, none for the first value and plain sets`() {
    let a = MutableNode(1)
    let recorder = Recorder(a)
    a.set(2, context: "who")
    a.value = 3
    a.set(4, context: 7)
    #expect(recorder.contexts.map { $0.map { "\($0)" } } == [nil, "who", nil, "7"])
    #expect(recorder.entries.map(\.value) == [1, 2, 3, 4])
  }

  @Test func `it records the scheduler's time`() {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let recorder = Recorder(a.delay(.seconds(2), on: clock), clock: clock)
    clock.advance(by: .seconds(1))
    a.value = 2
    clock.run()
    #expect(recorder.values == [1, 2])
    #expect(recorder.times == [.seconds(2), .seconds(3)])
  }

  @Test func `without a scheduler it records a time that does not go back`() {
    let a = MutableNode(1)
    let recorder = Recorder(a)
    for number in 0..<100 { a.value = number }
    #expect(recorder.times.count == 101)
    #expect(recorder.times == recorder.times.sorted() && recorder.times[0] >= .zero)
  }

  @Test func `it records whether the main thread told it`() {
    let a = MutableNode<Int>()
    let recorder = Recorder(a)
    onThreads(1) { _ in a.value = 1 }
    #expect(recorder.entries.map(\.isOnMainThread) == [false])
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.main.async {
      a.value = 2
      done.signal()
    }
    #expect(done.wait(timeout: .now() + 600) == .success)
    #expect(recorder.entries.map(\.isOnMainThread) == [false, true])
  }

  @Test func `clear forgets, cancel ends, and what was recorded stays`() {
    let a = MutableNode(1)
    let recorder = Recorder(a)
    recorder.clear()
    #expect(recorder.values == [])
    a.value = 2
    recorder.cancel()
    recorder.cancel()
    a.value = 3
    #expect(recorder.values == [2])
    #expect(!a.hasListener)
  }

  @Test func `it keeps the node, and ends with its release`() {
    weak var seen: MutableNode<Int>?
    var recorder: Recorder<Int>?
    do {
      let a = MutableNode(1)
      seen = a
      recorder = Recorder(a.map { $0 })
    }
    #expect(seen != nil)
    seen?.value = 5
    #expect(recorder?.values == [1, 5])
    recorder = nil
    #expect(seen == nil)
  }

  @Test func `it may be told by many threads and read meanwhile, nothing is lost`() {
    let nodes = (0..<4).map { _ in MutableNode<Int>() }
    let recorder = Recorder(Node.merge(nodes))
    onThreads(4) { thread in
      for number in 0..<500 {
        nodes[thread].value = thread * 1000 + number
        if number % 100 == 0 { _ = recorder.values.count }
      }
    }
    #expect(waitForBackgroundWork())
    let values = recorder.values
    #expect(values.count == 2000)
    for thread in 0..<4 {
      #expect(values.filter { $0 / 1000 == thread } == (0..<500).map { thread * 1000 + $0 })
    }
    #expect(checkInvariants(nodes) == [])
  }

  @Test func `it records the thread`() {
    let a = MutableNode(1)
    let recorder = Recorder(a)
    onThreads(1) { _ in a.value = 2 }
    a.value = 3
    let threads = recorder.threads
    #expect(threads[0] == .current && threads[2] == .current && threads[1] != .current)
    #expect(threads[0].description.hasPrefix("thread "))
  }

  // MARK: Expecting

  private func told() -> Recorder<Int> {
    let a = MutableNode(1)
    let recorder = Recorder(a)
    for value in [2, 30, 4] { a.value = value }
    return recorder
  }

  @Test func `expect passes exactly what was told, in order`() throws {
    try told().expect([1, 2, 30, 4])
    #expect(told().difference(from: [1, 2, 30, 4]) == nil)
    try Recorder(MutableNode<Int>()).expect([])
    for wrong in [[], [1], [1, 2, 30, 4, 5], [2, 1, 30, 4], [1, 2, 30, 5]] {
      #expect(throws: RecordingMismatch.self) { try told().expect(wrong) }
    }
  }

  @Test func `the failure shows both sequences, aligned, and marks the differences`() {
    let line = #line + 1
    let error = #expect(throws: RecordingMismatch.self) { try told().expect([1, 2, 3, 4]) }
    #expect(
      error?.description == """
        not what was expected, at EasyReactTestingTests/RecorderTests.swift:\(line)
          expected  1  2  3   4
          told      1  2  30  4
                          ^
        """)
    #expect(
      told().difference(from: [1]) == """
          expected  1
          told      1  2  30  4
                       ^  ^   ^
        """)
    #expect(
      Recorder(MutableNode<Int>()).difference(from: [7]) == """
          expected  7
          told      nothing
                    ^
        """)
  }

  @Test func `long sequences are shown as a list`() {
    let a = MutableNode<String>()
    let recorder = Recorder(a)
    let words = (1...4).map { "the value number \($0) of a rather long sequence" }
    for word in words { a.value = word }
    let expected = [words[0], words[1], "another one", words[3]]
    let lines = recorder.difference(from: expected)!.split(separator: "\n").map(String.init)
    #expect(lines.count == 5)
    #expect(lines[0].split(separator: " ") == ["expected", "told"])
    #expect(lines[1] == "   \(words[0])  \(words[0])")
    #expect(lines[3].hasPrefix(">  another one  ") && lines[3].hasSuffix(words[2]))
  }

  @Test func `expect compares times where they are given, and shows them`() throws {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let recorder = Recorder(a.delay(.seconds(2), on: clock), clock: clock)
    clock.run()
    try recorder.expect([1], at: [.seconds(2)])
    #expect(
      recorder.difference(from: [1], at: [.seconds(3)]) == """
          expected  1 at 3.0 seconds
          told      1 at 2.0 seconds
                    ^
        """)
    #expect(recorder.difference(from: [1], at: []) != nil)
  }

  @Test func `values that are not Equatable are compared by a function`() throws {
    let pair = Recorder(MutableNode(1).combine(Node("a")))
    try pair.expect([(1, "a")], by: ==)
    #expect(
      pair.difference(from: [(1, "b")], by: ==)
        == """
          expected  (1, "b")
          told      (1, "a")
                    ^
        """)
  }

  @Test func `a closure can take the failure, so that the test goes on`() {
    var heard: [RecordingMismatch] = []
    told().expect([1, 2, 30, 4]) { heard.append($0) }
    #expect(heard.isEmpty)
    told().expect([1]) { heard.append($0) }
    #expect(heard.map(\.line) == [#line - 1])
  }
}
