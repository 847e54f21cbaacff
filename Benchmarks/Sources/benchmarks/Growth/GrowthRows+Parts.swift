import EasyReact

private struct Model: Sendable { var a = 0, b = 0 }
private struct Nested: Sendable { var kids: [Int: Nested] = [:] }

/// Parts of one whole, which a batch sets: a copy of the whole for each of them would be quadratic.
func partRows() -> [GrowthRow] {
  [
    GrowthRow("n parts set in one batch") { size in
      let stock = MutableNode<[Int: Int]>([:]), parts = (0..<size).map { stock[key: $0] }
      return Grown(work: size, keep: parts) { batch { for part in parts { part.set(1) } } }
    },
    GrowthRow("n inner batches in one batch, each sets a part") { size in
      let stock = MutableNode<[Int: Int]>([:]), parts = (0..<size).map { stock[key: $0] }
      return Grown(work: size, keep: parts) {
        batch { for part in parts { batch { part.set(1) } } }
      }
    },
    GrowthRow("n inner batches in one batch, each updates a part") { size in
      let counts = MutableNode(Dictionary(uniqueKeysWithValues: (0..<size).map { ($0, 0) }))
      let parts = (0..<size).map { counts[key: $0] }
      return Grown(work: size, keep: parts) {
        batch { for part in parts { batch { part.update { $0 += 1 } } } }
      }
    },
    GrowthRow("n lenses made of a part to which something is linked, then dropped") { size in
      let stock = MutableNode([0: 0, 1: 1]), part = stock[key: 0], field = MutableNode(1)
      part.link(to: stock[key: 1].combine(field).map { $0 + $1 })
      return Grown(work: size, keep: (part, field)) {
        withExtendedLifetime((0..<size).map { _ in stock[key: 0] }) {}
      }
    },
    GrowthRow("n fields synced with one part of an empty whole, each with a lens of its own") {
      size in
      let stock = MutableNode<[Int: Int]>(), fields = emptyNodes(size)
      let lenses = fields.map { _ in stock[key: 0] }
      return Grown(work: size, keep: (lenses, fields)) {
        for (field, lens) in zip(fields, lenses) { field.sync(with: lens) }
      }
    },
    GrowthRow("n/8 lenses, each of a part of the one before, made where one of them is synced") {
      size in
      let root = MutableNode<Nested>(), field = MutableNode<Nested>()
      let first = root[\.kids][key: 0]
      field.sync(with: first)
      return Grown(work: size, keep: (root, field, first)) {
        var lens: MutableNode<Nested> = root
        for _ in 0..<size / 8 { lens = lens[\.kids][key: 0] }
      }
    },
    GrowthRow("n editors, one at a time, of a part of what n views follow, below a map") { size in
      let (model, views) = viewed(size)
      return Grown(work: size, keep: views) {
        for _ in 0..<size {
          let field = MutableNode<Int>(), part = model[\.b]
          field.sync(with: part).cancel()
        }
      }
    },
    GrowthRow("n reducers, one at a time, of a part of what n views follow, below a map") { size in
      let (model, views) = viewed(size)
      return Grown(work: size, keep: views) {
        for _ in 0..<size {
          let action = MutableNode<Int>.eventNode(), part = model[\.b]
          part.link(to: action.withLatest(from: model).map { $0 + $1.a }).cancel()
        }
      }
    },
    GrowthRow("n parts of an empty whole, each follows two others by lenses of its own") { size in
      let stock = MutableNode<[Int: Int]>(), parts = (0..<size).map { stock[key: $0] }
      return Grown(work: size, keep: parts) {
        for (row, part) in parts.enumerated().dropFirst(2) {
          part.link(to: stock[key: row - 1].combine(stock[key: row - 2]).map { $0 + $1 })
        }
      }
    },
    GrowthRow("n parts updated in one batch") { size in
      let counts = MutableNode(Dictionary(uniqueKeysWithValues: (0..<size).map { ($0, 0) }))
      let parts = (0..<size).map { counts[key: $0] }
      return Grown(work: size, keep: parts) {
        batch { for part in parts { part.update { $0 += 1 } } }
      }
    },
    GrowthRow("n parts set in one batch, of a whole that it has set") { size in
      let stock = MutableNode<[Int: Int]>([:]), parts = (0..<size).map { stock[key: $0] }
      return Grown(work: size, keep: parts) {
        batch {
          stock.set([:])
          for part in parts { part.set(1) }
        }
      }
    },
  ]
}

private func viewed(_ size: Int) -> (model: MutableNode<Model>, views: [Node<Int>]) {
  let model = MutableNode<Model>()
  model.link(to: MutableNode(Model()).map { $0 })
  return (model, (0..<size).map { _ in model.map { $0.a } })
}
