import DequeModule
import EasyReact

// MARK: - What the program does

extension ReplicaState {
  /// The node was set, or cleaned, and is telling it.
  mutating func heard(_ value: Value?, sequence: UInt64) {
    if isAlone { return confirmed.value = value }
    append(
      Operation(
        kind: value.map { .set($0) } ?? .clean, sequence: sequence,
        base: rules.merge == nil ? nil : shown, result: value))
  }

  /// The node is to be updated.
  /// - Returns: What it is to hold; nil: it is not known yet on what the update is made.
  mutating func changed(by change: @escaping Change, sequence: UInt64) -> Decision<Value> {
    var operation = Operation(kind: .changes([change]), sequence: sequence)
    guard isKnown || waiting.contains(where: { !$0.isChange }) else {
      append(operation)
      return .keep
    }
    if confirmed.problem != nil, !waiting.contains(where: { !$0.isChange }) {
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

  /// What the node holds when it has told everything.
  var shown: Value? { waiting.last?.result ?? (waiting.isEmpty ? confirmed.value : nil) }

  private mutating func append(_ operation: Operation) {
    // The node holds it now; again only behind what others set and is still to be told.
    defer {
      untellWaiting()
      if !told.isEmpty { tellWaiting() }
    }
    guard waiting.count >= rules.limit, let last = waiting.last,
      last.sequence > attempt?.sequence ?? 0
    else { return waiting.append(operation) }
    joinedCount += 1
    waiting[waiting.count - 1] = last.joined(with: operation)
  }
}

extension ReplicaState.Operation {
  var isChange: Bool { if case .changes = kind { true } else { false } }

  /// One operation that does what the two do.
  func joined(with newer: Self) -> Self {
    var both = newer
    both.base = base
    if case .changes(let changes) = newer.kind {
      switch kind {
      case .changes(let earlier): both.kind = .changes(earlier + changes)
      case .set, .clean: both.kind = newer.result.map { .set($0) } ?? .clean
      }
    }
    return both
  }
}
