import CEasyReact

/// Stages the sets that `body` makes on this thread, and applies them together when the outermost
/// batch ends.
///
///     let a = MutableNode(1), b = MutableNode(2)
///     let sum = a.combine(b).map { $0 + $1 }
///     let listening = sum.listen { print($0) }     // 3
///     batch {
///       a.value = 10
///       b.value = 20
///     }                                            // 30, once
///
/// Inside, this thread reads what it staged, and nobody is told; derived nodes, other threads and
/// new edges see stored values. At the end each staged node is set once, to its last staged value,
/// in the order of first staging, each with a wave of its own, all in one turn. `clean()` and
/// `update` are staged too. A batch that throws sets nothing at all; a nested one drops only its
/// own. Known as `transaction` in other libraries.
public func batch<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  let turn = currentTurn()
  let outer = turn.openBatch
  let mine = Batch(outer: outer)
  turn.pointee.batch = Unmanaged.passUnretained(mine as AnyObject)
  easyreact_add_unsettled(1)
  defer {
    turn.pointee.batch = outer.map { Unmanaged.passUnretained($0 as AnyObject) }
    easyreact_add_unsettled(-1)
  }
  let result = try body()
  turn.pointee.batch = outer.map { Unmanaged.passUnretained($0 as AnyObject) }
  if let outer {
    mine.merge(into: outer)
  } else {
    turn.enter()
    for entry in mine.entries { entry.apply(turn) }
    turn.leave()
  }
  return result
}

/// What one batch has staged; used by the thread that opened it alone.
@usableFromInline final class Batch {
  let outer: Batch?
  var entries: [AnyStaged] = []
  private var positions: [NodePointer: Int] = [:]

  init(outer: Batch?) { self.outer = outer }

  /// Open while the closure of a derivation runs, which sets no node.
  // Unsafe: nothing is ever staged in it.
  @usableFromInline nonisolated(unsafe) static let refusing = Batch(outer: nil)

  /// The newest staged value of a node, in this batch or one around it.
  @usableFromInline func staged(_ storage: NodePointer) -> AnyStaged? {
    if let position = positions[storage] { return entries[position] }
    return outer?.staged(storage)
  }

  @usableFromInline func stage<Value>(
    _ node: MutableNode<Value>, _ arrival: Arrival<Value>, _ context: ContextBox?
  ) {
    if self === Batch.refusing {
      misuse(
        arrival.operation, "a derivation's closure computes a value and sets no node", node,
        "Listen to the derived node, and set there.")
    }
    switch arrival {
    case .value(let value): put(Staged(node, value, context))
    case .empty: put(Staged(node, nil, context))
    case .change(let change):
      guard var value = node.value else { return }  // staged, or stored
      change(&value)
      put(Staged(node, value, context))
    case .attempt(let change):
      guard var value = node.value, change(&value) else { return }
      put(Staged(node, value, context))
    }
  }

  private func put(_ staged: AnyStaged) {
    let turn = currentTurn()
    staged.callSite = turn.pointee.callSite
    turn.pointee.callSite = nil
    if let position = positions[staged.storage] {
      entries[position] = staged
    } else {
      positions[staged.storage] = entries.count
      entries.append(staged)
    }
  }

  func merge(into outer: Batch) {
    for entry in entries { entry.stage(in: outer) }
  }
}

@usableFromInline class AnyStaged {
  let storage: NodePointer
  /// For a tracer.
  var callSite: SourceLocation?
  init(_ storage: NodePointer) { self.storage = storage }
  func apply(_ turn: TurnPointer) {}
  func stage(in batch: Batch) {}
}

@usableFromInline final class Staged<Value: Sendable>: AnyStaged {
  let node: MutableNode<Value>
  @usableFromInline let value: Value?
  let context: ContextBox?

  init(_ node: MutableNode<Value>, _ value: Value?, _ context: ContextBox?) {
    self.node = node
    self.value = value
    self.context = context
    super.init(node.storage)
  }

  private var arrival: Arrival<Value> { value.map { .value($0) } ?? .empty }
  override func apply(_ turn: TurnPointer) {
    turn.pointee.callSite = callSite
    node.setSlowly(arrival, context: context)
  }
  override func stage(in batch: Batch) {
    currentTurn().pointee.callSite = callSite
    batch.stage(node, arrival, context)
  }
}
