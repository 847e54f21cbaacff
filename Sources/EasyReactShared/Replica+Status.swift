import EasyReact
import Synchronization

// MARK: - Status

extension Replica {
  /// A set may have been left with a thread that is inside the node, and the rules know nothing of it yet. Then the status does not
  /// say settled until that thread has come to what was left before this.
  func waitForLeftSets(_ node: SharedNode<Value>) {
    let mark = Mark()
    node.decide { _ in
      if self.reach(mark) {
        self.version += 1
        self.publish(self.state.status, self.version)
      }
      return .keep
    }
    if !leave(mark) { return }
    status.decide { present in
      let heard = present.map(self.asFarAsHeard)
      return heard == present ? .keep : heard.map { .store($0) } ?? .keep
    }
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
  func publish(_ status: SharedStatus, _ version: UInt64) {
    self.status.decide { present in
      if version < self.publishedVersion { return .keep }
      self.publishedVersion = version
      let status = self.asFarAsHeard(status)
      return present == status ? .keep : .store(status)
    }
  }
}
