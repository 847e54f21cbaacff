import EasyReact

/// Why a node holds what it holds: ``GraphRecorder/why(_:)``.
///
/// A value: it prints as text that reads from the set down to the node, and is Codable.
public struct Why: Codable, Hashable, Sendable {
  /// One event on the way, with the words for its node and edge.
  public struct Step: Codable, Hashable, Sendable {
    public var event: EventRecord
    /// The node's name, or its operator and line.
    public var node: String
    /// The edge that it came over: `Map`, `Combine`; nil at a root.
    public var operation: String?
    /// How far below the root: for indentation.
    public var depth: Int

    public init(event: EventRecord, node: String, operation: String? = nil, depth: Int = 0) {
      self.event = event
      self.node = node
      self.operation = operation
      self.depth = depth
    }
  }

  public var node: UInt64
  /// The node's name, or its operator and line.
  public var label: String
  /// The node's value now.
  public var value: ValueRecord
  /// In their order; the last one stored the value. Empty: no set is known that led here.
  public var steps: [Step]
  /// Events were dropped, or came before the recording: the chain does not reach back to a set.
  public var isCutOff: Bool

  public init(
    node: UInt64, label: String, value: ValueRecord, steps: [Step] = [], isCutOff: Bool = false
  ) {
    self.node = node
    self.label = label
    self.value = value
    self.steps = steps
    self.isCutOff = isCutOff
  }
}

extension GraphRecorder {
  /// Why the node holds what it holds: the chain from the set, with its call, context, thread and time, over each edge,
  /// with old and new values, to the node. For a join, all that arrived.
  ///
  ///     price.set(4, context: "import")
  ///     print(recorder.why(total))
  ///     // total = 12
  ///     //   price set at Shop/main.swift:7, context import, thread 1, after 0.4 ms
  ///     //   price: 3 → 4
  ///     //     both (Combine): (3, 3) → (4, 3)
  ///     //       total (Map): 9 → 12
  ///
  /// From a set by a listener the chain goes on to the call of the listener, and so to the set before. Any thread.
  /// - Complexity: O(what is kept).
  public func why(_ node: AnyNode) -> Why { records.why(node.id) }
}

extension GraphRecords {
  /// The same for records, for a page or a saved session.
  /// - Parameter sequence: As of this event; nil: now.
  public func why(_ node: UInt64, at sequence: UInt64? = nil) -> Why {
    let end = events.upperBound(sequence ?? .max)
    let last = events[..<end].last { $0.kind == .stored && $0.node == node }
    var why = Why(
      node: node, label: label(of: node),
      value: last?.new ?? (sequence == nil ? self.node(node)?.value : nil) ?? .unknown)
    guard let last else {
      why.isCutOff = true
      return why
    }
    var stores = StoresOfNodes(self)
    let chain = chain(to: last, &stores)
    why.isCutOff = chain.isCutOff
    var depths: [UInt64: Int] = [:]
    for event in chain.events {
      let depth =
        causes(of: event, &stores).compactMap { depths[$0] }.max().map { $0 + step(event) } ?? 0
      depths[event.sequence] = depth
      if event.kind == .arrived { continue }
      why.steps.append(
        Why.Step(
          event: event, node: label(of: event.node), operation: event.edge.flatMap(operation(of:)),
          depth: depth))
    }
    return why
  }

  /// What a set stores stands beside it.
  private func step(_ event: EventRecord) -> Int {
    event.kind == .arrived || event.kind == .stored && event.other == nil ? 0 : 1
  }

  func operation(of edge: UInt64) -> String? { self.edge(edge)?.operation }

  /// From an initial push the chain goes on to the value that was pushed.
  private func causes(of event: EventRecord, _ stores: inout StoresOfNodes) -> [UInt64] {
    if event.kind != .pushed { return event.causes }
    return event.causes + (stores.last(of: event.node, before: event.sequence).map { [$0] } ?? [])
  }

  private func chain(
    to last: EventRecord, _ stores: inout StoresOfNodes
  ) -> (events: [EventRecord], isCutOff: Bool) {
    var found: [UInt64: EventRecord] = [last.sequence: last]
    var waiting = [last], isCutOff = false
    while let event = waiting.popLast() {
      let causes = causes(of: event, &stores)
      let isRoot = event.kind == .set || event.kind == .pushed || event.kind == .edgeMade
      if causes.isEmpty, !isRoot { isCutOff = true }
      for cause in causes where found[cause] == nil {
        guard let event = self.event(cause) else {
          isCutOff = true
          continue
        }
        found[cause] = event
        waiting.append(event)
      }
    }
    return (found.values.sorted { $0.sequence < $1.sequence }, isCutOff)
  }
}

/// When each node stored something; looked for once, if it is asked for at all.
private struct StoresOfNodes {
  private let records: GraphRecords
  private var sequences: [UInt64: [UInt64]]?

  init(_ records: GraphRecords) { self.records = records }

  mutating func last(of node: UInt64, before sequence: UInt64) -> UInt64? {
    let all = sequences ?? found()
    sequences = all
    guard let own = all[node] else { return nil }
    let place = own.lowerBound(sequence)
    return place == 0 ? nil : own[place - 1]
  }

  private func found() -> [UInt64: [UInt64]] {
    var found: [UInt64: [UInt64]] = [:]
    for event in records.events where event.kind == .stored {
      found[event.node, default: []].append(event.sequence)
    }
    return found
  }
}

// MARK: - As text

extension Why: CustomStringConvertible {
  /// A line per step, from the set down to the node.
  public var description: String {
    var lines = ["\(label) = \(value)"]
    if steps.isEmpty {
      lines.append(
        value.form == .empty
          ? "  Nothing was stored since the recording began."
          : "  It has had this value since before the recording began, or what stored it was dropped."
      )
    } else if isCutOff {
      lines.append("  … what came before is not kept")
    }
    return (lines + steps.map(\.description)).joined(separator: "\n")
  }
}

extension Why.Step: CustomStringConvertible {
  public var description: String {
    String(repeating: "  ", count: depth + 1) + event.text(of: node, operation)
  }
}

extension EventRecord {
  /// `total (Map): 9 → 12`.
  func text(of node: String, _ operation: String?) -> String {
    let name = operation.map { node.hasPrefix("\($0) at ") ? node : "\(node) (\($0))" } ?? node
    switch kind {
    case .set: return "\(node) set\(circumstances)"
    case .stored: return "\(name): \(old ?? .unknown) → \(new ?? .unknown)"
    case .pushed: return "\(node): its value went over a new edge, \(operation ?? "Link")"
    case .told: return "a listener of \(node) was called"
    case .queued: return "\(name): busy, it waited in the queue"
    case .stopped: return "\(name): \(stop.map(\.reason) ?? "stopped")"
    case .edgeMade: return "edge \(operation ?? "") made\(circumstances)"
    default: return "\(name): \(kind.rawValue)"
    }
  }

  private var circumstances: String {
    var text = callSite.map { " at \($0)" } ?? ""
    if let context { text += ", context \(context)" }
    let micros = Double(nanoseconds / 1_000) / 1_000
    return text + ", thread \(thread), after \(micros) ms"
  }
}
