import EasyReact

// MARK: - Telling

extension ReplicaState {
  var isToBeTold: Bool { !told.isEmpty || rebasing != nil }

  /// What the node is to tell next.
  mutating func nextTold() -> Decision<Value> {
    goOnRebasing()
    guard let next = told.popFirst() else { return .keep }
    return next.map { .store($0) } ?? .clear
  }

  /// What another one set, in the store's order. After it comes what waits here, for that is what the node is to hold.
  mutating func tellTheirs(_ values: [Value?]) {
    untellWaiting()
    told.append(contentsOf: values)
  }

  mutating func tellWaiting() {
    told.append(shown)
    endsWithWaiting = true
  }

  mutating func untellWaiting() {
    if endsWithWaiting, !told.isEmpty { _ = told.popLast() }
    endsWithWaiting = false
  }

  mutating func tell(_ value: Value?) {
    if rules.telling == .newest { told = Queue() }
    told.append(value)
    endsWithWaiting = false
  }
}
