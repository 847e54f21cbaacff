/// How far a shared node and its store agree: ``SharedNode/status``.
///
///     try await price.status.first { $0.isSettled }        // the store has all that was set here
public struct SharedStatus: Hashable, Sendable {
  /// Has the store told what it holds under this name? Before that the node is empty, or holds what was set here.
  public var isKnown = false
  /// How many sets, cleans and updates made here the store has not acknowledged.
  public var waitingCount = 0
  /// How many of those made here were joined with a newer one, because more than the stated number waited: others never see them
  /// one by one. Nothing that an `update` does is lost by that.
  public var joinedCount = 0
  /// For a node that tells every value: how many it could not tell, because the store's history did not reach back.
  public var missedCount = 0
  /// The newest revision that is known here; zero: none.
  public var revision: UInt64 = 0
  /// What went wrong last; nil once something went well after it.
  public var problem: SharedProblem?

  public init() {}

  /// The store has told its value, and acknowledged all that was set here.
  public var isSettled: Bool { isKnown && waitingCount == 0 }
}

/// Can a store be reached? ``SharedStore/connection``.
public enum StoreConnection: Hashable, Sendable {
  /// Not yet. It is being tried.
  case connecting
  case connected
  /// It was reached, or could not be at the start. It is being tried again.
  case disconnected(SharedProblem)
  /// Trying again will hardly help before something has been changed. It is tried now and then all the same.
  case refused(SharedProblem)

  public var isConnected: Bool { self == .connected }
}
