import Synchronization

// What can come to a node, and what travels with it. How it comes stands in Propagation.swift.

/// What can come to a node: a value, emptiness, or a change of what it holds when its time comes.
@usableFromInline enum Arrival<Value: Sendable> {
  case value(Value)
  case empty
  case change(@Sendable (inout Value) -> Void)
}

/// Runs the user's change on a copy. The node is busy meanwhile, so a set made by the change waits
/// for it.
@inlinable func changed<Value: Sendable>(
  _ core: CorePointer, _: Value.Type, by body: @Sendable (inout Value) -> Void
) -> Value? {
  guard var value = readStored(core, Value.self) else { return nil }
  let bits = core.pointee.bits & Bits.busy
  core.pointee.bits |= Bits.busy
  body(&value)
  core.pointee.bits = core.pointee.bits & ~Bits.busy | bits
  return value
}

@usableFromInline func noteSequence(_ core: CorePointer, _ wave: UInt64, _ sequence: UInt64) {
  let extras = extras(of: core)
  extras.lateSequence.store(sequence, ordering: .releasing)
  extras.lateWave.store(wave, ordering: .releasing)
}

@usableFromInline func keepContext(_ core: CorePointer, _ context: Unmanaged<ContextBox>) {
  extras(of: core).context = context.takeUnretainedValue()
}

/// The node has told its value: what travelled with it is forgotten.
func dropTravelling(_ node: CorePointer) {
  let bits = node.pointee.bits
  node.pointee.bits = bits & ~Bits.travelling
  if bits & Bits.event != 0 { _ = node.pointee.operations(node, .dropEvent, currentTurn()) }
  if bits & Bits.context != 0, let extras = node.pointee.extrasIfAny() {
    if extras.isTracedStart.load(ordering: .relaxed) {
      extras.isTracedStart.store(false, ordering: .relaxed)
      traceWave(node.pointee.wave.load(ordering: .relaxed), began: false, node)
    }
    let context = extras.context
    extras.context = nil
    _ = consume context
  }
}
