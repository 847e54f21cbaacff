import Dispatch
import EasyReact
import EasyReactTesting
import Testing

/// Contract, sections 1.3, 5.1, 7, 9.1, 9.4 and 9.8, of every operator; and what becomes of events.
@Suite("10 Every operator", .watched) struct EveryOperatorTests {
  @Test(arguments: OperatorCase.all)
  func `9.8 an operator made and dropped leaves nothing behind`(_ operation: OperatorCase) {
    let clock = VirtualScheduler()
    let lives = LifetimeTracker()
    let a = MutableNode(1), other = MutableNode(2)
    for round in 0..<30 {
      var made: OperatorCase.Made? = operation.make(a, other, clock)
      _ = lives.track(made!.node, "\(round)")
      a.value = round
      if round.isMultiple(of: 2) { clock.advance(by: .milliseconds(300)) }
      let listening = made!.listen {}
      made = nil
      a.value = round
      listening.cancel()
      #expect(lives.alive == [])
    }
    // Hops cannot be taken back.
    #expect(clock.pendingCount == 0 || operation.name.contains("on:"))
    clock.run()
    #expect(clock.pendingCount == 0)
    #expect(a.downstreamTransforms.isEmpty && other.downstreamTransforms.isEmpty)
    #expect(a.listenerCount == 0)
    #expect(checkInvariants([a, other]) == [])
  }

  @Test(arguments: OperatorCase.all)
  func `9.1 a listening of the result keeps all that it comes from, and releasing it frees all`(
    _ operation: OperatorCase
  ) {
    let clock = VirtualScheduler()
    let lives = LifetimeTracker()
    let source = MutableNode(1), other = MutableNode(2)
    let heard = Tally()
    var listening: Listening? = {
      let a = lives.track(source.map { $0 }.mutablify(), "upstream")
      return operation.make(a, other, clock).listen { heard.add() }
    }()
    #expect(lives.alive == ["upstream"])
    source.value = 2
    source.value = 3
    clock.run()
    #expect(heard.count > 0)
    keepAlive(listening)
    listening = nil
    #expect(lives.alive == [])
    #expect(!source.hasDownstreamNode)
    #expect(checkInvariants([source, other]) == [])
  }

  @Test(arguments: OperatorCase.all)
  func `1.3 an emptied upstream is not told, and the result is as it was`(_ operation: OperatorCase)
  {
    let clock = VirtualScheduler()
    let a = MutableNode(1), other = MutableNode(2)
    let made = operation.make(a, other, clock)
    a.value = 1
    a.value = 1
    clock.run()
    let heard = Tally()
    let listening = made.listen { heard.add() }
    let before = heard.take()
    let was = made.node.isEmpty
    a.clean()
    clock.run()
    #expect(heard.count == 0)
    #expect(made.node.isEmpty == (was || operation.followsEmptiness))
    #expect(before == (was ? 0 : 1))
    #expect(checkInvariants([a, other]) == [])
    keepAlive(listening)
  }

  @Test(arguments: OperatorCase.all)
  func `8.1 the context of a set goes along`(_ operation: OperatorCase) {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>(), other = MutableNode(2)
    let made = operation.make(a, other, clock)
    let contexts = Journal<String>()
    // Behind the result, so that the edge away from it carries the context too.
    let probe = MutableNode<Int>()
    made.close(probe)
    let listening = probe.listenToChanges { contexts.note($0.context as? String ?? "-") }
    contexts.take().forEach { _ in }
    a.set(1, context: "first")
    a.set(1, context: "second")
    clock.run()
    let heard = contexts.entries.filter { $0 != "-" }
    #expect(!heard.isEmpty)
    #expect(Set(heard).isSubset(of: ["first", "second"]))
    keepAlive(listening)
  }

  @Test(arguments: OperatorCase.all)
  func `2.4 a result that was cut off is told nothing more, nor what waited for a timer`(
    _ operation: OperatorCase
  ) {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>(), other = MutableNode(2)
    let made = operation.make(a, other, clock)
    let heard = Tally()
    let listening = made.listen { heard.add() }
    for value in 1...3 { a.value = value }
    made.node.wiring.removeUpstreamNodes()
    _ = heard.take()
    for value in 1...30 {
      a.value = value
      other.value = value
      clock.advance(by: .milliseconds(300))
    }
    clock.run()
    #expect(heard.count == 0)
    #expect(!made.node.hasUpstreamNode)
    #expect(checkInvariants([a, other, made.node]) == [])
    keepAlive(listening)
  }

  @Test(arguments: OperatorCase.all)
  func `5.1 a ring over the operator ends`(_ operation: OperatorCase) {
    let clock = VirtualScheduler(bound: 10_000)
    let a = MutableNode<Int>(), other = MutableNode(2)
    let made = operation.make(a, other, clock)
    made.close(a)
    let heard = Tally()
    let listening = made.listen { heard.add() }
    a.value = 1
    clock.run()
    a.value = 1
    clock.run()
    #expect(heard.count < 20)
    a.wiring.removeUpstreamNodes()
    #expect(checkInvariants([a, other]) == [])
    keepAlive(listening)
  }

  @Test(arguments: OperatorCase.all)
  func `7.2 two threads that set: each value is told once where the operator tells each`(
    _ operation: OperatorCase
  ) {
    let clock = VirtualScheduler()
    let a = MutableNode<Int>(), other = MutableNode(2)
    let made = operation.make(a, other, clock)
    let heard = Tally()
    let listening = made.listen { heard.add() }
    let before = heard.take()
    let done = DispatchSemaphore(value: 0)
    for setter in 0..<2 {
      DispatchQueue.global().async {
        for value in 1...150 { a.value = value * 2 + setter }
        done.signal()
      }
    }
    for _ in 0..<2 { wait(for: done) }
    #expect(settle())
    clock.run()
    if operation.tellsEach { #expect(heard.count == 300, "first it was told \(before) times") }
    #expect(heard.count > 0 || operation.name == "select(_:)")
    #expect(checkInvariants([a, other]) == [])
    keepAlive(listening)
  }

  @Test(arguments: OperatorCase.all)
  func `9 cut, released and set from three threads, it leaves the graph whole`(
    _ operation: OperatorCase
  ) {
    let clock = VirtualScheduler()
    let a = MutableNode(1), other = MutableNode(2)
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      for value in 1...100 { a.value = value }
      done.signal()
    }
    for _ in 0..<2 {
      DispatchQueue.global().async {
        for round in 0..<40 {
          let made = operation.make(a, other, clock)
          let listening = made.listen {}
          a.value = -round
          if round.isMultiple(of: 3) { made.node.wiring.removeUpstreamNodes() }
          listening.cancel()
        }
        done.signal()
      }
    }
    for _ in 0..<3 { wait(for: done) }
    #expect(settle())
    clock.run()
    #expect(a.downstreamTransforms.isEmpty && other.downstreamTransforms.isEmpty)
    #expect(checkInvariants([a, other]) == [])
  }

  @Test(arguments: OperatorCase.all)
  func `10.6 of an event node it tells events, keeps them, or is silent, as documented`(
    _ operation: OperatorCase
  ) {
    let clock = VirtualScheduler()
    let taps = MutableNode<Int>.eventNode(), other = MutableNode(2)
    let made = operation.make(taps, other, clock)
    let heard = Tally(), late = Tally()
    let listening = made.listen { heard.add() }
    _ = heard.take()
    for _ in 0..<2 {
      taps.value = 1
      clock.advance(by: .milliseconds(1500))
    }
    let second = made.listen { late.add() }
    switch operation.ofEvent {
    case .passes:
      #expect(heard.count > 0 && late.count == 0)
      // `merge` and the like hold the value of another node until an event passes.
      #expect(made.node.isEmpty)
    case .keeps:
      #expect(heard.count > 0 && late.count == 1)
      #expect(!made.node.isEmpty)
    case .isSilent:
      #expect(heard.count == 0 && late.count == 0)
    }
    #expect(taps.isEmpty)
    #expect(checkInvariants([taps, other]) == [])
    keepAlive(listening, second)
  }
}
