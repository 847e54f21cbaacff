#if canImport(Combine) || OpenCombine
import EasyReact
import EasyReactCombine
import EasyReactTesting
import Synchronization
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// Contract, 17: nodes that follow publishers.
@Suite struct `17 Following` {
  private final class Model {
    @Published var name = "Ada"
  }

  @Test func `17 a subject's values, its present one at once, each before send returns`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    let node = Node.following(subject), doubled = node.map { $0 * 2 }
    #expect(node.value == 1)
    #expect(!node.isMutable)
    subject.send(2)
    #expect(doubled.value == 4)
    subject.send(completion: .finished)
    #expect(doubled.value == 4)
  }

  @Test func `17 a passthrough subject's: empty before the first`() {
    let subject = PassthroughSubject<String, Never>()
    let node = Node.following(subject), told = Recorder(node)
    #expect(node.isEmpty)
    for text in ["a", "b"] { subject.send(text) }
    #expect(told.values == ["a", "b"])
  }

  @Test func `17 a published property's`() {
    let model = Model()
    let told = Recorder(Node.following(model.$name).map { $0.count })
    model.name = "Grace"
    #expect(told.values == [3, 5])
  }

  @Test func `17 of a publisher that may fail: results, of which the failure is the last`() {
    let subject = PassthroughSubject<Int, Refusal>()
    let node = Node.following(subject), told = Recorder(node)
    subject.send(1)
    subject.send(completion: .failure(Refusal()))
    #expect(told.values == [.success(1), .failure(Refusal())])
    #expect(node.replaceError(with: 0).value == 0)
    let failed: Node<Result<Int, Refusal>> = Node.following(Fail<Int, Refusal>(error: Refusal()))
    #expect(failed.value == .failure(Refusal()))
  }

  @Test func `17 what is told and over when it subscribes: Just, a sequence, Empty`() {
    #expect(Node.following(Just(1)).value == 1)
    #expect(Node.following([1, 2, 3].publisher).value == 3)
    #expect(Node.following(Empty<Int, Never>()).isEmpty)
    #expect(
      Node.following(Just("x").tryMap { _ in throw Refusal() }.map { 1 }).value?.isFailure == true)
  }

  @Test func `17 the node's end cancels the subscription, and releases what it kept`() throws {
    let lives = LifetimeTracker(), subject = CurrentValueSubject<Int, Never>(1),
      events = Notes<String>()
    try expectFreed {
      let publisher = subject.handleEvents(receiveCancel: { events.note("cancelled") })
        .map { [token = lives.track(Token(), "token")] in
          keepAlive(token)
          return $0
        }
      let told = Recorder(lives.track(Node.following(publisher), "node").map { $0 + 1 })
      subject.send(2)
      #expect(told.values == [2, 3])
      #expect(Set(lives.alive) == ["token", "node"])
    }
    #expect(events.entries == ["cancelled"])
    #expect(lives.alive == [])
    subject.send(3)
  }

  @Test func `17 a publisher's end releases its subscription`() {
    let lives = LifetimeTracker(), subject = PassthroughSubject<Int, Never>()
    let node = Node.following(
      subject.map { [token = lives.track(Token(), "token")] in
        keepAlive(token)
        return $0
      })
    subject.send(1)
    subject.send(completion: .finished)
    #expect(lives.alive == [])
    #expect(node.value == 1)
  }

  @Test func `17 dropped by its own listener it hears no more`() {
    let subject = PassthroughSubject<Int, Never>(), bag = CancelableBag(), heard = Notes<Int>()
    Node.following(subject).listen { [weak bag] value in
      heard.note(value)
      if value == 2 { bag?.cancel() }
    }.store(in: bag)
    for value in 1...4 { subject.send(value) }
    #expect(heard.entries == [1, 2])
  }

  @Test func `17 a publisher that subscribes it late, twice or after its end is cancelled`() {
    final class Loose: Publisher, @unchecked Sendable {
      // Unchecked: one thread.
      typealias Output = Int
      typealias Failure = Never
      var subscribe: ((any Subscription) -> Void)?
      func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscribe = { subscriber.receive(subscription: $0) }
      }
    }
    final class Counted: Subscription {
      let events = Notes<String>()
      func request(_ demand: Subscribers.Demand) { events.note("asked for \(demand)") }
      func cancel() { events.note("cancelled") }
    }
    let loose = Loose(), subscriptions = (0..<3).map { _ in Counted() }
    var node: Node<Int>? = Node.following(loose)
    loose.subscribe?(subscriptions[0])
    loose.subscribe?(subscriptions[1])
    #expect(subscriptions[0].events.entries == ["asked for unlimited"])
    #expect(subscriptions[1].events.entries == ["cancelled"])
    keepAlive(node)
    node = nil
    #expect(subscriptions[0].events.entries == ["asked for unlimited", "cancelled"])
    loose.subscribe?(subscriptions[2])
    #expect(subscriptions[2].events.entries == ["cancelled"])
  }

  @Test func `17 its edge is seen at the node, by its name, and cutting it cancels`() throws {
    let events = Notes<String>(), subject = CurrentValueSubject<Int, Never>(1)
    let node = Node.following(subject.handleEvents(receiveCancel: { events.note("cancelled") }))
    #expect(node.upstreamTransforms.map(\.name) == ["Following"])
    do {
      let transform = try #require(node.upstreamTransforms.first as? NodeTransform<Never, Int>)
      transform.to = nil
    }
    #expect(events.entries == ["cancelled"])
    #expect(node.value == 1)
  }

  @Test func `17 there and back: a node's own publisher`() {
    let source = MutableNode(1)
    let node = Node.following(source.publisher.map { $0 * 10 })
    let told = Recorder(node)
    for value in 2...4 { source.value = value }
    #expect(told.values == [10, 20, 30, 40])
  }

  @Test func `17 joins over publishers' nodes tell no mixture in a batch of sends`() {
    let a = CurrentValueSubject<Int, Never>(1)
    let node = Node.following(a)
    let told = Recorder(node.map { $0 + 1 }.combine(node.map { $0 * 10 }).map { [$0, $1] })
    a.send(2)
    #expect(told.values == [[2, 10], [3, 20]])
  }

  @Test func `17 sends from threads are told one at a time, none is lost`() {
    for _ in 0..<20 {
      // Unsafe: Combine's subjects may be sent to by any thread.
      nonisolated(unsafe) let subject = PassthroughSubject<Int, Never>()
      let told = Recorder(Node.following(subject))
      onThreads(3) { thread in for number in 0..<100 { subject.send(thread * 1_000 + number) } }
      #expect(told.values.count == 300)
      for thread in 0..<3 {
        let own = told.values.filter { $0 / 1_000 == thread }
        #expect(own == own.sorted())
      }
    }
  }
}

extension Result {
  fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
#endif
