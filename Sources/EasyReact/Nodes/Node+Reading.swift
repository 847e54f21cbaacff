import CEasyReact
import Synchronization

extension NodePointer {
  /// What `node.value` tells this thread: what it staged in a batch, what was sent last, or what is
  /// stored. The closure of a derivation sees what is stored, which is what other nodes were computed
  /// from.
  @inlinable @inline(__always) func readValue<Value: Sendable>(_: Value.Type) -> Value? {
    if let reads = easyreact_reads_get() {
      if !_isPOD(Value.self) { return readAndKeep(Value.self, in: reads) }
      if noteRead(in: reads) { return readStored(Value.self) }
    }
    return readPresent(Value.self)
  }

  @inlinable @inline(__always) func readPresent<Value: Sendable>(_: Value.Type) -> Value? {
    if easyreact_is_batching() || pointee.hasPendingValue.load(ordering: .acquiring) {
      return readUnsettled(Value.self)
    }
    return readStored(Value.self)
  }

  @inlinable @inline(never) func readUnsettled<Value: Sendable>(_: Value.Type) -> Value? {
    let turn = currentTurn()
    if isEventNode() { return nil }
    if let batch = turn.openBatch {
      if let staged = batch.staged(self) {
        return staged.read(Value.self)
      }
      if let part = anyLens?.read(self, in: batch) {
        return unsafeDowncast(part, to: PendingValue<Value>.self).value
      }
    }
    if let left = leftValue(in: turn, Value.self) { return left.value }
    return readStored(Value.self)
  }

  /// What was left with the thread that is inside the node, where this thread reads that.
  @usableFromInline func leftValue<Value: Sendable>(in turn: TurnPointer, _: Value.Type)
    -> PendingValue<Value>?
  {
    pointee.hasPendingValue.load(ordering: .acquiring) ? pendingValue(in: turn, Value.self) : nil
  }
}

/// Does this thread read a value of the node: one that it holds, or that was left with the thread that
/// is inside it? What was left for a part that is not there finds none, so it does not count.
@usableFromInline func hasEmitted<Value: Sendable>(_ node: Node<Value>) -> Bool {
  if let left = node.storage.leftValue(in: currentTurn(), Value.self) {
    if left.value == nil { return false }
    if node.storage.anyLens == nil { return true }
  }
  return node.storage.pointee.hasValue.load(ordering: .acquiring)
}
