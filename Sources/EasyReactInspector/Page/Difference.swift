import EasyReactInspection

/// What is there at one moment and not at another: `api/difference`, for “opened and closed the screen, what is left?”.
struct Difference: Encodable, Sendable {
  struct Item: Encodable, Sendable { var id: UInt64, label: String, text: String }
  static let mostItems = 500

  var made: [Item]
  var gone: [Item]
  var changed: [Item]
  var notShown: Int

  init(from: UInt64, to: UInt64, in records: GraphRecords) {
    let (from, to) = (min(from, to), max(from, to))
    let isThere = { (node: NodeRecord, moment: UInt64) in
      (node.born?.sequence ?? 0) <= moment && moment < (node.gone?.sequence ?? .max)
    }
    let (before, after) = (records.values(at: from), records.values(at: to))
    var made: [Item] = [], gone: [Item] = [], changed: [Item] = []
    for node in records.nodes {
      switch (isThere(node, from), isThere(node, to)) {
      case (false, true):
        made.append(Item(id: node.id, label: node.label, text: Self.text(after[node.id])))
      case (true, false):
        gone.append(Item(id: node.id, label: node.label, text: Self.text(before[node.id])))
      case (true, true):
        let (old, new) = (before[node.id], after[node.id])
        if old?.form == new?.form, old?.text == new?.text { continue }
        changed.append(
          Item(id: node.id, label: node.label, text: "\(Self.text(old)) → \(Self.text(new))"))
      case (false, false): break
      }
    }
    notShown = [made, gone, changed].reduce(0) { $0 + max(0, $1.count - Self.mostItems) }
    self.made = Array(made.prefix(Self.mostItems))
    self.gone = Array(gone.prefix(Self.mostItems))
    self.changed = Array(changed.prefix(Self.mostItems))
  }

  private static func text(_ value: ShownValue?) -> String {
    value.map { ValueRecord($0.form, text: $0.text).description } ?? "?"
  }
}
