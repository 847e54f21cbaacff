import EasyReact

// MARK: - Writing

extension ReplicaState {
  /// What is to be written next; nil: nothing, or something is under way.
  mutating func nextAttempt() -> Attempt? {
    guard isKnown, attempt == nil else { return nil }
    beginRebasing()
    dropVoid()
    var earlier = oldest()
    guard let last = earlier.popLast() else { return nil }
    attempts += 1
    let envelope = Envelope(
      writer: writer, sequence: last.sequence,
      count: confirmed.envelope.count(with: earlier.count + 1), previous: confirmed.revision,
      trail: confirmed.trailOfNext)
    attempt = Attempt(
      number: attempts, made: last, earlier: earlier, expected: confirmed.revision,
      envelope: envelope)
    return attempt
  }

  /// What goes into one entry. An update that found nothing to do goes nowhere.
  private func oldest() -> [Made] {
    var made: [Made] = []
    for operation in computed where !operation.isVoid {
      made.append(Made(sequence: operation.sequence, value: operation.result))
      if made.count == valuesAtOnce { break }
    }
    return made
  }

  /// The same again, after an answer that said nothing.
  mutating func sameAttempt(_ number: UInt64) -> Attempt? {
    guard attempt?.number == number, attempt?.isConflict == false else { return nil }
    attempts += 1
    attempt?.number = attempts
    return attempt
  }

  /// What the store answered. Nil: it is not the attempt that is under way any more.
  enum Next: Sendable { case goOn, tryAgain, look, nothing }

  mutating func answered(_ number: UInt64, _ answer: StoreAnswer) -> Next {
    guard let attempt, attempt.number == number else { return .nothing }
    finishRebasing()
    switch answer {
    case .stored(let revision): stored(attempt, revision)
    case .conflict where confirmed.revision > attempt.expected:
      // The entry was here before the answer, and its trail did not reach back.
      if attempt.isDoubtful { giveUp(attempt) } else { self.attempt = nil }
    case .conflict:
      self.attempt?.isConflict = true
      return .look
    case .unknown(let problem):
      self.problem = problem
      if confirmed.revision > attempt.expected {
        giveUp(attempt)
      } else {
        self.attempt?.isDoubtful = true
        return .tryAgain
      }
    case .unsent(let problem):
      self.problem = problem
      return .tryAgain
    case .refused where !attempt.earlier.isEmpty && !attempt.isDoubtful:
      valuesAtOnce = (attempt.earlier.count + 1) / 2
      self.attempt = nil
    case .refused(let problem):
      takeBack(attempt)
      self.problem = problem
    }
    return .goOn
  }

  private mutating func stored(_ attempt: Attempt, _ revision: UInt64) {
    finish(attempt)
    problem = nil
    valuesAtOnce = min(valuesAtOnce + 1, Envelope.valuesAtOnce)
    if revision > confirmed.revision {
      confirmed = Entry(revision: revision, value: attempt.value, envelope: attempt.envelope)
    } else {
      // Others have written after it, and below it is what the store has.
      rebase(telling: [confirmed.value])
    }
  }

  private mutating func giveUp(_ attempt: Attempt) {
    giveUp(attempt, at: confirmed.revision)
    let reason = problem
    rebase(telling: [confirmed.value])
    problem = reason
  }

  /// After a conflict: the newest revision that the store has; zero: none. Nil: it has not said.
  mutating func found(_ newest: UInt64?, for number: UInt64) -> Next {
    guard let attempt, attempt.number == number, attempt.isConflict else { return .nothing }
    // The watch brings it, in its order.
    guard let newest, newest <= attempt.expected else { return .look }
    if newest == 0, attempt.expected > 0 {
      // The entry has expired, or was purged.
      lostEverything()
      becameCurrent()
      return .goOn
    }
    // The other write was under way, and has come to nothing. So this one is made again as it was: an earlier try of it may still
    // be under way, too.
    self.attempt?.isConflict = false
    return .tryAgain
  }
}

extension ReplicaState.Entry {
  /// The trail of an entry that replaces this one.
  var trailOfNext: WriteTrail {
    if envelope.writer == 0 { return envelope.trail }
    return envelope.trail.adding(
      .init(writer: envelope.writer, sequence: envelope.sequence, revision: revision))
  }
}
