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

extension Why: CustomStringConvertible {
  public var description: String { "" }
}

extension GraphRecorder {
  /// The chain from the set to the value that the node holds.
  public func why(_ node: AnyNode) -> Why { records.why(node.id) }
}

extension GraphRecords {
  /// The same of records, for a page or a saved session. `at`: as of this event; nil: now.
  public func why(_ node: UInt64, at sequence: UInt64? = nil) -> Why {
    Why(node: node, label: label(of: node), value: .unknown)
  }
}
