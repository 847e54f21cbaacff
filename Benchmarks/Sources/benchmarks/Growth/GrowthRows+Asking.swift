import EasyReact
import EasyReactInspection

/// What is asked of a recording.
func askingRows() -> [GrowthRow] {
  [
    // Many: one that waits adds less than a nanosecond to each.
    GrowthRow("why, where n values of a transform came under one number") { size in
      let source = MutableNode<Int>(), target = MutableNode<Int>()
      target.link(to: source, through: Several(16 * size))
      let recorder = recorded(events: 64 * size) { source.value = 1 }
      return Grown(work: 16 * size, keep: target) { _ = recorder.why(target) }
    },
    GrowthRow("why not, of n sets that lead elsewhere, over n nodes") { size in
      let target = MutableNode(0), filtered = Filtered(size)
      let records = recorded(events: 16 * size) {
        target.link(to: filtered.end).cancel()
        for value in 0..<size { filtered.source.set(value) }
      }.records
      return Grown(work: size, keep: filtered) { _ = records.whyNot(target.id, since: 0) }
    },
    GrowthRow("why not, of n sets over n nodes, while another graph switches") { size in
      let filtered = Filtered(size), chosen = [MutableNode(0), MutableNode(0)]
      let choice = MutableNode(0), other = choice.flattenMap { chosen[$0 % 2] }
      let records = recorded(events: 32 * size) {
        for value in 0..<size {
          choice.set(value)
          filtered.source.set(value)
        }
      }.records
      return Grown(work: size, keep: (filtered, other)) {
        _ = records.whyNot(filtered.end.id, since: 0)
      }
    },
    GrowthRow("why not, of a set of each of n sources over n nodes, after a cut") { size in
      let target = MutableNode(0), filtered = Filtered(size), sources = emptyNodes(size)
      for source in sources { filtered.source.link(to: source) }
      let records = recorded(events: 16 * size) {
        target.link(to: filtered.end).cancel()
        for source in sources { source.set(1) }
      }.records
      return Grown(work: size, keep: (filtered, sources)) {
        _ = records.whyNot(target.id, since: 0)
      }
    },
    GrowthRow("a test written of a session of n named nodes and n sets") { size in
      let sources = (0..<size).map { MutableNode(0).named("source \($0)") }
      let maps = sources.map { source in source.map { $0 }.named("map of \(source.name!)") }
      let records = recorded(events: 16 * size) { for source in sources { source.set(1) } }.records
      let test = SessionTest(GraphSession(program: "", records: records), name: "")
      return Grown(work: size, keep: maps) { _ = try! test.source() }
    },
  ]
}

private func recorded(events: Int, _ body: () -> Void) -> GraphRecorder {
  let recorder = GraphRecorder(events: events)
  recorder.start()
  body()
  recorder.stop()
  return recorder
}

/// A source, and n maps below a filter that refuses what is set.
private struct Filtered {
  let source = MutableNode(0), end: Node<Int>

  init(_ count: Int) {
    end = (0..<count).reduce(source.filter { $0 < 0 }) { above, _ in above.map { $0 } }
  }
}

/// Sends so many values for each.
private final class Several: NodeTransform<Int, Int>, @unchecked Sendable {
  // Unchecked: adds a constant.
  private let count: Int
  init(_ count: Int) { self.count = count }

  override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
    for number in 0..<count { send(value + number) }
  }
}
