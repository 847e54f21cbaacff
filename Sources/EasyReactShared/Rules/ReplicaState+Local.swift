import EasyReact

// MARK: - What the program does

extension ReplicaState {
  /// The node was set, or cleaned, and is telling it.
  mutating func heard(_ value: Value?, sequence: UInt64) {
    if isAlone { return confirmed.value = value }
    finishRebasing()
    append(
      Operation(
        kind: value.map { .set($0) } ?? .clean, sequence: sequence, base: baseOfNext,
        result: value))
  }

  /// A change needs it too: a set may be joined with it, and then began where it did.
  private var baseOfNext: Value? { rules.merge == nil ? nil : shown }

  /// The node is to be updated.
  /// - Returns: What it is to hold; nil: it is not known yet on what the update is made.
  mutating func changed(by change: @escaping Change, sequence: UInt64) -> Decision<Value> {
    finishRebasing()
    var operation = Operation(kind: .changes([change]), sequence: sequence, base: baseOfNext)
    guard isKnown || hasSet else {
      append(operation)
      return .keep
    }
    if confirmed.problem != nil, !hasSet {
      problem = confirmed.problem  // of what cannot be read nothing can be made
      return .keep
    }
    var value = shown
    let hasChanged = change(&value)
    if !hasChanged { return .keep }
    operation.result = value
    if isAlone { confirmed.value = value } else { append(operation) }
    return value.map { .store($0) } ?? .clear
  }

  /// The store has all that was done here, and the node has told all that the store has, which can be read.
  var isAgreed: Bool {
    isKnown && waiting.isEmpty && attempt == nil && told.isEmpty && confirmed.problem == nil
  }

  /// What the node holds when it has told everything.
  var shown: Value? { waiting.last?.result ?? (waiting.isEmpty ? confirmed.value : nil) }

  private mutating func append(_ operation: Operation) {
    // The node holds it now; again only after what others set and is still to be told.
    defer {
      untellWaiting()
      if rules.telling == .newest { told = Queue() }
      if !told.isEmpty { tellWaiting() }
    }
    if waiting.count >= rules.limit, waiting.last!.sequence > attempt?.sequence ?? 0 {
      joinedCount += 1
      waiting[waiting.count - 1].join(operation)
    } else {
      waiting.append(operation)
    }
    if waiting.last?.isChange == false { lastSet = operation.sequence }
  }
}

extension ReplicaState.Operation {
  var isChange: Bool { if case .changes = kind { true } else { false } }

  /// Does what the two do. In place: closures that are copied cost each update as many as were joined before it.
  mutating func join(_ newer: Self) {
    let base = base, earlier = kind
    self = newer
    self.base = base
    guard case .changes(let changes) = newer.kind else { return }
    switch consume earlier {
    case .changes(var all):
      kind = .changes([])
      all += changes
      kind = .changes(all)
    case .set, .clean: kind = newer.result.map { .set($0) } ?? .clean
    }
  }
}
