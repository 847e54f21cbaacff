import CEasyReact
import Synchronization

extension NodePointer {
  /// What `node.value` tells this thread: what it staged in a batch, what was sent last, or what is
  /// stored. The closure of a derivation sees what is stored, which is what other nodes were computed
  /// from.
  ///
  /// The switch of the whole process only spares the look at this thread and this node where nobody
  /// stages or sends anything.
  @inlinable @inline(__always) func readValue<Value: Sendable>(_: Value.Type) -> Value? {
    if let reads = easyreact_reads_get() {
      noteRead(in: reads)
      return readStored(Value.self)
    }
    if easyreact_is_unsettled() { return readUnsettled(Value.self) }
    return readStored(Value.self)
  }

  @inlinable @inline(never) func readUnsettled<Value: Sendable>(_: Value.Type) -> Value? {
    let turn = currentTurn()
    if turn.pointee.batch == nil, !pointee.hasPendingValue.load(ordering: .acquiring) {
      return readStored(Value.self)
    }
    if isEventNode() { return nil }
    if let batch = turn.openBatch {
      if let staged = batch.staged(self) {
        return unsafeDowncast(staged, to: Staged<Value>.self).value
      }
      if let part = anyLens?.staged(in: batch) {
        return unsafeDowncast(part, to: PendingValue<Value>.self).value
      }
    }
    // Inside a notification of the node the value that is being told is read (contract 3.3, 7.5).
    if pointee.hasPendingValue.load(ordering: .acquiring), !isNotifying(in: turn) {
      if let pendingValue = readPendingValue(Value.self) { return pendingValue.value }
    }
    return readStored(Value.self)
  }
}

extension TurnPointer {
  @inlinable var openBatch: Batch? {
    pointee.batch.map { unsafeDowncast($0.takeUnretainedValue(), to: Batch.self) }
  }
}

/// Does this thread read a value of the node: one that it holds, or that was left with the thread that
/// is inside it?
func hasEmitted<Value: Sendable>(_ node: Node<Value>) -> Bool {
  if node.storage.pointee.hasPendingValue.load(ordering: .acquiring),
    let pendingValue = node.storage.readPendingValue(Value.self)
  {
    return pendingValue.value != nil
  }
  return node.storage.pointee.hasValue.load(ordering: .acquiring)
}
