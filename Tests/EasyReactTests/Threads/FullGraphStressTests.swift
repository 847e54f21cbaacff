import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// One graph with every shape in it. Some threads set it; others change it, look at it and let go of
/// parts of it meanwhile. What stays is held to its whole history.
@Suite(.watched) struct FullGraphStressTests {
  private static let count = 40

  /// What all threads share.
  private final class World: Sendable {
    // Set by one thread each, so that their order is known.
    let sources = (0..<2).map { MutableNode(WordStamp($0 + 1, 0)) }
    let synced = (0..<2).map { _ in MutableNode(WordStamp(0, 0)) }
    let ring = (0..<3).map { _ in MutableNode(WordStamp(0, 0)) }
    let outer = MutableNode(0)
    let counter = MutableNode(0)
    let merged: Node<WordStamp>
    let joined: Node<[WordStamp]>
    let zipped: Node<[WordStamp]>
    let flat: Node<WordStamp>
    let delivered: Node<WordStamp>
    /// Re-pointed, linked and cut by anybody.
    let loose = MutableNode<WordStamp>()
    let transform = NodeTransform<WordStamp, WordStamp>()

    let atSources = (0..<2).map { _ in Heard<WordStamp>(letsOthersRunEvery: 3) }
    let atSynced = Heard<WordStamp>(), atMerged = Heard<WordStamp>(), atFlat = Heard<WordStamp>()
    let atDelivered = Heard<WordStamp>(), atLoose = Heard<WordStamp>()
    let atJoined = Heard<[WordStamp]>(letsOthersRunEvery: 2), atZipped = Heard<[WordStamp]>()
    let atCounter = Heard<Int>()
    private let listenings: [Listening]

    init(_ queue: DispatchQueue) {
      synced[0].sync(with: synced[1])
      for index in 0..<3 { ring[(index + 1) % 3].link(to: ring[index]) }
      merged = sources[0].merge(sources[1])
      joined = synced[1].combine(sources[0].map { $0 }, merged).map { [$0, $1, $2] }
      zipped = sources[0].zip(sources[1]).map { [$0, $1] }
      flat = outer.flattenMap { [sources] in sources[$0] }
      delivered = merged.deliver(on: .queue(queue))
      loose.link(to: sources[0], through: transform)
      listenings = [
        sources[0].listen { [heard = atSources[0]] in heard.hear($0) },
        sources[1].listen { [heard = atSources[1]] in heard.hear($0) },
        synced[1].listen { [atSynced] in atSynced.hear($0) },
        merged.listen { [atMerged] in atMerged.hear($0) },
        flat.listen { [atFlat] in atFlat.hear($0) },
        delivered.listen { [atDelivered] in atDelivered.hear($0) },
        loose.listen { [atLoose] in atLoose.hear($0) },
        joined.listen { [atJoined] in atJoined.hear($0) },
        zipped.listen { [atZipped] in atZipped.hear($0) },
        counter.listen { [atCounter] in atCounter.hear($0) },
      ]
    }

    /// Nodes that stamps go through: anything may be hung on them.
    var places: [Node<WordStamp>] { sources + synced + ring + [merged, flat, delivered, loose] }
    var all: [AnyNode] { places + [joined, zipped, outer, counter] as [AnyNode] }
    var overlaps: Int {
      atSources.reduce(0) { $0 + $1.overlaps } + atSynced.overlaps + atMerged.overlaps
        + atFlat.overlaps + atDelivered.overlaps + atLoose.overlaps + atJoined.overlaps
        + atZipped.overlaps + atCounter.overlaps
    }
  }

  private enum Act: CaseIterable {
    case derive, join, listen, own, link, repoint, loosen, cut, walk, draw, snapshot, batch, update
    case setSynced, setRing, setOuter, mutablify, hop, chain
  }

  @Test(arguments: [3, 5, 8])
  func `threads set every shape at once while others change, watch and drop it`(threads: Int) {
    let count = Self.count
    Stress.rounds(12) { round in
      let queue = DispatchQueue(label: "everything"), lives = LifetimeTracker()
      let world = World(queue), added = Tally()
      round.threads(threads) { member in
        var generator = round.generator(member)
        for number in 1...count {
          if member < 2 { world.sources[member].value = WordStamp(member + 1, number) }
          let act = Act.allCases[generator.below(Act.allCases.count)]
          perform(act, on: world, WordStamp(10 + member, number), queue, added, lives, &generator)
        }
      }
      round.expect(settle(), "it does not come to rest")
      check(world, added.count, round)
      round.expectRest(world.all)
      for node in world.ring + world.synced { node.wiring.removeUpstreamNodes() }
      world.transform.to = nil
      round.expect(lives.alive.isEmpty, "alive: \(lives.alive.prefix(5))")
    }
  }

  private func check(_ world: World, _ added: Int, _ round: Round) {
    let count = Self.count, told = world.atSources.map(\.values), merged = world.atMerged.values
    round.expect(world.overlaps == 0, "calls overlapped")
    for index in 0..<2 {
      round.expectAll(told[index], of: [index + 1], count: count, "source \(index)")
    }
    round.expectAll(merged, of: 1...2, count: count, "the merge")
    round.expect(world.atDelivered.values == merged, "behind the queue another sequence was told")
    round.expect(
      world.atZipped.values == zip(told[0], told[1]).map { [$0, $1] }, "other rows of the zip")
    round.expectInOrder(world.atFlat.values, "the flatten")
    let last = world.sources[world.outer.value!].value
    round.expect(
      world.flat.value == last && world.atFlat.values.last == last, "the flatten ends otherwise")
    let sums = world.atJoined.values
    round.expectSteps(sums.map { $0[1] }, of: told[0], "the join's second part")
    round.expectSteps(sums.map { $0[2] }, of: merged, "the join's third part")
    let parts = [world.synced[1].value!, world.sources[0].value!, world.merged.value!]
    round.expect(world.joined.value == parts && sums.last == parts, "the join ends otherwise")
    round.expect(world.synced[0].value == world.synced[1].value, "the synced nodes differ")
    round.expect(world.atSynced.values.last == world.synced[1].value, "told otherwise than kept")
    round.expect(Set(world.ring.map { $0.value! }).count == 1, "the members of the ring differ")
    round.expect(world.atLoose.values.last == world.loose.value, "loose: told otherwise than kept")
    round.expect(world.counter.value == added, "\(world.counter.value!) of \(added)")
    round.expect(world.atCounter.values == Array(0...added), "the counter told another sequence")
  }

  private func perform(
    _ act: Act, on world: World, _ stamp: WordStamp, _ queue: DispatchQueue, _ added: Tally,
    _ lives: LifetimeTracker, _ generator: inout SeededGenerator
  ) {
    let place = world.places[generator.below(world.places.count)]
    switch act {
    case .derive: _ = lives.track(place.map { $0 }.filter { _ in true }, "derived").value
    case .join: _ = lives.track(place.combine(world.merged, world.synced[0]), "join").value
    case .listen:
      let heard = Heard<WordStamp>()
      place.listen { heard.hear($0) }.cancel()
    case .own:
      let owner = lives.track(Token(), "owner")
      place.listen(by: owner) { _, _ in }
      if generator.oneIn(2) { place.stopListening(by: owner) }
    case .link:
      let node = lives.track(Node<WordStamp>(), "linked"), link = node.wiring.link(to: place)
      if generator.oneIn(2) { link.cancel() }
    case .repoint:
      // Never from what it leads to, or it would lead back.
      world.transform.from =
        generator.oneIn(2) ? world.sources[generator.below(2)] : world.synced[0]
    case .loosen: world.transform.to = generator.oneIn(3) ? nil : world.loose
    case .cut: world.loose.wiring.removeUpstreamNodes()
    case .walk:
      var count = 0
      for (node, depth) in place.reachable where depth < 1_000 && node.id > 0 { count += 1 }
      _ = count + place.upstreamTransforms.count + place.downstreamNodes.count
    case .draw: _ = place.dot().count
    case .snapshot: _ = place.snapshot().nodes.count + leakReport().count
    case .batch:
      batch {
        world.ring[0].value = stamp
        world.synced[0].value = stamp
      }
    case .update:
      added.add()
      world.counter.update { $0 += 1 }
    case .setSynced: world.synced[generator.below(2)].value = stamp
    case .setRing: world.ring[generator.below(3)].value = stamp
    case .setOuter: world.outer.value = generator.below(2)
    case .mutablify: lives.track(place.map { $0 }, "mutable").mutablify().value = stamp
    case .hop: place.listen(on: .queue(queue)) { _ in }.cancel()
    case .chain:
      var end = place
      for _ in 0..<6 { end = lives.track(end.map { $0 }, "link of a chain") }
    }
  }
}
