import EasyReact

// MARK: - Computing anew

/// What waits, on its way to be computed anew on what the store has.
///
/// That is done in two parts, for there may be much: first what is written next, so that it is on its way while the rest is computed. Else
/// one who has been away for long, and has many updates to bring, would come too late with every write if others write often.
struct Rebasing: Sendable {
  /// What is told at its end.
  enum End: Sendable { case nothing, waiting, shown }
  var end: End
  /// Those before it have been computed.
  var index = 0
  /// The first part has been computed.
  var isBegun = false
  /// Nothing can be made of what cannot be read.
  var isReadable: Bool
  /// How many closures have run.
  var cost = 0
}

extension ReplicaState {
  /// What waits is to be computed anew on what the store has, and told if that makes a difference. It is done by `nextTold`, `nextAttempt`,
  /// and by what depends on it; another entry before that begins anew.
  /// - Parameter theirs: What the store has that has not been told, the oldest first.
  mutating func rebase(telling theirs: [Value?]) {
    if !isKnown { return }
    var new = Rebasing(
      end: rebasing?.end ?? .nothing, isReadable: confirmed.problem == nil)
    // That there is nothing is nobody's news if something waits.
    let hasNews = !theirs.isEmpty && (confirmed.revision > 0 || waiting.isEmpty)
    if hasNews, rules.telling == .every {
      tellTheirs(theirs)
      new.end = .waiting
    } else if dependsOnBase, !theirs.isEmpty || !waiting.isEmpty {
      new.end = .shown
    }
    rebasing = new
  }

  /// Does what the node is to hold depend on what the store has?
  var dependsOnBase: Bool { rules.merge != nil || !hasSet }

  /// Does a set or a clean wait?
  var hasSet: Bool { waiting.first.map { $0.sequence <= lastSet } ?? false }

  /// The first part.
  mutating func beginRebasing() {
    if rebasing?.isBegun == false { rebase(through: valuesAtOnce) }
  }

  /// The part that is due.
  mutating func goOnRebasing() {
    if rebasing?.isBegun == true { finishRebasing() } else { beginRebasing() }
  }

  mutating func finishRebasing() {
    if rebasing != nil { rebase(through: .max) }
  }

  private mutating func rebase(through limit: Int) {
    guard var present = rebasing.take() else { return }
    present.isBegun = true
    while present.index < min(limit, waiting.count) {
      if !waiting[present.index].isChange {
        // A set stays, and so does what was made on it.
        if rules.merge == nil { present.index = waiting.count; break }
        present.isReadable = true
      }
      let base = present.index == 0 ? confirmed.value : waiting[present.index - 1].result
      if present.isReadable {
        present.cost += waiting[present.index].rebase(on: base, rules.merge)
      } else {
        waiting[present.index].leave(base, rules.merge)
      }
      present.index += 1
    }
    if present.index < waiting.count { return rebasing = present }
    rebaseCost = present.cost
    switch present.end {
    case .nothing: break
    case .waiting: if !waiting.isEmpty { tellWaiting() }
    case .shown: tell(shown)
    }
  }

  /// What waits first and finds nothing to do goes nowhere.
  mutating func dropVoid() {
    while let first = waiting.first, first.isVoid, rebasing.map({ $0.index > 0 }) ?? true {
      _ = waiting.removeFirst()
      rebasing?.index -= 1
    }
  }

  /// What waits and has been computed.
  var computed: Slice<Queue<Operation>> { waiting.prefix(rebasing?.index ?? waiting.count) }
}

extension ReplicaState.Operation {
  typealias Merge = @Sendable (Value?, Value?, Value?) -> Value?

  /// It finds nothing to do.
  mutating func leave(_ theirs: Value?, _ merge: Merge?) {
    (isVoid, result) = (true, theirs)
    if merge != nil { base = theirs }
  }

  /// - Returns: How many closures have run.
  mutating func rebase(on theirs: Value?, _ merge: Merge?) -> Int {
    switch kind {
    case .changes(let changes):
      leave(theirs, merge)
      for change in changes where change(&result) { isVoid = false }
      if isVoid { result = theirs }
      return changes.count
    case .set, .clean:
      guard let merge else { return 0 }
      result = merge(base, result, theirs)
      base = theirs
      kind = result.map { .set($0) } ?? .clean
      return 1
    }
  }
}
