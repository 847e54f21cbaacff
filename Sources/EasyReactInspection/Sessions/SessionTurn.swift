/// What was set from outside in one turn of a session: a set, or a batch of several.
///
/// Sets that listeners made are not among them: whoever plays the turn again makes the listeners do it again.
public struct SessionTurn: Codable, Hashable, Sendable {
  /// A node of the session that was set.
  public struct Input: Codable, Hashable, Sendable {
    public var node: UInt64
    /// The node's name; nil: unnamed.
    public var name: String?
    /// The node's name, or its operator and line.
    public var label: String
    public var type: String
    /// What it held then; for a clean, `empty`.
    public var value: ValueRecord
    public var context: String?
  }
  /// Of the first set.
  public var moment: Moment
  public var inputs: [Input]
}

extension GraphSession {
  /// The turns in which something was set from outside, in order.
  /// - Complexity: O(events).
  public var turns: [SessionTurn] {
    var stored: [UInt64: ValueRecord] = [:]
    for event in records.events where event.kind == .stored {
      for cause in event.causes where records.event(cause)?.kind == .set && stored[cause] == nil {
        stored[cause] = event.new
      }
    }
    var turns: [SessionTurn] = []
    var last: UInt64?
    for event in records.events where event.kind == .set && event.causes.isEmpty {
      let node = records.node(event.node)
      let input = SessionTurn.Input(
        node: event.node, name: node?.name, label: records.label(of: event.node),
        type: node?.type ?? "?",
        value: stored[event.sequence] ?? .unknown, context: event.context)
      if event.turn != 0, event.turn == last {
        turns[turns.count - 1].inputs.append(input)
      } else {
        turns.append(SessionTurn(moment: event.moment, inputs: [input]))
      }
      last = event.turn
    }
    return turns
  }

  /// What the named nodes told, by name: what each held when the first turn began, if it held anything, and every value
  /// and event after that. Of several nodes with one name, the first one made. Nobody knows what private nodes told.
  public var told: [String: [String]] {
    let start = turns.first?.moment.sequence ?? .max
    var ids: [String: UInt64] = [:]
    for node in records.nodes where !node.isPrivate {
      if let name = node.name, ids[name] == nil { ids[name] = node.id }
    }
    let names = Dictionary(uniqueKeysWithValues: ids.map { ($1, $0) })
    var first: [UInt64: ValueRecord] = [:], lists: [UInt64: [String]] = [:]
    for event in records.events where event.kind == .stored && names[event.node] != nil {
      guard let new = event.new else { continue }
      if event.sequence < start {
        first[event.node] = new
      } else {
        if first[event.node] == nil { first[event.node] = event.old ?? .empty }
        if let text = new.toldText { lists[event.node, default: []].append(text) }
      }
    }
    var told: [String: [String]] = [:]
    for (id, name) in names {
      // What never changed is told once, when somebody begins to listen.
      let start = first[id] ?? records.node(id)!.value
      let begun = start.form == .value ? start.toldText.map { [$0] } ?? [] : []
      told[name] = begun + (lists[id] ?? [])
    }
    return told
  }
}

extension ValueRecord {
  /// What a listener is told, as text; nil: it is told nothing, or nobody knows what.
  fileprivate var toldText: String? { form == .value || form == .event ? text : nil }

  /// Was the description too long for the recorder?
  /// - Parameter limit: Where that cut; nil: unknown.
  func isCut(at limit: Int?) -> Bool { text?.isCut(at: limit) == true }
}

extension String {
  /// What was cut is as long as the limit, and the ellipsis.
  func isCut(at limit: Int?) -> Bool { hasSuffix("…") && count > limit ?? 0 }
}
