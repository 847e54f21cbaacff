import EasyReact
import Synchronization

// MARK: - Status

extension Replica {
  /// A set may have been left with a thread that is inside the node, and the rules know nothing of it yet. Then the status does not
  /// say settled until that thread has come to what was left before this.
  func waitForLeftSets(_ node: SharedNode<Value>) {
    // What is told to a listener that asks may not follow from its having asked: it would be told for ever.
    if node.isHeldAndUpToDate { return }
    let mark = Mark()
    node.decide { _ in
      if self.reach(mark) {
        self.version += 1
        self.publish(self.state.status, self.version)
      }
      return .keep
    }
    if leave(mark) { tell(isReadAtOnce: status.value) }
  }

  /// True: it was left.
  private func reach(_ mark: Mark) -> Bool {
    leftMarks.withLock { count in
      mark.isReached = true
      if mark.isLeft { count -= 1 }
      return mark.isLeft
    }
  }

  /// False: it was reached at once.
  private func leave(_ mark: Mark) -> Bool {
    leftMarks.withLock { count in
      mark.isLeft = !mark.isReached
      if mark.isLeft { count += 1 }
      return mark.isLeft
    }
  }

  /// Where something was left, who knows what waits?
  private func asFarAsHeard(_ status: SharedStatus) -> SharedStatus {
    var status = status
    if status.isSettled, leftMarks.withLock({ $0 > 0 }) { status.waitingCount = 1 }
    return status
  }

  /// In the order of the node's decisions, whoever comes first.
  /// - Parameter isReadAtOnce: By who asks next, also where another thread is inside the status.
  func publish(_ status: SharedStatus, _ version: UInt64, isReadAtOnce: Bool = false) {
    tell(isReadAtOnce: isReadAtOnce ? status : nil) {
      if version < self.publishedVersion { return }
      (self.publishedVersion, self.published) = (version, status)
    }
  }

  /// Tells what is published, as far as it is heard. A decision that is left with the thread inside the status cannot be read before
  /// that has come to it; a value can (contract 7.5). Others may have published newer ones, so a decision follows it.
  /// - Parameter status: Is to be read at once.
  private func tell(
    isReadAtOnce status: SharedStatus?, after note: @escaping @Sendable () -> Void = {}
  ) {
    let decide = { @Sendable (present: SharedStatus?) -> Decision<SharedStatus> in
      note()
      let due = self.asFarAsHeard(self.published)
      return present == due ? .keep : .store(due)
    }
    guard let status = status.map(asFarAsHeard), !status.isSettled else {
      return self.status.decide(decide)
    }
    let handOff = HandOff<Void>()
    self.status.decide { handOff.give(()) ? decide($0) : .keep }
    if handOff.take() != nil { return }
    self.status.bring(status)
    self.status.decide(decide)
  }
}
