import Dispatch
import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 9 with several threads: what one attaches, another ends.
///
/// Less is left to other threads at a time than what a background queue would take over, so that
/// all is at rest when the threads are done.
extension Section9 {
  private final class Prompt: ListeningOwner, Sendable {
    let listenings = CancelableBag()
  }

  /// What is left for the thread that is inside keeps its storage: a join may be reading that.
  @Test(arguments: ["link", "combine"])
  func `9.1 what was cut off while another thread is inside below is freed at once`(_ way: String) {
    let source = MutableNode(1), target = MutableNode(0)
    let lives = LifetimeTracker(), runs = Tally(), seen = Journal<[String]>()
    let listening = target.listen { value in
      if value != 7 { return }
      onThread {
        var middle: Node<Int>? = lives.track(
          source.map { runs.add() + $0 }.mutablify(), "middle")
        if way == "combine" {
          let combined = middle!.combine(target).map { $0 + $1 }
          target.wiring.link(to: combined)
          seen.note(lives.alive)
          target.wiring.removeUpstreamNodes()
        } else {
          let link = target.link(to: middle!)
          seen.note(lives.alive)
          link.cancel()
        }
        middle = nil
        seen.note(lives.alive)
        _ = runs.take()
        for value in 2...9 { source.value = value }
      }
    }
    target.value = 7
    #expect(seen.take() == [["middle"], []])
    #expect(runs.count == 0 && settle())
    #expect(target.upstreamNodes == [] && checkInvariants([source, target]) == [])
    keepAlive(listening)
  }

  @Test func `9.3 any thread may end an owner's listenings while another is attaching them`() {
    let a = MutableNode(0)
    let prompt = Prompt(), plain = Token()
    let told = Tally()
    for _ in 0..<100 {
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for round in 1...100 {
          switch thread {
          case 0: a.listen(by: prompt) { _, _ in told.add() }
          case 1: a.listen(by: plain) { _, _ in told.add() }
          case 2:
            prompt.listenings.cancel()
            a.stopListening(by: plain)
          default: a.value = round
          }
        }
      }
      prompt.listenings.cancel()
      a.stopListening(by: plain)
      #expect(!a.hasListener)
      #expect(settle())
      #expect(checkInvariants([a]) == [])
    }
    #expect(a.value == 100)
    #expect(told.count > 0)
  }

  @Test func `9.7 any thread may cut the links that another makes`() {
    let up = MutableNode(0), down = Node<Int>()
    for repetition in 0..<100 {
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for round in 1...100 {
          switch thread {
          case 0: down.wiring.link(to: up)
          case 1: down.wiring.removeUpstreamNodes()
          case 2: up.wiring.removeDownstreamNode(down)
          default: up.value = round
          }
        }
      }
      down.wiring.removeUpstreamNodes()
      let last = -1 - repetition
      up.value = last
      #expect(!up.hasDownstreamNode && !down.hasUpstreamNode)
      #expect(down.value != last)
      #expect(settle())
      #expect(checkInvariants([up, down]) == [])
    }
  }

  @Test func `9.3 what the listener of a dead owner kept may set nodes, and no batch loses that`() {
    final class Setter: Sendable {
      let node: MutableNode<Int>
      init(_ node: MutableNode<Int>) { self.node = node }
      deinit { node.value = 1 }
    }
    let a = MutableNode(0), told = MutableNode(0), owner = Token()
    do {
      let setter = Setter(told)
      a.listen(by: Token()) { _, _ in keepAlive(setter) }
    }
    #expect(throws: Refusal.self) {
      try batch {
        a.listen(by: owner) { _, _ in }
        throw Refusal()
      }
    }
    #expect(told.value == 1)
    keepAlive(owner)
  }

  @Test func `9.1 a node is let go of while another thread ends its own listening of itself`() async
  {
    // The tracer holds the thread that cancels between its decision and its first look at the graph.
    await #expect(processExitsWith: .success) {
      struct Holding: GraphTracer {
        let canceller = Journal<UInt>()
        let isHeld = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
        func trace(_ event: GraphEvent) {
          guard case .turnBegan = event.kind, canceller.entries == [threadNumber()] else { return }
          _ = canceller.take()
          isHeld.signal()
          wait(for: mayGo)
        }
      }
      let lives = LifetimeTracker(), holding = Holding()
      let nodes = Journal<Node<Int>>(), cancelables = Journal<any Cancelable>()
      do {
        let a = MutableNode(0), b = a.map { $0 }, token = lives.track(Token(), "kept")
        cancelables.note(b.listen(by: b) { _, _ in keepAlive(token) })
        nodes.note(b)
      }
      GraphTracing.install(holding)
      onThreads(2) { number in
        if number == 0 {
          holding.canceller.note(threadNumber())
          cancelables.entries[0].cancel()
          return
        }
        wait(for: holding.isHeld)
        _ = nodes.take()
        holding.mayGo.signal()
      }
      GraphTracing.install(nil)
      _ = cancelables.take()
      #expect(settle())
      #expect(lives.alive == [])
    }
  }
}
