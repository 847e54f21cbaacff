import EasyReact

/// Awaits what a node tells, and keeps what it makes of it.
actor Reader<Known: Sendable> {
  private(set) var known: Known
  /// How many rows of the file it knows of; empty until it listens.
  nonisolated let seen = MutableNode<Int>()

  private let pause: Duration
  init(_ known: Known, pause: Duration = .zero) { (self.known, self.pause) = (known, pause) }

  func read(_ rows: NodeValues<Row>, _ use: (inout Known, Row) -> Void) async {
    for await row in rows {
      use(&known, row)
      seen.value = row.number
      if pause > .zero { try? await Task.sleep(for: pause) }
    }
  }
}
