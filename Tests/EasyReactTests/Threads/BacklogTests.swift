import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 7.3: what is left with another thread is worked off in time linear in it.
@Suite(.watched) struct BacklogTests {
  /// Counts how often a wave met an edge that is cut or not attached yet, from or to nodes of a name.
  private final class CutEdges: GraphTracer {
    let met = Tally()
    func trace(_ event: GraphEvent) {
      if case .stopped(.cut) = event.kind, event.name == "backlog" { met.add() }
    }
  }

  enum Made: CaseIterable, Sendable { case listener, ownedListener, map }

  /// `rounds` sets, and as many edges that are made and dropped again, wait for a thread that is
  /// inside the node. Counted is what the waves look at besides what they tell.
  @Test(arguments: Made.allCases)
  func `7.3 sets that wait do not look at edges that wait behind them`(made: Made) {
    let rounds = 500
    let tracer = CutEdges()
    traced(by: tracer) {
      let node = MutableNode(-1).named("backlog"), told = Tally()
      let listening = node.listen { _ in told.add() }
      whileInside(node, settingTo: -2) {
        for round in 0..<rounds {
          switch made {
          case .listener: node.listen { _ in }.cancel()
          case .ownedListener: node.listen(by: told) { _, _ in }.cancel()
          case .map: _ = node.map { $0 }.named("backlog")
          }
          node.value = round
        }
      }
      #expect(settle())
      #expect(told.count == rounds + 2)
      #expect(tracer.met.count <= rounds)
      #expect(!node.hasDownstreamNode)
      #expect(checkInvariants([node]) == [])
      listening.cancel()
    }
  }

  @Test func `7.3 what is attached by letters is told in the order of the letters`() {
    let node = MutableNode(0), heard = Journal<String>(), listenings = Journal<Listening>()
    whileInside(node, settingTo: 1) {
      for number in 0..<3 {
        listenings.note(node.listen { heard.note("\(number):\($0)") })
        node.value = 10 + number
      }
    }
    #expect(settle())
    // The first hears the value before it, and each later one has begun one value later.
    #expect(
      heard.entries == [
        "0:1", "0:10", "1:10", "0:11", "1:11", "2:11", "0:12", "1:12", "2:12",
      ])
    #expect(checkInvariants([node]) == [])
  }

  @Test
  func `7.3 a starting edge in the middle of those that wait may be cut before it is attached`() {
    let node = MutableNode(0), heard = Journal<String>(), kept = Journal<Listening>()
    let first = node.listen { _ in }
    whileInside(node, settingTo: 1) {
      for number in 0..<6 {
        let listening = node.listen { heard.note("\(number):\($0)") }
        if number % 2 == 0 { listening.cancel() } else { kept.note(listening) }
      }
      node.value = 2
    }
    #expect(settle())
    #expect(heard.entries == ["1:1", "3:1", "5:1", "1:2", "3:2", "5:2"])
    #expect(node.listenerCount == 4)
    #expect(checkInvariants([node]) == [])
    first.cancel()
    _ = kept.take()
    #expect(!node.hasListener)
    #expect(checkInvariants([node]) == [])
  }
}
