import Dispatch
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

  /// What is made, becomes a node of its own, is set and dropped, all while another thread is inside: it is gone
  /// with the last of its own messages, and the sets behind those do not run it.
  @Test func `7.3 sets that wait do not run what was dropped before them`() {
    let rounds = 500
    let node = MutableNode(-1), runs = Tally(), told = Tally()
    let listening = node.listen { _ in told.add() }
    whileInside(node, settingTo: -2) {
      for round in 0..<rounds {
        let end = node.map {
          runs.add()
          return $0
        }.filter { _ in true }.map { $0 }
        let heard = end.listen { _ in }
        end.mutablify().value = round
        heard.cancel()
        node.value = round
      }
    }
    #expect(settle())
    #expect(told.count == rounds + 2)
    #expect(runs.count <= 2 * rounds)
    #expect(!node.hasDownstreamNode)
    #expect(checkInvariants([node]) == [])
    listening.cancel()
  }

  @Test func `7.2 what waits for a node is told in order where the node becomes mutable meanwhile`()
  {
    let node = MutableNode(0), heard = Journal<Int>()
    let middle = node.map { $0 * 10 }, end = middle.map { $0 + 1 }
    let listening = end.listen { heard.note($0) }
    whileInside(node, settingTo: 1) {
      end.mutablify().value = 100
      node.value = 2
      middle.mutablify().value = 200
      end.mutablify().value = 300
      node.value = 3
    }
    end.mutablify().value = 400
    #expect(settle())
    #expect(heard.entries.filter { $0 % 100 == 0 } == [100, 300, 400])
    #expect(heard.entries.filter { [1, 201].contains($0) } == [1, 201])
    #expect(heard.entries.filter { [11, 21, 31].contains($0) } == [11, 21, 31])
    #expect(checkInvariants([node, middle, end]) == [])
    listening.cancel()
  }

  @Test func `7.3 what is attached by messages is told in the order of the messages`() {
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

  /// What dies while another thread is inside is told to that one: it hears of each by itself, on a small stack.
  @Test func `7.3 many that died meanwhile are freed without recursion`() {
    let (count, stack) = Sanitizer.isPresent ? (900, 512 * 1024) : (20_000, 128 * 1024)
    let node = MutableNode(0)
    let isInside = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0)
    let listening = node.listen {
      if $0 == 1 {
        isInside.signal()
        wait(for: mayGoOn)
      }
    }
    onThreads(2) { member in
      if member == 0 { return onSmallStack(bytes: stack) { node.value = 1 } }
      wait(for: isInside)
      for _ in 0..<count { _ = node.map { $0 } }
      mayGoOn.signal()
    }
    #expect(settle())
    #expect(!node.hasDownstreamNode)
    #expect(checkInvariants([node]) == [])
    listening.cancel()
  }
}
