import Synchronization

/// What becomes of that which either side of a sync had before it was made (decision 0002). The side whose value wins goes on with its
/// own versions. On the other side, all that it had before counts as set when the sync was made: under the sync's number, in the order in which it
/// crosses. What the other side had before does not cross. So a set that waits, on either side, is older or newer than the first value as if
/// it had been done when it was made.
///
/// `Tests/Model/contract_model.py` has the same as a program; its law `as_called` says what it is good for.
@usableFromInline final class SyncBeginning: Sendable {
  /// What has a greater number was set later, and crosses as it is.
  @usableFromInline let number = newWave()
  private let state: Mutex<State>

  private struct State {
    /// The half over which the first value goes.
    var winner: EdgeReference?
    /// The newest version of the winning side that has crossed, and the newest sequence on the other side that goes with it.
    var crossed: Version = (0, 0)
    var sequence: UInt64 = 0
    /// That of the first value, which is to come back, once, through the other transform.
    var first: UInt64 = 0
    var comesBack: Bool
  }

  init(comesBack: Bool) { state = Mutex(State(comesBack: comesBack)) }

  /// The side wins from which this half leads, unless the other one has. By its holder.
  /// - Parameter version: Of its value.
  func begin(over half: EdgePointer, with version: Version) -> Bool {
    state.withLock { state in
      if state.winner != nil { return false }
      (state.winner, state.crossed, state.first) = (EdgeReference(half), version, newSequence())
      state.sequence = state.first
      return true
    }
  }

  /// As what something with this version counts behind the half; nil: it does not cross. By the holder of the side from which it comes.
  /// What a whole has marked (`ArrivedPart`) stays marked, unless it is the first of its wave: behind the half all waves have one number.
  /// - Parameter version: With a number up to that of the sync. The sync's own, without a sequence, has the first value.
  func crossing(_ version: Version, over half: EdgePointer) -> Version? {
    let number = number
    return state.withLock { state in
      guard let winner = state.winner else { return version }
      if winner.edge == half {
        if version == (number, 0) { return (number, state.first) }
        if version.number == number { return version }
        if version <= state.crossed { return nil }
        let isSameWave = state.crossed.number == version.number
        state.crossed = version
        state.sequence = newSequence(isSameWave ? version.tiebreak & marks : 0)
        return (number, state.sequence)
      }
      if version < (number, state.sequence) { return nil }
      if version.tiebreak == state.sequence {
        if version.tiebreak != state.first || !state.comesBack { return nil }
        state.comesBack = false
      }
      // Newer than what has crossed, older than what has not.
      state.sequence = version.tiebreak
      state.crossed.tiebreak = nextSequence(state.crossed.tiebreak, like: version.tiebreak)
      return state.crossed
    }
  }
}

extension EdgePointer {
  /// Of the sync whose half this is; 0: none.
  @inlinable @inline(__always) var syncNumber: UInt64 {
    block.pointee.beginning?._withUnsafeGuaranteedRef { $0.number } ?? 0
  }

  /// What comes over this half of a sync counts as; nil: it does not cross.
  @usableFromInline func crossing(_ version: Version) -> Version? {
    if version.number > syncNumber { return version }
    let beginning = block.pointee.beginning.unsafelyUnwrapped.takeUnretainedValue()
    let isToldAgain = version.tiebreak & toldAgain
    return beginning.crossing((version.number, version.tiebreak & ~toldAgain), over: self)
      .map { ($0.number, $0.tiebreak | isToldAgain) }
  }

  /// Has what comes over this half of a sync perhaps been there before it was made?
  @inlinable @inline(__always) func mayBeOlderThanSync(_ turn: TurnPointer) -> Bool {
    turn.pointee.wave.number <= syncNumber
  }
}
