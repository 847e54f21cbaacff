import CEasyReact

/// An event of a recording, out of the ring.
package struct TracedEvent: Sendable {
  package enum Kind: UInt8, Sendable {
    case nodeMade, nodeGone, edgeMade, edgeCut, set, pushed, stored, told, arrived, stopped, queued
    case endlessSets
  }

  package let kind: Kind
  package let sequence, nanoseconds, thread, turn: UInt64
  package let wave: UInt64
  /// The number under which it came, before the node gave it another one.
  package let origin: UInt64
  package let node: UInt64
  /// Zero: none.
  package let other, edge: UInt64
  package let stop: GraphEvent.Stop
  /// What the edge does.
  package let operation: String
  package let isDeferred, keepsNewest, isBackEdge: Bool
  /// For a set that has no other value to tell: it is one of what a node stores.
  package let isSet: Bool
  /// A join has run and told nothing, whether or not it has said why before.
  package let isSilentRun: Bool
  /// For a stop: at a join, which it does not make run.
  package let isArrival: Bool
  /// It is what a join has computed.
  package let isOfJoin: Bool
  package let old, new: TracedValue
  package let context: String?
  package let place: (file: String, line: Int)?

  init(_ event: easyreact_event) {
    kind = Kind(rawValue: event.kind)!
    (sequence, nanoseconds) = (event.sequence, event.nanoseconds)
    (thread, turn) = (UInt64(event.thread), event.turn)
    (wave, origin, node, other) = (event.wave, event.origin, event.node, event.other)
    edge = UInt64(event.edge)
    stop = unsafeBitCast(event.stop, to: GraphEvent.Stop.self)
    let kindOfEdge = unsafeBitCast(event.operation, to: OperatorKind.self)
    operation = kindOfEdge.name
    isDeferred = kindOfEdge.isDeferred
    keepsNewest = kindOfEdge.keepsNewest
    isBackEdge = event.flags & TracedFlags.backEdge != 0
    isSet = event.flags & TracedFlags.set != 0
    isSilentRun = event.flags & TracedFlags.silentRun != 0
    isOfJoin = event.flags & TracedFlags.joinRun != 0
    isArrival = event.flags & TracedFlags.arrival != 0
    old = TracedValue(event.old_form, event.old_value)
    new = TracedValue(event.new_form, event.new_value)
    context = event.context.map {
      Unmanaged<TracedText>.fromOpaque($0).takeUnretainedValue().text
    }
    place = event.file.map { (String(cString: $0), Int(event.line)) }
  }
}

/// The bits of `easyreact_event.flags`.
enum TracedFlags {
  /// The ring knows it: an operator ran, and nothing came of it.
  static let inVain: UInt8 = 1
  static let backEdge: UInt8 = 2
  static let set = UInt8(DeliveryRules.set.rawValue)
  static let joinRun = UInt8(DeliveryRules.ofJoin.rawValue)
  static let arrival: UInt8 = 16
  static let silentRun: UInt8 = 32

  /// Of a delivery: they are the same bits.
  static func of(_ rules: DeliveryRules) -> UInt8 {
    UInt8(truncatingIfNeeded: rules.rawValue) & (set | joinRun)
  }
}

/// What an event knows of a value.
package enum TracedValue: Sendable {
  case unknown, empty, hidden
  /// The value itself, to be described by its node's trace.
  case bytes(UInt64, UInt64, isEvent: Bool)
  case text(String, isEvent: Bool)

  init(_ form: UInt8, _ value: easyreact_value) {
    let isEvent = form & UInt8(easyreact_form_event) != 0
    switch Int(form & 7) {
    case easyreact_form_empty: self = .empty
    case easyreact_form_bytes:
      self = .bytes(value.words.0, value.words.1, isEvent: isEvent)
    case easyreact_form_text: self = .text(TracedText.text(of: value), isEvent: isEvent)
    case easyreact_form_private: self = .hidden
    default: self = .unknown
    }
  }
}

/// The description of a value or a context.
final class TracedText: Sendable {
  let text: String
  init(_ text: String) { self.text = text }

  var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  static func release(_ value: easyreact_value) {
    pointer(value).map { Unmanaged<TracedText>.fromOpaque($0).release() }
  }
  static func text(of value: easyreact_value) -> String {
    pointer(value).map { Unmanaged<TracedText>.fromOpaque($0).takeUnretainedValue().text } ?? ""
  }
  private static func pointer(_ value: easyreact_value) -> UnsafeRawPointer? {
    UnsafeRawPointer(bitPattern: UInt(value.words.0))
  }
}

extension easyreact_event {
  /// What the event refers to is needed no more.
  func releaseTexts() {
    if Int(old_form & 7) == easyreact_form_text { TracedText.release(old_value) }
    if Int(new_form & 7) == easyreact_form_text { TracedText.release(new_value) }
    if let context { Unmanaged<TracedText>.fromOpaque(context).release() }
  }
}
