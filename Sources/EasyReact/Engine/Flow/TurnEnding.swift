/// What a floor above wants to do once for everything that a turn changes: made by the first that has something
/// to say, and touched only by the turn's thread.
class TurnEnding {
  /// Called when nothing waits any more and what the turn changed is still held: whoever changes it next comes
  /// later. Also called before each message that other threads left, which is a turn of its own. Runs no user code.
  func settled() {}
  /// Called when the turn is over and holds nothing.
  func over() {}
}

extension TurnPointer {
  /// The turn's; made if there is none.
  func ending<Kind: TurnEnding>(_ make: () -> Kind) -> Kind {
    if let present = pointee.ending {
      return unsafeDowncast(present.takeUnretainedValue(), to: Kind.self)
    }
    let made = make()
    pointee.ending = Unmanaged.passRetained(made)
    return made
  }

  @inline(never) func tellSettled() {
    pointee.ending?.takeUnretainedValue().settled()
  }

  /// What `over` does is a turn of its own, and no part of a batch that is open.
  @inline(never) func tellOver() {
    guard let ending = pointee.ending?.takeRetainedValue() else { return }
    pointee.ending = nil
    let batch = pointee.batch
    pointee.batch = nil
    ending.over()
    pointee.batch = batch
  }
}
