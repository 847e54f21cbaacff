import EasyReact

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
