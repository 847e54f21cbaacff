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

/// Contract, 17: a node as a publisher.
@Suite struct `17 Publisher` {
  @Test func `17 it starts with the present value, tells what comes, and never completes`() {
    let node = MutableNode(1), probe = Probe<Int>(asking: .unlimited)
    node.publisher.subscribe(probe)
    #expect(probe.heard == [1])
    node.value = 2
    node.value = 2
    node.clean()
    node.value = 3
    #expect(probe.heard == [1, 2, 2, 3])
    #expect(probe.completions == 0)
    probe.cancel()
  }

  @Test func `17 of an empty node and of an event node the first value is the first that comes`() {
    for node in [MutableNode<Int>(), .eventNode()] {
      let probe = Probe<Int>(asking: .unlimited)
      node.publisher.subscribe(probe)
      #expect(probe.heard == [])
      node.value = 1
      #expect(probe.heard == [1])
      probe.cancel()
    }
  }

  @Test func `17 the operators of the field work on it, and assign and sink do`() {
    final class Screen { var text = "" }
    let price = MutableNode(4), screen = Screen(), told = Notes<Int>()
    var cancellables: Set<AnyCancellable> = []
    price.publisher.map { "\($0) €" }.assign(to: \.text, on: screen).store(in: &cancellables)
    price.publisher.filter { $0 > 4 }.removeDuplicates().dropFirst().prefix(2)
      .sink { told.note($0) }.store(in: &cancellables)
    #expect(screen.text == "4 €")
    for value in [5, 5, 6, 7, 8] { price.value = value }
    #expect(screen.text == "8 €")
    #expect(told.entries == [6, 7])
    cancellables = []
    price.value = 9
    #expect(screen.text == "8 €")
    #expect(!price.hasListener)
  }

  @Test func `17 it feeds subjects and published properties, which keep it as Combine has it`() {
    final class Model { @Published var name = "" }
    let node = MutableNode("Ada"), model = Model(), subject = CurrentValueSubject<String, Never>("")
    node.publisher.assign(to: &model.$name)
    let cancellable = node.publisher.subscribe(subject)
    node.value = "Grace"
    #expect(model.name == "Grace" && subject.value == "Grace")
    cancellable.cancel()
    node.value = "Barbara"
    #expect(model.name == "Barbara" && subject.value == "Grace")
  }

  @Test func `17 demand is honoured: what came meanwhile is the newest`() {
    let node = MutableNode(1), probe = Probe<Int>()
    node.publisher.subscribe(probe)
    node.value = 2
    #expect(probe.heard == [])
    probe.request(.max(1))
    #expect(probe.heard == [2])
    for value in 3...5 { node.value = value }
    #expect(probe.heard == [2])
    probe.request(.max(3))
    #expect(probe.heard == [2, 5])
    for value in 6...9 { node.value = value }
    #expect(probe.heard == [2, 5, 6, 7])
    probe.request(.unlimited)
    #expect(probe.heard == [2, 5, 6, 7, 9])
    node.value = 10
    #expect(probe.heard == [2, 5, 6, 7, 9, 10])
    probe.cancel()
  }

  @Test func `17 what a call of receive asks for counts; to ask for none changes nothing`() {
    let node = MutableNode(1)
    let probe = Probe<Int>(asking: .max(1)) { _, value in value < 3 ? .max(1) : .none }
    node.publisher.subscribe(probe)
    for value in 2...5 { node.value = value }
    #expect(probe.heard == [1, 2, 3])
    probe.request(.none)
    #expect(probe.heard == [1, 2, 3])
    probe.request(.max(1))
    #expect(probe.heard == [1, 2, 3, 5])
    probe.cancel()
  }

  @Test func `17 each subscriber has its own demand, and several of one publisher hear all`() {
    let node = MutableNode(0), publisher = node.publisher
    let slow = Probe<Int>(asking: .max(1)), fast = Probe<Int>(asking: .unlimited)
    publisher.subscribe(slow)
    publisher.subscribe(fast)
    for value in 1...3 { node.value = value }
    #expect(slow.heard == [0])
    #expect(fast.heard == [0, 1, 2, 3])
    slow.cancel()
    node.value = 4
    #expect(fast.heard == [0, 1, 2, 3, 4])
    #expect(node.listenerCount == 1)
    fast.cancel()
    #expect(!node.hasListener)
  }

  @Test func `17 cancelled it tells nothing, also what is asked for then; twice is harmless`() {
    let node = MutableNode(1), probe = Probe<Int>(asking: .max(1))
    node.publisher.subscribe(probe)
    node.value = 2
    probe.cancel()
    probe.cancel()
    probe.request(.unlimited)
    node.value = 3
    #expect(probe.heard == [1])
    #expect(!node.hasListener)
  }

  @Test func `17 cancel releases everything: node, subscriber and what waits`() throws {
    let tokens = LifetimeTracker()
    try expectFreed {
      let node = MutableNode(tokens.track(Token(), "value")),
        probe = tokens.track(Probe<Token>(), "probe")
      tokens.track(node.map { $0 }, "derived").publisher.subscribe(probe)
      #expect(tokens.alive == ["value", "probe", "derived"])
      probe.cancel()
    }
    #expect(tokens.alive == [])
  }

  @Test func `17 a subscription keeps the node and what leads to it`() {
    let lives = LifetimeTracker(), source = MutableNode(1)
    let cancellable = lives.track(source.map { $0 * 2 }, "derived").publisher.sink { _ in }
    #expect(lives.alive == ["derived"])
    cancellable.cancel()
    #expect(lives.alive == [])
    keepAlive(source)
  }

  @Test func `17 what waited is freed when a newer one comes, and under no lock`() {
    final class Echo: Sendable {
      let end: @Sendable () -> Void
      init(_ end: @escaping @Sendable () -> Void) { self.end = end }
      deinit { end() }
    }
    let node = MutableNode<Echo>(), probe = Probe<Echo>(), ended = Notes<Int>()
    node.publisher.subscribe(probe)
    for number in 1...3 {
      node.value = Echo {
        ended.note(number)
        probe.request(.none)  // the same lock
      }
    }
    #expect(ended.entries == [1, 2])
    probe.cancel()
    node.clean()
    #expect(ended.entries == [1, 2, 3])
  }
}

/// Contract, 17: what a subscriber does inside of a call.
@Suite struct `17 Re-entrance` {
  @Test func `17 a subscriber that sets the node hears that when it has returned, in order`() {
    let node = MutableNode(1)
    let probe = Probe<Int>(asking: .unlimited) { _, value in
      if value < 5 { node.value = value + 1 }
      return .none
    }
    node.publisher.subscribe(probe)
    #expect(probe.heard == [1, 2, 3, 4, 5])
    #expect(probe.overlaps == 0)
    node.value = 3
    #expect(probe.heard == [1, 2, 3, 4, 5, 3, 4, 5])
    probe.cancel()
  }

  @Test
  func `17 several sets inside of a call that was asked for all come, where all were asked for`() {
    let node = MutableNode(0)
    let probe = Probe<Int>() { _, value in
      if value == 0 { for next in 1...3 { node.value = next } }
      return .none
    }
    node.publisher.subscribe(probe)
    probe.request(.unlimited)  // outside of a notification: each set calls back at once
    #expect(probe.heard == [0, 1, 2, 3])
    #expect(probe.overlaps == 0)
    probe.cancel()
  }

  @Test func `17 a hundred thousand sets from inside use no more stack than one`() {
    let node = MutableNode(0)
    let probe = Probe<Int>() { _, value in
      if value < 100_000 { node.value = value + 1 }
      return .none
    }
    node.publisher.subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.heard == Array(0...100_000))
    probe.cancel()
  }

  @Test func `17 a subscriber may ask inside of a call, without being called inside of it`() {
    let node = MutableNode(0)
    let probe = Probe<Int>(asking: .max(1)) { probe, _ in
      probe.request(.max(1))
      return .none
    }
    node.publisher.subscribe(probe)
    for value in 1...100 { node.value = value }
    #expect(probe.heard == Array(0...100))
    #expect(probe.overlaps == 0)
    probe.cancel()
  }

  @Test func `17 a subscriber that cancels inside of a call is not called again`() {
    let node = MutableNode(0)
    let probe = Probe<Int>(asking: .unlimited) { probe, value in
      if value == 2 {
        node.value = 3
        probe.cancel()
        node.value = 4
      }
      return .max(1)
    }
    node.publisher.subscribe(probe)
    for value in 1...2 { node.value = value }
    #expect(probe.heard == [0, 1, 2])
    #expect(!node.hasListener)
  }

  @Test func `17 a subscriber that cancels when it is subscribed leaves no listener`() {
    final class Refusing: Subscriber {
      typealias Failure = Never
      func receive(subscription: any Subscription) { subscription.cancel() }
      func receive(_: Int) -> Subscribers.Demand { .none }
      func receive(completion: Subscribers.Completion<Never>) {}
    }
    let node = MutableNode(1)
    node.publisher.subscribe(Refusing())
    #expect(!node.hasListener)
  }

  @Test func `17 two publishers and two nodes round a ring end`() {
    let a = MutableNode(0), b = MutableNode(0)
    let there = a.publisher.sink { if $0 < 100 { b.value = $0 + 1 } }
    let back = b.publisher.sink { if $0 < 100 { a.value = $0 + 1 } }
    #expect(max(a.current, b.current) == 100)
    there.cancel()
    back.cancel()
  }
}

/// Contract, 17: the same done to a node and to a subject of Combine.
@Suite struct `17 Side by side` {
  /// Sets, requests, cancellations and answers at random: both tell the same.
  @Test func `17 demand and cancellation as a CurrentValueSubject has them, on random programs`() {
    for seed in 1...UInt64(2_000) {
      var random = SeededGenerator(seed: seed)
      let node = MutableNode(0), subject = CurrentValueSubject<Int, Never>(0)
      let answers = (0..<40).map { _ in random.below(4) == 0 ? random.below(3) : 0 }
      let first = Subscribers.Demand.max(random.below(3))
      let probes = (0..<2).map { _ in
        Probe<Int>(asking: first) { _, value in .max(answers[value % answers.count]) }
      }
      node.publisher.subscribe(probes[0])
      subject.subscribe(probes[1])
      var program: [String] = []
      for step in 1...30 {
        let choice = random.below(12)
        switch choice {
        case 0: probes.forEach { $0.request(.max(3)) }
        case 1, 2: probes.forEach { $0.request(.max(1)) }
        case 3 where random.below(4) == 0: probes.forEach { $0.request(.unlimited) }
        case 4 where random.below(8) == 0: probes.forEach { $0.cancel() }
        default:
          node.value = step
          subject.value = step
        }
        program.append("\(choice)")
        #expect(
          probes[0].heard == probes[1].heard, "seed \(seed): \(program.joined(separator: " "))")
        if probes[0].heard != probes[1].heard { return }
      }
      probes.forEach { $0.cancel() }
    }
  }

  @Test func `17 operators that manage demand tell the same of both`() {
    func told(
      _ make: (AnyPublisher<Int, Never>) -> AnyPublisher<Int, Never>
    ) -> (node: [Int], subject: [Int]) {
      let node = MutableNode(0), subject = CurrentValueSubject<Int, Never>(0)
      let heard = (Notes<Int>(), Notes<Int>())
      let cancellables = [
        make(node.publisher.eraseToAnyPublisher()).sink { heard.0.note($0) },
        make(subject.eraseToAnyPublisher()).sink { heard.1.note($0) },
      ]
      for value in 1...10 {
        node.value = value
        subject.value = value
      }
      cancellables.forEach { $0.cancel() }
      return (heard.0.entries, heard.1.entries)
    }
    let all = (0...10).publisher
    let results = [
      told { $0.prefix(3).eraseToAnyPublisher() },
      told { $0.zip(all).map { $0 * 100 + $1 }.eraseToAnyPublisher() },
      told { $0.flatMap(maxPublishers: .max(1)) { Just($0) }.eraseToAnyPublisher() },
      told { $0.buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher() },
      told { $0.map { Just($0 * 2) }.switchToLatest().eraseToAnyPublisher() },
      told { $0.scan(0, +).removeDuplicates().share().eraseToAnyPublisher() },
      told { $0.output(in: 2...4).eraseToAnyPublisher() },
      told { $0.prepend(7).append(8).eraseToAnyPublisher() },
    ]
    for (number, result) in results.enumerated() {
      #expect(result.node == result.subject, "operator \(number)")
      #expect(!result.node.isEmpty, "operator \(number)")
    }
  }
}

/// Contract, 17 beside 7.
@Suite struct `17 Threads` {
  @Test
  func
    `17 set by threads, a subscriber is called one at a time and hears all it asked for, in order`()
  {
    for _ in 0..<30 {
      let node = MutableNode(-1), probe = Probe<Int>(asking: .unlimited)
      node.publisher.subscribe(probe)
      onThreads(3) { thread in for number in 0..<100 { node.value = thread * 1_000 + number } }
      #expect(probe.overlaps == 0)
      #expect(probe.heard.count == 301)
      for thread in 0..<3 {
        let own = probe.heard.filter { $0 >= 0 && $0 / 1_000 == thread }
        #expect(own == own.sorted() && own.count == 100)
      }
      probe.cancel()
    }
  }

  @Test
  func
    `17 asked by one thread while others set: no more than asked for, rising, the last included`()
  {
    for _ in 0..<30 {
      let node = MutableNode(0), probe = Probe<Int>()
      node.publisher.subscribe(probe)
      onThreads(2) { thread in
        for number in 1...200 {
          if thread == 0 { node.value = number } else if number % 2 == 0 { probe.request(.max(1)) }
        }
      }
      #expect(probe.overlaps == 0)
      #expect(probe.heard.count <= 100)
      #expect(probe.heard == probe.heard.sorted() && Set(probe.heard).count == probe.heard.count)
      probe.request(.max(200))
      #expect(probe.heard.last == 200)
      probe.cancel()
    }
  }

  @Test
  func
    `17 cancelled while another thread sets, it hears a run of what is told, and nothing is left`()
  {
    for _ in 0..<50 {
      let node = MutableNode(0), probe = Probe<Int>(asking: .unlimited)
      node.publisher.subscribe(probe)
      onThreads(2) { thread in
        if thread == 0 { for number in 1...100 { node.value = number } } else { probe.cancel() }
      }
      #expect(probe.heard == Array(0..<probe.heard.count))
      #expect(!node.hasListener)
    }
  }
}
#endif
