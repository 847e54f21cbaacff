import EasyReact
import EasyReactInspection
import EasyReactShared
import EasyReactTesting

/// What is kept by what lives longer than what it knew: the room of tables, and what is gone.
func roomRows() -> [GrowthRow] {
  [
    GrowthRow(
      "kept by a VirtualScheduler of which n timers were cancelled",
      .bytes(limit: 4) { size in
        let clock = VirtualScheduler()
        clock.schedule(after: .seconds(1)) {}
        return Grown(work: size, keep: clock) {
          for _ in 0..<size { clock.schedule(after: .seconds(2)) {}.cancel() }
        }
      }),
    GrowthRow(
      "kept by a VirtualScheduler of which n timers fired, and one waits",
      .bytes(limit: 4) { size in
        let clock = VirtualScheduler()
        clock.schedule(after: .seconds(600)) {}
        return Grown(work: size, keep: clock) {
          for _ in 0..<size { clock.schedule(after: .seconds(1)) {} }
          clock.advance(by: .seconds(1))
        }
      }),
    GrowthRow(
      "kept by a MemoryStore of which n keys were watched",
      .bytes(limit: 8) { size in
        let clock = VirtualScheduler(), store = MemoryStore(on: clock)
        return Grown(work: size, keep: store) {
          let watchers = (0..<size).map { store.watch("\($0)", after: nil) { _ in } }
          clock.run()
          for watcher in watchers { watcher.cancel() }
        }
      }),
    GrowthRow(
      "kept by a MemoryStore of which n shared nodes were asked for",
      .bytes(limit: 8) { size in
        let clock = VirtualScheduler(), store = MemoryStore(on: clock)
        return Grown(work: size, keep: store) {
          let nodes = (0..<size).map { store.node("\($0)", of: Int.self) }
          withExtendedLifetime(nodes) { clock.run() }
        }
      }),
    GrowthRow(
      "kept by a node of n loose transforms that are gone, looked at",
      .bytes(limit: 1) { size in
        let node = MutableNode<Int>()
        return Grown(work: size, keep: node) {
          var transforms = (0..<size).map { _ in NodeTransform<Int, Int>() }
          for transform in transforms { transform.from = node }
          transforms = []
          _ = node.downstreamTransforms
        }
      }),
    GrowthRow(
      "kept by a recorder that forgets n nodes",
      .bytes(limit: 8) { size in
        let recording = ShortRecording(), node = MutableNode(0)
        for _ in 0..<2 { recording.look(1) {} }  // it has its room for events
        return Grown(work: size, keep: recording) {
          recording.look(1) { (0..<size).map { _ in node.map { $0 } } }
        }
      }),
    GrowthRow(
      "kept by a LifetimeTracker that has watched n nodes",
      .bytes(limit: 8) { size in
        let lives = LifetimeTracker(), node = MutableNode(0)
        return Grown(work: size, keep: lives) {
          lives.watch { for _ in 0..<size { _ = node.map { $0 } } }
        }
      }),
    GrowthRow(
      "kept by a LifetimeTracker that has watched n nodes at once, looked at",
      .bytes(limit: 8) { size in
        let lives = LifetimeTracker(), node = MutableNode(0)
        return Grown(work: size, keep: lives) {
          let nodes = lives.watch { (0..<size).map { _ in node.map { $0 } } }
          withExtendedLifetime(nodes) {}
          _ = lives.alive
        }
      }),
    GrowthRow(
      "kept by a LifetimeTracker that has tracked n objects",
      .bytes(limit: 8) { size in
        let lives = LifetimeTracker()
        return Grown(work: size, keep: lives) {
          for value in 0..<size { lives.track(MutableNode(value), "node") }
        }
      }),
  ]
}
