import CEasyReact
import Synchronization

typealias TraceRecord = UnsafeMutablePointer<easyreact_node_trace>

/// What recordings know of one node. Made when a recording first meets it, and kept by the node's side table and by the
/// recordings that met it.
package final class NodeTrace: @unchecked Sendable {
  // Unchecked: constants and a Mutex; what `record` points to is atomic, or lies under the lock of the ring
  // of the recording that runs: no other one's touches it.
  package let id: UInt64
  package let place: (file: String, line: Int)
  package let valueType: Any.Type
  let record: TraceRecord
  private let life = Mutex(Life())

  private struct Life {
    weak var node: AnyNode?
    /// When it went: the sequence in the recording of that number; zero: in none.
    var recording: UInt64 = 0
    var gone: UInt64 = 0
    /// When it went, or a recording ended.
    var last = Last()
  }
  /// What the node alone knows.
  package struct Last: Sendable {
    package var name: String?
    package var isMutable = false
  }

  init(_ node: AnyNode) {
    id = node.id
    place = node.created
    valueType = node.valueType
    record = .allocate(capacity: 1)
    record.initialize(to: easyreact_node_trace())
    let layout = TraceLayout(of: node.valueType)
    record.pointee.offset = UInt32(clamping: layout.offset)
    record.pointee.size = UInt32(clamping: layout.size)
    record.pointee.manner = layout.manner.rawValue
    life.withLock { $0.node = node }
  }

  deinit {
    if Int(record.pointee.last_form) == easyreact_form_text {
      TracedText.release(record.pointee.last)
    }
    record.deallocate()
  }

  /// Nil: it is gone.
  package var node: AnyNode? { life.withLock { $0.node } }
  package var last: Last { life.withLock { $0.last } }
  package var hidesValues: Bool { easyreact_is_private(record) }

  func noteGone(_ last: Last, at sequence: UInt64, in recording: UInt64) {
    life.withLock { life in (life.gone, life.recording, life.last) = (sequence, recording, last) }
  }

  /// A recording has ended, so the node may go without anybody hearing it.
  func noteLast(of node: AnyNode) {
    let last = node.storage.last
    life.withLock { $0.last = last }
  }

  /// It went while this recording ran, and no event of it is kept.
  func isForgotten(in recording: UInt64, before oldest: UInt64) -> Bool {
    life.withLock { $0.recording == recording && $0.gone != 0 && $0.gone < oldest }
  }

  // MARK: - What it did

  /// In one recording.
  package struct Part: Sendable {
    package var stored: UInt64 = 0, told: UInt64 = 0, storedEqual: UInt64 = 0
    package var ranInVain: UInt64 = 0, ownNanoseconds: UInt64 = 0
    package var last = TracedValue.unknown
  }

  func part(in ring: RingPointer) -> Part {
    let copy = easyreact_copy_trace(ring, record)
    defer { if Int(copy.last_form) == easyreact_form_text { TracedText.release(copy.last) } }
    if copy.recording != ring.pointee.number { return Part() }
    return Part(
      stored: copy.stored, told: copy.told, storedEqual: copy.stored_equal,
      ranInVain: copy.ran_in_vain, ownNanoseconds: copy.own_nanoseconds,
      last: TracedValue(copy.last_form, copy.last))
  }

  /// Describes bytes that a ring has kept: the user's code.
  package func describe(_ first: UInt64, _ second: UInt64) -> String {
    let place = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
    defer { place.deallocate() }
    place.storeBytes(of: first, as: UInt64.self)
    place.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
    func text<Value>(_: Value.Type) -> String {
      untracked { String(describing: place.load(as: Value.self)) }
    }
    return text(valueType)
  }
}
