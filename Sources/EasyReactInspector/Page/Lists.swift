import EasyReactInspection

/// The nodes that words fit: `api/search`. By name, operator, type, value, and file; those whose name fits come first.
struct Found: Encodable, Sendable {
  struct Item: Encodable, Sendable {
    var id: UInt64, label: String, operation: String, type: String
    var place: SourcePlace
    var value: ValueRecord
  }
  static let most = 50

  var nodes: [Item]
  var notShown: Int

  /// - Parameter text: Words, each of which must fit somewhere.
  init(_ text: String, in records: GraphRecords) {
    let words = text.lowercased().split(separator: " ")
    var fitting: [(isByName: Bool, node: NodeRecord)] = []
    for node in records.nodes where node.gone == nil {
      let name = node.label.lowercased()
      let all = [
        name, node.operation, node.type, node.value.text ?? node.value.description, "\(node.place)",
      ]
      .joined(separator: "\n").lowercased()
      if words.allSatisfy({ all.contains($0) }) {
        fitting.append((words.allSatisfy { name.contains($0) }, node))
      }
    }
    let sorted = fitting.filter(\.isByName) + fitting.filter { !$0.isByName }
    nodes = sorted.prefix(Self.most).map { _, node in
      Item(
        id: node.id, label: node.label, operation: node.operation, type: node.type,
        place: node.place,
        value: node.value)
    }
    notShown = max(0, sorted.count - Self.most)
  }
}

/// The nodes that did most of something: `api/counts`.
struct Ranking: Encodable, Sendable {
  struct Item: Encodable, Sendable { var id: UInt64, label: String, counts: NodeCounts }
  static let most = 200

  var nodes: [Item]
  var notShown: Int

  init(by name: String, in records: GraphRecords) throws(Refusal) {
    let measures: [String: @Sendable (NodeCounts) -> UInt64] = [
      "stored": \.stored, "storedEqual": \.storedEqual, "ranInVain": \.ranInVain, "told": \.told,
      "ownNanoseconds": { $0.ownNanoseconds ?? 0 },
    ]
    guard let measure = measures[name] else {
      throw .unusable("There is no count “\(name.prefix(40))”.")
    }
    let living = records.nodes.filter { $0.gone == nil }
    // By id where they are equal, so that rows do not jump.
    let sorted = living.sorted { (measure($0.counts), $1.id) > (measure($1.counts), $0.id) }
    nodes = sorted.prefix(Self.most).map { Item(id: $0.id, label: $0.label, counts: $0.counts) }
    notShown = max(0, sorted.count - Self.most)
  }
}
