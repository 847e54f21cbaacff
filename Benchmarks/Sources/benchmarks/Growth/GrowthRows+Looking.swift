import EasyReact
import EasyReactInspection
import EasyReactShared
import EasyReactTesting
import EasySequence
import EasySequenceBridge

// What many nodes that wait, or that are looked at, cost.

/// Combinations of n nodes.
func combiningRows() -> [GrowthRow] {
  [
    GrowthRow(
      "100 of 1,000 and of 30,000 combined nodes, in a batch",
      .ratio(limit: 1.5) { _ in
        let few = Combined(1_000), many = Combined(30_000)
        return (few.setSome(), many.setSome())
      }),
    GrowthRow("n nodes of a combination set for the first time") { size in
      let sources = (0..<size).map { _ in MutableNode<Int>() }, all = Node.combine(sources)
      return Grown(work: size, keep: all) { for source in sources { source.set(1) } }
    },
    GrowthRow("n nodes of a combination set for the first time, recorded", limit: 2.2) { size in
      let sources = (0..<size / 10).map { _ in MutableNode<Int>() }
      let all = Node.combine(sources.map { $0.map { $0 } })
      return Grown(work: size / 10, keep: all) {
        whileRecording { for source in sources { source.set(1) } }
      }
    },
    GrowthRow("n sets with a context of a combination of n") { size in
      let sources = (0..<size).map { MutableNode($0) }, all = Node.combine(sources)
      return Grown(work: size, keep: all) { for source in sources { source.set(1, context: 1) } }
    },
    GrowthRow("n sets over a sync of a combination of n") { size in
      let sources = (0..<size).map { MutableNode($0) }, all = Node.combine(sources)
      let synced = MutableNode<Int>()
      synced.sync(with: sources[size / 2])
      return Grown(work: size, keep: (all, synced)) { for value in 0..<size { synced.set(value) } }
    },
    GrowthRow("n nodes begin to follow a combination of n that waits") { size in
      let first = MutableNode(0), others = (0..<size).map { MutableNode($0) }
      let all = Node.combine([first] + others)
      let merged = (0..<size).map { _ in first.mergeMap { $0 == 0 ? Node<[Int]>() : all } }
      return Grown(work: size, keep: merged) { first.set(1) }
    },
    GrowthRow("n values of a groupBy to whose group n nodes lead") { size in
      let key = MutableNode(0), grouped = key.groupBy { _ in 0 }, group = grouped.current.values
      let sources = (0..<size).map { _ in MutableNode<Int>() }
      for source in sources { group.wiring.link(to: source) }
      return Grown(work: size, keep: (grouped, sources)) {
        for value in 0..<size { key.set(value) }
      }
    },
    GrowthRow("n timeouts, each beside a node of a chain of n") { size in
      let source = MutableNode<Int>()
      let chain = (0..<size).reduce(into: [source as Node<Int>]) { chain, _ in
        chain.append(chain.last!.map { $0 })
      }
      return Grown(work: size, keep: chain) {
        let late = chain.map { $0.timeout(.seconds(1), on: Still()) }
        withExtendedLifetime(late) { source.set(1) }
      }
    },
    // Both searches for a way find components alone.
    GrowthRow("a link between n synced pairs above and n below", limit: 1.5) { size in
      let pairs = SyncedPairs(size)
      return Grown(work: size, keep: pairs) { pairs.top.link(to: pairs.bottom) }
    },
  ]
}

/// What looks at a graph, or at what happened in it.
func lookingRows() -> [GrowthRow] {
  [
    GrowthRow("leakReport of a ring of n") { size in
      let ring = Rings(1, of: size)
      return Grown(work: size, keep: ring) { _ = leakReport() }
    },
    GrowthRow("leakReport of n rings, one below the other") { size in
      let rings = Rings(size, of: 2)
      return Grown(work: size, keep: rings) { _ = leakReport() }
    },
    GrowthRow("lint of n combinations without a value, in a chain") { size in
      let source = MutableNode<Int>()
      var end = source.map { $0 }
      for _ in 0..<size { end = end.combine(source).map { $0 + $1 } }
      let last = end
      return Grown(work: size) { _ = last.lint() }
    },
    GrowthRow("lint of n recorded graphs") { size in
      let recorder = GraphRecorder()
      recorder.start()
      let sources = (0..<size).map { MutableNode($0) }, maps = sources.map { $0.map { $0 } }
      recorder.stop()
      return Grown(work: size, keep: maps) { _ = recorder.lint() }
    },
    GrowthRow("lint of n recorded zips") { size in
      let recorder = GraphRecorder()
      recorder.start()
      let source = MutableNode(0), zips = (0..<size).map { _ in source.zip(source) }
      recorder.stop()
      let records = recorder.records
      return Grown(work: size, keep: zips) { _ = records.lint() }
    },
    // What is kept is not copied.
    GrowthRow("n reads of a set each, of a recorder that keeps n and more") { size in
      let node = MutableNode(0), recorder = GraphRecorder(events: 1 << 16)
      recorder.start()
      for value in 0..<2 * size { node.set(value) }
      var last = recorder.records.events.last?.sequence ?? 0
      return Grown(work: size, keep: node) {
        for value in 0..<size {
          node.set(value)
          last = recorder.records(after: last).events.last?.sequence ?? last
        }
        recorder.stop()
      }
    },
    GrowthRow("a recording read, of n links made and cut beside one that stays, and of n sets") {
      size in
      let up = MutableNode(0), down = MutableNode(0), recorder = GraphRecorder(events: 1 << 16)
      recorder.start()
      down.link(to: up)
      for _ in 0..<6 * size { down.link(to: up).cancel() }
      for value in 0..<6 * size { up.set(value) }
      recorder.stop()
      return Grown(work: 6 * size, keep: (up, down)) { _ = recorder.records }
    },
    GrowthRow("a recording read, of n links between two nodes, cut from the first on") { size in
      let up = MutableNode(0), down = MutableNode(0), recorder = GraphRecorder(events: 1 << 18)
      recorder.start()
      let links = (0..<3 * size).map { _ in down.link(to: up) }
      for link in links { link.cancel() }
      recorder.stop()
      return Grown(work: 3 * size, keep: (up, down)) { _ = recorder.records }
    },
    // More than a tracer gets of a value, at each size.
    GrowthRow("n sets under a tracer, each of a field of a combine of 10 n") { size in
      struct Quiet: GraphTracer { func trace(_ event: GraphEvent) {} }
      let fields = (0..<10 * size).map { MutableNode($0) }, all = Node.combine(fields)
      return Grown(work: size, keep: (fields, all)) {
        GraphTracing.install(Quiet())
        for field in fields.prefix(size) { field.value = 1 }
        GraphTracing.install(nil)
      }
    },
    GrowthRow("n values recorded, each a node that holds an array of n") { size in
      let inner = MutableNode(Array(0..<size)), outer = MutableNode(inner)
      let recorder = GraphRecorder()
      return Grown(work: size, keep: (inner, outer)) {
        recorder.start()
        for _ in 0..<size { outer.value = inner }
        recorder.stop()
      }
    },
    GrowthRow("a long array described, n characters of it shown") { size in
      let values = Array(0..<10 * size)
      let node = MutableNode<[Int]>(), recorder = GraphRecorder(descriptionLength: 16 * size)
      recorder.start()
      return Grown(work: size, keep: node) {
        node.value = values
        recorder.stop()
      }
    },
    GrowthRow("n nodes made and dropped while a recorder is looked at") { size in
      let source = MutableNode(0), recorder = GraphRecorder(events: 1_000)
      recorder.start()
      // Many looks at each size: the first one looks at little.
      return Grown(work: 10 * size, keep: source) {
        for number in 0..<10 * size {
          _ = source.map { $0 }
          if number % 500 == 0 { _ = recorder.counts }
        }
        recorder.stop()
      }
    },
    GrowthRow("n watchers of a key, cancelled from the first") { size in
      let clock = VirtualScheduler(), store = MemoryStore(on: clock)
      let watchers = (0..<size).map { _ in store.watch("key", after: nil) { _ in } }
      clock.run()
      return Grown(work: size) { for watcher in watchers { watcher.cancel() } }
    },
    GrowthRow("n sets of a node whose values so far are held as a stream") { size in
      let node = MutableNode(0), kept = node.collect()
      var shown = kept.values
      return Grown(work: 4 * size) {
        for value in 0..<4 * size {
          node.set(value)
          shown = kept.values
          _ = shown.head
        }
      }
    },
  ]
}

private struct Combined {
  private let sources: [MutableNode<Int>], all: Node<[Int]>

  init(_ count: Int) {
    sources = (0..<count).map { MutableNode($0) }
    all = Node.combine(sources)
  }

  func setSome() -> Grown {
    Grown(work: 100, keep: self) {
      for value in 0..<100 { batch { for source in sources.prefix(100) { source.set(value) } } }
    }
  }
}

private func whileRecording(_ body: () -> Void) {
  let recorder = GraphRecorder()
  recorder.start()
  body()
  recorder.stop()
}

/// n pairs that `top` leads to, and n that lead to `bottom`.
private struct SyncedPairs {
  let top = MutableNode<Int>(), bottom = MutableNode<Int>()
  private let above: [MutableNode<Int>], below: [MutableNode<Int>]

  init(_ count: Int) {
    above = (0..<2 * count).map { _ in MutableNode<Int>() }
    below = (0..<2 * count).map { _ in MutableNode<Int>() }
    for place in stride(from: 0, to: 2 * count, by: 2) {
      below[place].link(to: top)
      below[place].sync(with: below[place + 1])
      above[place].sync(with: above[place + 1])
      bottom.link(to: above[place + 1])
    }
  }
}

/// Rings of links, each hanging on the one before it.
private final class Rings {
  private let links: [any Cancelable]

  init(_ count: Int, of size: Int) {
    let rings = (0..<count).map { _ in (0..<size).map { _ in MutableNode<Int>() } }
    var links: [any Cancelable] = []
    for (number, ring) in rings.enumerated() {
      for place in ring.indices { links.append(ring[place].link(to: ring[(place + 1) % size])) }
      if number > 0 { links.append(ring[0].link(to: rings[number - 1][0])) }
    }
    self.links = links
  }

  deinit { for link in links { link.cancel() } }
}
