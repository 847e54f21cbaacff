import EasyReact
import Synchronization

// MARK: - Status

extension Replica {
  /// A set may have been left with a thread that is inside the node, and the rules know nothing of it yet. Then the status does not
  /// say settled until that thread has come to what was left before this.
  ///
  /// What a question makes the status tell may make whoever hears it ask again. So that this comes to an end, a question does not
  /// tell that something waits to anybody who has been told so already, and that it is over is told outside of the node, where a question
  /// finds nobody inside.
  func waitForLeftSets(_ node: SharedNode<Value>) {
    if node.isHeldAndUpToDate { return }
    let mark = Mark()
    node.decide { _ in
      if self.reach(mark) { self.noteAllReached() }
      return .keep
    }
    if leave(mark) { tell(isReadAtOnce: status.value) }
  }

  /// Holder.
  private func noteAllReached() {
    version += 1
    let publish = { @Sendable [status = state.status, version] in self.publish(status, version) }
    store.scheduler.schedule {
      // A scheduler that works at once is inside the node still.
      if self.node?.isHeld == true { QueueScheduler.global().schedule(publish) } else { publish() }
    }
  }

  /// True: it was left, and is the last one of those.
  private func reach(_ mark: Mark) -> Bool {
    marks.withLock { marks in
      mark.isReached = true
      if mark.isLeft { marks.leftCount -= 1 }
      return mark.isLeft && marks.leftCount == 0
    }
  }

  /// False: it was reached at once.
  private func leave(_ mark: Mark) -> Bool {
    marks.withLock { marks in
      mark.isLeft = !mark.isReached
      if mark.isLeft { marks.leftCount += 1 }
      return mark.isLeft
    }
  }

  /// In the order of the node's decisions, whoever comes first.
  /// - Parameter isReadAtOnce: By whoever asks next, even if another thread is inside the status.
  func publish(_ status: SharedStatus, _ version: UInt64, isReadAtOnce: Bool = false) {
    let old = marks.withLock { marks -> SharedStatus? in
      if version < marks.publishedVersion { return nil }
      defer { (marks.publishedVersion, marks.published) = (version, status) }
      return marks.published
    }
    _ = consume old  // it may have the last reference to an error
    tell(isReadAtOnce: isReadAtOnce ? status : nil)
  }

  /// Tells what is published by then, as far as it is heard. A decision that is left with the thread inside the status cannot be read
  /// before that has come to it; a value can (contract 7.5). Others may have published newer ones, so a decision follows it.
  /// - Parameter status: Is to be read at once.
  private func tell(isReadAtOnce status: SharedStatus?) {
    let decide = { @Sendable (present: SharedStatus?) -> Decision<SharedStatus> in
      let due = self.marks.withLock { marks in
        let due = marks.asFarAsHeard(marks.published)
        marks.isSettledSaid = due.isSettled
        return due
      }
      return present == due ? .keep : .store(due)
    }
    guard let status = status.map({ status in marks.withLock { $0.asFarAsHeard(status) } }),
      !status.isSettled
    else {
      return self.status.decide(decide)
    }
    let handOff = HandOff<Void>()
    self.status.decide { handOff.give(()) ? decide($0) : .keep }
    if handOff.take() != nil { return }
    if !isRead(status) { self.status.bring(status) }
    self.status.decide(decide)
  }

  /// Does whoever asks now read this, that something waits, and not settled after it while it does? Another thread inside the status may
  /// be about to say settled, which it decided before.
  private func isRead(_ status: SharedStatus) -> Bool {
    let mayChange = !self.status.isHeld && marks.withLock { $0.isSettledSaid }
    return !mayChange && self.status.value == status
  }
}

extension Replica.Marks {
  /// Where something was left, who knows what waits?
  fileprivate func asFarAsHeard(_ status: SharedStatus) -> SharedStatus {
    var status = status
    if status.isSettled, leftCount > 0 { status.waitingCount = 1 }
    return status
  }
}
