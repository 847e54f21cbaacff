import EasyReact

// MARK: - What the store says

extension ReplicaState {
  /// An entry of the store.
  mutating func received(_ entry: Entry) {
    guard entry.revision > confirmed.revision else { return }
    if entry.envelope.writer == writer { finishRebasing() }  // of which it is a part
    let isAsHeld = isAsHeld(entry)
    problem = entry.problem
    var isOwn = false
    var ownCount = 0
    if let attempt {
      let fate = entry.envelope.fate(of: attempt.sequence, by: writer, expecting: attempt.expected)
      switch fate {
      case .applied:
        isOwn = entry.envelope.writer == writer
        ownCount = 1 + attempt.earlier.count
        finish(attempt)
      case .notApplied: self.attempt = nil
      case .unknown where attempt.isConflict && !attempt.isDoubtful: self.attempt = nil
      case .unknown where attempt.isDoubtful: giveUp(attempt, at: entry.revision)
      case .unknown: break  // its answer comes
      }
    }
    dropWaiting(through: entry.envelope.sequence(of: writer) ?? 0)
    if isKnown, !isOwn { countMissed(before: entry, ownCount) }
    let news = isOwn ? [entry.value] : entry.earlier + [entry.value]
    // What cannot be read leaves the value as it is.
    let value = entry.problem == nil ? entry.value : confirmed.value
    confirmed = entry
    (confirmed.value, confirmed.earlier) = (value, [])
    if isKnown, isOwn, isAsHeld { return }
    rebase(telling: entry.problem == nil ? news : [])
  }

  /// For an entry of one's own: is it what the node holds? A store that is not exact may have replaced another entry than the one that it was
  /// computed on, and what waits has been computed on that other one.
  private func isAsHeld(_ entry: Entry) -> Bool {
    entry.envelope.previous == confirmed.revision || !dependsOnBase
  }

  /// What there is has been told.
  mutating func becameCurrent() {
    if isKnown { return }
    isKnown = true
    problem = confirmed.problem
    rebase(telling: confirmed.problem == nil ? [confirmed.value] : [])
  }

  /// There is no such key, and cannot be.
  mutating func refuse(_ problem: SharedProblem) {
    (isAlone, isKnown, self.problem) = (true, true, problem)
  }

  /// The store has lost everything: what it held before, and what may have been written.
  mutating func lostEverything() {
    finishRebasing()
    isKnown = false
    attempt = nil
    confirmed = Entry(revision: 0, value: nil, envelope: Envelope())
  }

  private mutating func countMissed(before entry: Entry, _ ownCount: Int) {
    let told = confirmed.envelope.count(with: ownCount + 1 + entry.earlier.count)
    guard rules.telling == .every, entry.envelope.count > told else { return }
    missedCount += Int(clamping: min(entry.envelope.count - told, UInt64(.max - missedCount)))
  }

  /// The store has it, or never will. What comes back of one's own is not told again.
  mutating func finish(_ attempt: Attempt) {
    self.attempt = nil
    dropWaiting(through: attempt.sequence)
  }

  mutating func dropWaiting(through sequence: UInt64) {
    while let first = waiting.first, first.sequence <= sequence { _ = waiting.removeFirst() }
  }

  /// Nobody can tell whether it was done, and it must not be done twice.
  mutating func giveUp(_ attempt: Attempt, at revision: UInt64) {
    finish(attempt)
    problem = SharedProblem(
      .outcomeUnknown,
      "a write was answered by nobody, and more than \(WriteTrail.limit) others have written since",
      at: "revision \(revision)", remedy: "Look at the value, and set it again if need be.")
  }

  /// The store does not take it.
  mutating func takeBack(_ attempt: Attempt) {
    finish(attempt)
    rebase(telling: [])
    finishRebasing()
    tell(shown)
  }
}
