import EasyReact

/// Links and sets that raise tops: of what is synced with an editor, and of what follows that.
func topRows() -> [GrowthRow] {
  [
    // Each of another top: all of them wait to be raised at once.
    GrowthRow("one set that raises a setting which n running totals follow") { size in
      let setting = MutableNode<Int>(), editor = MutableNode<Int>(), isDeep = MutableNode(false)
      let near = MutableNode<Int>(), source = MutableNode<Int>()
      let deep = (0..<8).reduce(source as Node<Int>) { node, _ in node.map { $0 } }
      setting.sync(with: editor)
      setting.link(to: isDeep.flattenMap { $0 ? deep : near })
      var totals = [setting.map { $0 }]
      for index in 1..<size { totals.append(totals[index - 1].combine(setting).map { $0.0 }) }
      return Grown(work: size, keep: (editor, source, totals)) { isDeep.value = true }
    },
    // None of the tops is free: each choice raises something, and stops at the first gap.
    GrowthRow("n settings down a chain, with totals, each synced with a deeper one") { size in
      let head = MutableNode<Int>()
      var chain: [Node<Int>] = [head]
      for _ in 0..<12 * size + 4 { chain.append(chain[chain.count - 1].map { $0 }) }
      let settings = (0..<size).map { chain[12 * $0].map { $0 } }
      let editors = (0..<size).map { chain[12 * $0 + 3].map { $0 } }
      var totals = [settings[0].map { $0 }]
      for index in 1..<size {
        totals.append(settings[index].combine(totals[index - 1]).map { $0 + $1 })
      }
      return Grown(work: size, keep: (totals, editors)) {
        for (editor, setting) in zip(editors, settings).reversed() {
          editor.wiring.sync(with: setting)
        }
      }
    },
    // The next one comes between the newest and the oldest.
    GrowthRow("n rows with editors, put before n others from the first on", limit: 1.5) { size in
      let (old, header) = (pairs(size), pair())
      for index in 1..<size { old[index].row.link(to: old[index - 1].row) }
      var newest = header, rows: [Pair] = []
      return Grown(work: size, keep: old) {
        var link = old[0].row.link(to: header.row)
        for _ in 0..<size {
          let new = pair()
          link.cancel()
          link = old[0].row.link(to: new.row)
          new.row.link(to: newest.row)
          newest = new
          rows.append(new)
        }
      }
    },
    // What is raised stops at many small gaps.
    GrowthRow("n rows with editors, the newest in front, beside a step each of a chain", limit: 1.5)
    { size in
      let setting = pair()
      var steps: [Node<Int>] = [setting.row]
      for index in 0..<size { steps.append(steps[index].map { $0 }) }
      var rows = [pair()], labels: [Node<Int>] = []
      return Grown(work: size, keep: setting) {
        for index in 0..<size {
          let new = pair()
          rows[index].row.link(to: new.row.map { $0 })
          labels.append(new.row.combine(steps[index]).map { $0.0 })
          rows.append(new)
        }
      }
    },
    GrowthRow(
      "n rows with editors, the newest in front of 4 n whose editors were closed", limit: 1.5
    ) { size in
      let old = emptyNodes(4 * size), editors = emptyNodes(4 * size)
      let syncs = old.indices.map { index in
        if index > 0 { old[index].link(to: old[index - 1].map { $0 }) }
        return old[index].sync(with: editors[index])
      }
      for sync in syncs { sync.cancel() }
      var rows = [(row: old[0], editor: editors[0])]
      return Grown(work: size, keep: old) {
        for index in 0..<size {
          let new = pair()
          rows[index].row.link(to: new.row.map { $0 })
          rows.append(new)
        }
      }
    },
    // The editor that the total follows is a component already when it comes to the form's.
    GrowthRow("n synced editors that a total of n labels follows, each synced with a field") {
      size in
      let form = MutableNode<Int>(), total = MutableNode<Int>(), fields = emptyNodes(size)
      let labels = (0..<size).map { _ in total.map { $0 } }
      let editors = emptyNodes(size), partners = emptyNodes(size)
      return Grown(work: size, keep: (form, labels, editors, partners, fields)) {
        for index in 0..<size {
          total.link(to: editors[index])
          editors[index].sync(with: partners[index])
          fields[index].sync(with: form)
          fields[index].sync(with: editors[index])
        }
      }
    },
    // The search for a cycle is longer than a look at a few edges, but shorter than one at all that follows the store.
    GrowthRow("a store that n nodes follow, synced n times with a form of 12 fields") { size in
      let form = synced(12), store = MutableNode<Int>()
      let rows = (0..<size).map { _ in store.map { $0 } }
      return Grown(work: size, keep: (form, rows)) {
        for _ in 0..<size { store.sync(with: form[0]).cancel() }
      }
    },
    GrowthRow("n cells, synced n times with a form of 25 fields") { size in
      let form = synced(25), cells = synced(size)
      return Grown(work: size, keep: (form, cells)) {
        for _ in 0..<size { cells[0].sync(with: form[0]).cancel() }
      }
    },
  ]
}

/// Each with the first.
private func synced(_ count: Int) -> [MutableNode<Int>] {
  let nodes = emptyNodes(count)
  for node in nodes.dropFirst() { node.sync(with: nodes[0]) }
  return nodes
}

private typealias Pair = (row: MutableNode<Int>, editor: MutableNode<Int>)

private func pair() -> Pair {
  let row = MutableNode<Int>(), editor = MutableNode<Int>()
  row.sync(with: editor)
  return (row, editor)
}

private func pairs(_ count: Int) -> [Pair] { (0..<count).map { _ in pair() } }
