// What programs are made of: a sheet with sums of its rows and a total, and a form whose button asks all its fields.

func applicationRows() -> [Benchmark] {
  [
    shape(
      "applications", "sheet of 1,000 × 5: an edit", ours: { sheet($0, batch: 1) },
      floor: { sheet($0, batch: 1) }, openCombine: { sheet($0, batch: 1) }),
    shape(
      "applications", "sheet of 1,000 × 5: 100 edits at once", ours: { sheet($0, batch: 100) },
      floor: { sheet($0, batch: 100) }, openCombine: { sheet($0, batch: 100) }),
    shape("applications", "form of 50: an edit", ours: form, floor: form, openCombine: form),
    shape(
      "applications", "form of 50: built and dropped", ours: formLife, floor: formLife,
      openCombine: formLife),
  ]
}

/// Four numbers a row, their sum beside them, and the sum of these below. An operation sets `batch` cells.
private func sheet<K: Kit<Int>>(_ kit: K, batch: Int) -> Trial {
  let sink = Sink()
  let cells = (0..<1_000).map { _ in (0..<4).map { _ in kit.source(0) } }
  let sums = cells.map { row in kit.join(row.map(kit.cell)) { $0.reduce(0, &+) } }
  let total = kit.join(sums) { $0.reduce(0, &+) }
  let listening = kit.listen(total) { sink.add($0) }
  _ = sink.take()
  var expected = Array(repeating: 0, count: 4_000)
  /// Each edit goes to another row.
  func place(_ edit: Int) -> (row: Int, column: Int) { (edit % 1_000, edit / 1_000 % 4) }
  return Trial(
    keep: [listening],
    run: { count in
      for operation in 0..<count {
        kit.batch {
          for edit in operation * batch..<(operation + 1) * batch {
            let (row, column) = place(edit)
            kit.set(cells[row][column], edit)
          }
        }
      }
    },
    check: { count in
      for edit in 0..<count * batch {
        let (row, column) = place(edit)
        expected[row * 4 + column] = edit
      }
      try expect(kit.value(total), expected.reduce(0, +), "the total")
      try expect(sink.take().calls >= count, true, "each operation was heard")
    })
}

/// Fifty fields, each checked, and the number of those that are in order.
private func form<K: Kit<Int>>(_ kit: K) -> Trial {
  let sink = Sink()
  let (fields, listening) = madeForm(kit, sink)
  return Trial(
    sink, keep: [listening], calls: { $0 },
    sum: { count in (0..<count).reduce(0) { $0 + 49 + $1 % 2 } }
  ) { count in
    for edit in 0..<count { kit.set(fields[0], edit) }
  }
}

private func formLife<K: Kit<Int>>(_: K) -> Trial {
  let sink = Sink()
  return Trial(sink, calls: { $0 }, sum: { $0 * 50 }) { count in
    for _ in 0..<count {
      let kit = K()
      withExtendedLifetime((kit, madeForm(kit, sink))) {}
    }
  }
}

private func madeForm<K: Kit<Int>>(_ kit: K, _ sink: Sink) -> (fields: [K.Source], listening: Any) {
  let fields = (0..<50).map { _ in kit.source(1) }
  let checks = fields.map { field in kit.map(kit.cell(field)) { $0 & 1 } }
  let valid = kit.join(checks) { $0.reduce(0, &+) }
  return (fields, kit.listen(valid) { sink.add($0) })
}
