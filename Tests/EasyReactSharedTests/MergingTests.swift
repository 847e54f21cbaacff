import EasyReact
import EasyReactTesting
import Foundation
import Testing

@testable import EasyReactShared

/// `merge` where what waits is joined: contract 20.5 beside 20.6.
@Suite(.watched) struct MergingTests {
  private typealias Tags = Set<Int>

  @Sendable private static func merge(base: Tags?, mine: Tags?, theirs: Tags?) -> Tags? {
    let base = base ?? [], mine = mine ?? [], theirs = theirs ?? []
    return theirs.union(mine.subtracting(base)).subtracting(base.subtracting(mine))
  }

  private func nodes(_ clocks: [VirtualScheduler], limit: Int, _ telling: SharedTelling)
    -> [SharedNode<Tags>]
  {
    let first = MemoryStore(limit: limit, on: clocks[0])
    let stores = [first] + clocks.dropFirst().map { MemoryStore(sharing: first, on: $0) }
    let nodes = stores.map {
      $0.node("tags", of: Tags.self, telling: telling, merge: Self.merge)
    }
    settle(clocks)
    nodes[0].value = []
    settle(clocks)
    return nodes
  }

  private func settle(_ clocks: [VirtualScheduler]) {
    for _ in 0..<20 { for clock in clocks { clock.advance(by: .seconds(2)) } }
  }

  @Test(arguments: [1_000, 1])
  func `20.5, 20.6 a set that is joined with an update began where that did`(_ limit: Int) {
    let clocks = [VirtualScheduler(), VirtualScheduler()]
    let nodes = nodes(clocks, limit: limit, .newest), (here, there) = (nodes[0], nodes[1])
    here.value = [1, 2]
    settle(clocks)
    there.value = [1, 2, 4]
    clocks[1].advance(by: .seconds(1))
    here.update { $0.insert(3) }
    here.value = [2, 3]  // 1 is taken away
    settle(clocks)
    #expect(here.value == [2, 3, 4] && there.value == [2, 3, 4])
    #expect(here.status.current.joinedCount == (limit == 1 ? 1 : 0))
  }

  /// What was made anew on what others set begins there.
  @Test func `20.5, 20.6 a set that is joined with an update that ran again begins where that did`()
  {
    var state = ReplicaState<Tags>(
      ReplicaRules(limit: 1, merge: { Self.merge(base: $0, mine: $1, theirs: $2) }), writer: 1)
    func receive(_ revision: UInt64, _ value: Tags, _ problem: SharedProblem? = nil) {
      let envelope = Envelope(writer: 2, sequence: revision, count: revision)
      state.received(
        .init(revision: revision, value: value, envelope: envelope, problem: problem))
      while state.isToBeTold { _ = state.nextTold() }
    }
    receive(1, [1])
    state.becameCurrent()
    while state.isToBeTold { _ = state.nextTold() }
    _ = state.changed(
      by: {
        $0?.insert(9)
        return true
      }, sequence: 1)
    receive(2, [1, 2])
    #expect(state.shown == [1, 2, 9])
    state.heard([2, 9], sequence: 2)  // 1 is taken away
    receive(3, [1, 2, 3])
    #expect(state.shown == [2, 3, 9])
  }

  @Test(arguments: [(1_000, SharedTelling.newest), (2, .newest), (2, .every), (1, .newest)])
  func `20.5, 20.6 whatever is joined, what was added is there, and what was removed is not`(
    _ limit: Int, _ telling: SharedTelling
  ) {
    for seed in UInt64(1)...150 {
      var dice = Dice(seed: seed)
      let clocks = (0..<(2 + dice.below(2))).map { _ in VirtualScheduler() }
      let nodes = nodes(clocks, limit: limit, telling)
      var expected = Tags()
      for step in 1...(10 + dice.below(30)) {
        let node = nodes[dice.below(nodes.count)], now = node.value!
        let gone = now.isEmpty ? nil : now.sorted()[dice.below(now.count)]
        switch dice.below(8) {
        case 0, 1:
          expected.insert(step)
          node.value = now.union([step])
        case 2:
          if let gone { expected.remove(gone) }
          node.value = now.filter { $0 != gone }
        case 3:
          expected.insert(step)
          node.update { $0.insert(step) }
        case 4:
          if let gone { expected.remove(gone) }
          node.update { $0 = $0.filter { $0 != gone } }
        default: clocks[dice.below(clocks.count)].advance(by: .milliseconds(dice.below(3) * 10))
        }
      }
      settle(clocks)
      #expect(nodes.allSatisfy { $0.value == expected }, "seed \(seed)")
    }
  }
}
