import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, 14.3: nodes that play an asynchronous sequence.
@Suite(.watched) struct `14 Following` {
  /// A listener's journal, and a way to wait for as many entries as a test expects.
  private final class Told<Value: Sendable>: Sendable {
    private let journal = Journal<Value>()
    private let told = DispatchSemaphore(value: 0)
    private let listening = Mutex<Listening?>(nil)

    init(_ node: Node<Value>) {
      let made = node.listen { [journal, told] value in
        journal.note(value)
        told.signal()
      }
      listening.withLock { $0 = made }
    }

    /// Waits for so many more, and returns all.
    func wait(for count: Int) -> [Value] {
      for _ in 0..<count { EasyReactTests.wait(for: told) }
      return journal.entries
    }

    func cancel() { listening.withLock { $0.take() }?.cancel() }
  }

  /// A stream with the ends that its producer sees.
  private func stream<Element: Sendable>(of _: Element.Type) -> (
    stream: AsyncStream<Element>, continuation: AsyncStream<Element>.Continuation,
    cancelled: DispatchSemaphore
  ) {
    let (stream, continuation) = AsyncStream<Element>.makeStream()
    let cancelled = DispatchSemaphore(value: 0)
    continuation.onTermination = { if case .cancelled = $0 { cancelled.signal() } }
    return (stream, continuation, cancelled)
  }

  @Test func `14.3 its values are the sequence's, in order; it is empty before the first`() {
    let (stream, elements, _) = stream(of: Int.self)
    let node = Node.following(stream)
    #expect(node.isEmpty)
    #expect(!node.isMutable)
    let told = Told(node.map { $0 * 10 })
    for element in 1...3 { elements.yield(element) }
    #expect(told.wait(for: 3) == [10, 20, 30])
    #expect(node.value == 3)
  }

  @Test func `14.3 the sequence's end leaves the last value`() {
    let ended = DispatchSemaphore(value: 0)
    let node = Node.following(Pulls(of: [1, 2]) { if $0 == nil { ended.signal() } })
    wait(for: ended)
    #expect(node.value == 2)
    let told = Told(node)
    #expect(told.wait(for: 1) == [2])
  }

  @Test func `14.3 an element is pulled after the set before has returned`() {
    let journal = Journal<String>(), ended = DispatchSemaphore(value: 0), gate = MutableNode(0)
    let isOpen = DispatchSemaphore(value: 0)
    let node = Node.following(
      Pulls(of: [1, 2, 3]) { element in
        if element == 1 { wait(for: isOpen) }
        journal.note("pull \(element.map { "\($0)" } ?? "end")")
        if element == nil { ended.signal() }
      })
    let first = node.listen { gate.value = $0 }
    let second = gate.listen { journal.note("told \($0)") }
    isOpen.signal()
    wait(for: ended)
    #expect(
      journal.entries == [
        "told 0", "pull 1", "told 1", "pull 2", "told 2", "pull 3", "told 3", "pull end",
      ])
    first.cancel()
    second.cancel()
  }

  @Test func `14.3 of a sequence that throws: results, of which the failure is the last`() {
    let (stream, elements) = AsyncThrowingStream<Int, any Error>.makeStream()
    let node = Node.following(stream)
    // The first to be followed, so it is told before `told` is.
    let value = node.replaceError(with: -1), told = Told(node.map { "\($0)" })
    elements.yield(1)
    elements.finish(throwing: Refusal())
    #expect(
      told.wait(for: 2) == ["success(1)", "failure(EasyReactTests.Refusal(reason: \"refused\"))"])
    #expect(value.value == -1)
  }

  @Test func `14.3 the type of the failure is the sequence's, its own CancellationError too`() {
    let refused: Node<Result<Int, Refusal>> = Node.following(Refusing(error: Refusal(reason: "no")))
    #expect(Told(refused.failures()).wait(for: 1) == [Refusal(reason: "no")])
    let ended: Node<Result<Int, CancellationError>> = Node.following(
      Refusing(error: CancellationError()))
    let told = Told(ended.failures().mapReplace(1))
    #expect(told.wait(for: 1) == [1])
  }

  @Test func `14.3 the node's end cancels the task, and nothing is told any more`() throws {
    let (stream, elements, cancelled) = stream(of: Int.self)
    let lives = LifetimeTracker(), heard = Journal<Int>()
    var last: Node<Int>? = lives.track(Node.following(stream), "node").map { $0 * 2 }
    var listening = last?.listen { heard.note($0) }
    last = nil
    #expect(lives.alive == ["node"])  // whoever follows it holds it
    elements.yield(1)
    listening = nil
    wait(for: cancelled)  // its task may have been in the midst of the set
    #expect(lives.alive == [])
    let before = heard.entries
    elements.yield(2)
    #expect(heard.entries == before)
    _ = (last, listening)
  }

  @Test func `14.3 a sequence hears of the node's end also where it has just given an element`() {
    let (stream, elements, cancelled) = stream(of: Int.self)
    let kept = Mutex<Node<Int>?>(nil)
    let given = stream.map { value in
      let node = kept.withLock { $0.take() }  // the only one that holds it
      _ = consume node
      return value
    }
    kept.withLock { $0 = .following(given) }
    elements.yield(1)
    wait(for: cancelled)
  }

  @Test
  func `14.3 what it leaves is nothing: the iterator is gone after the end, and after the node's`()
    throws
  {
    let tokens = LifetimeTracker()
    let ended = DispatchSemaphore(value: 0)
    try expectFreed {
      let elements = Pulls(of: [1, 2]) { [token = tokens.track(Token(), "ended")] in
        if $0 == nil { ended.signal() }
        keepAlive(token)
      }
      let node = Node.following(elements)
      wait(for: ended)
      keepAlive(node)
    }
    // The other one waits for ever, and is let go of by its task when that is cancelled.
    let (stream, continuation, cancelled) = stream(of: Int.self)
    try expectFreed {
      var node: Node<Int>? = Node.following(stream)
      continuation.yield(1)
      #expect(Told(node!).wait(for: 1) == [1])
      node = nil
      wait(for: cancelled)  // its task may have been in the midst of the set
      keepAlive(node)
    }
  }

  @Test func `14.3 dropped by its own listener it ends, on the thread of its task`() {
    let (stream, elements, cancelled) = stream(of: Int.self)
    let bag = CancelableBag(), heard = Journal<Int>()
    Node.following(stream).listen { [weak bag] value in
      heard.note(value)
      if value == 2 { bag?.cancel() }
    }.store(in: bag)
    for element in 1...4 { elements.yield(element) }
    wait(for: cancelled)
    #expect(heard.entries == [1, 2])
  }

  @Test
  func `14.3 a sequence that ignores its cancellation is not waited for, and tells nothing more`()
    throws
  {
    let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
    let isPulled = DispatchSemaphore(value: 0), ended = DispatchSemaphore(value: 0), heard = Tally()
    try expectFreed {
      let node = Node.following(
        Deaf(ended) { continuation in
          waiting.withLock { $0 = continuation }
          isPulled.signal()
        })
      let listening = node.listen { _ in heard.add() }
      wait(for: isPulled)
      keepAlive(node, listening)
    }
    waiting.withLock { $0.take() }?.resume()
    wait(for: isPulled)  // once more, now that its task is cancelled
    waiting.withLock { $0.take() }?.resume()
    wait(for: ended)
    #expect(heard.count == 0)
  }

  @Test func `14.3 a sequence that never waits ends with its node`() {
    let ended = DispatchSemaphore(value: 0)
    let told = DispatchSemaphore(value: 0)
    do {
      let node = Node.following(Endless { ended.signal() })
      let listening = node.listen { if $0 >= 1_000 { told.signal() } }
      wait(for: told)
      keepAlive(node, listening)
    }
    wait(for: ended)
  }

  @Test func `14.3 another node's values are followed from the call on: none is lost`() {
    let source = MutableNode(1)
    let node = Node.following(source.values(buffering: .unbounded))
    #expect(source.listenerCount == 1)
    let told = Told(node.scan([]) { $0 + [$1] }.filter { $0.last == 100 })
    for value in 2...100 { source.value = value }
    #expect(told.wait(for: 1) == [Array(1...100)])
  }

  @Test func `14.3 what is set in its listeners may feed the sequence that it plays`() {
    let source = MutableNode(1)
    let node = Node.following(source.values(buffering: .unbounded))
    let done = DispatchSemaphore(value: 0)
    let listening = node.listen { value in
      if value == 10_000 { done.signal() } else { source.value = value + 1 }
    }
    wait(for: done)
    #expect(node.value == 10_000)
    listening.cancel()
  }

  @Test func `14.3 sequences of any kind: opaque, erased, not Sendable, of another actor's`() async
  {
    func erased(_ elements: some AsyncSequence<Int, Never>) -> any AsyncSequence<Int, Never> {
      elements
    }
    let opaque: some AsyncSequence<Int, Never> = Pulls(of: [1]).map { $0 + 1 }
    #expect(Told(Node.following(opaque)).wait(for: 1) == [2])
    let boxed = erased(Pulls(of: [3]))
    let told = await MainActor.run { Told(Node.following(Unshared(elements: [5]))) }
    #expect(told.wait(for: 1) == [5])
    #expect(Told(follow(boxed)).wait(for: 1) == [3])
  }

  /// Opens the box.
  private func follow(_ elements: sending any AsyncSequence<Int, Never>) -> Node<Int> {
    Node.following(elements)
  }

  @Test func `14.3 its edge is seen at the node, by its name, and cutting it ends it`() throws {
    let (stream, elements, cancelled) = stream(of: Int.self)
    let node = Node.following(stream)
    let told = Told(node)
    elements.yield(1)
    #expect(told.wait(for: 1) == [1])
    #expect(node.upstreamTransforms.map(\.name) == ["Following"])
    do {
      let transform = try #require(node.upstreamTransforms.first as? NodeTransform<Never, Int>)
      transform.to = nil
    }
    wait(for: cancelled)
    #expect(node.value == 1)
  }

  @Test func `14.3 two hundred thousand elements`() {
    let count = Sanitizer.isPresent ? 20_000 : 200_000, ended = DispatchSemaphore(value: 0)
    let node = Node.following(Pulls(of: Array(1...count)) { if $0 == nil { ended.signal() } })
    let sum = node.scan(0, +)
    wait(for: ended)
    #expect(node.value == count)
    // The first of them may have come before the scan was made.
    #expect(sum.value.map { $0 <= count * (count + 1) / 2 } == true)
  }

  @Test func `14.3 nodes made and dropped while their sequences tell hear a run of it`() {
    Stress.rounds(60) { round in
      let source = MutableNode(0)
      round.threads(3) { member in
        if member == 0 {
          for value in 1...200 { source.value = value }
          return
        }
        for _ in 0..<20 {
          let heard = Journal<Int>()
          let node = Node.following(source.values(buffering: .unbounded))
          let listening = node.listen { heard.note($0) }
          letOthersRun()
          round.expectRun(heard.entries, of: Array(0...200), toTheEnd: false, "a listener")
          keepAlive(node, listening)
        }
      }
    }
  }
}

/// Tells of each pull before it answers; nil is the end.
private struct Pulls<Element: Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable {
  private var elements: ArraySlice<Element>
  private let pulled: @Sendable (Element?) -> Void

  init(of elements: [Element], _ pulled: @escaping @Sendable (Element?) -> Void = { _ in }) {
    self.elements = elements[...]
    self.pulled = pulled
  }

  func makeAsyncIterator() -> Pulls { self }
  mutating func next() async -> Element? {
    let element = elements.popFirst()
    pulled(element)
    return element
  }
}

/// One element, then its failure.
private struct Refusing<Failure: Error>: AsyncSequence, AsyncIteratorProtocol {
  let error: Failure
  private var isOver = false
  init(error: Failure) { self.error = error }

  func makeAsyncIterator() -> Refusing { self }
  mutating func next(isolation: isolated (any Actor)?) async throws(Failure) -> Int? {
    if isOver { throw error }
    isOver = true
    return 1
  }
}

/// Its element comes when somebody resumes it, whoever cancels the task.
private struct Deaf: AsyncSequence {
  typealias Failure = Never

  final class Iterator: AsyncIteratorProtocol {
    private let ended: DispatchSemaphore
    private let suspend: @Sendable (CheckedContinuation<Void, Never>) -> Void

    init(_ sequence: Deaf) { (ended, suspend) = (sequence.ended, sequence.suspend) }
    deinit { ended.signal() }

    func next(isolation: isolated (any Actor)?) async -> Int? {
      await withCheckedContinuation { suspend($0) }
      return 1
    }
  }

  private let ended: DispatchSemaphore
  private let suspend: @Sendable (CheckedContinuation<Void, Never>) -> Void

  init(
    _ ended: DispatchSemaphore,
    suspend: @escaping @Sendable (CheckedContinuation<Void, Never>) -> Void
  ) {
    (self.ended, self.suspend) = (ended, suspend)
  }

  func makeAsyncIterator() -> Iterator { Iterator(self) }
}

/// 1, 2, … without ever being suspended.
private struct Endless: AsyncSequence {
  typealias Failure = Never
  let ended: @Sendable () -> Void

  final class Iterator: AsyncIteratorProtocol {
    private var element = 0
    private let ended: @Sendable () -> Void
    init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }
    deinit { ended() }
    func next(isolation: isolated (any Actor)?) async -> Int? {
      element += 1
      return element
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(ended) }
}

/// A class that is not Sendable.
private final class Unshared: AsyncSequence, AsyncIteratorProtocol {
  typealias Failure = Never
  private var elements: [Int]
  init(elements: [Int]) { self.elements = elements }
  func makeAsyncIterator() -> Unshared { self }
  func next(isolation: isolated (any Actor)?) async -> Int? {
    elements.isEmpty ? nil : elements.removeFirst()
  }
}
