import Synchronization

/// Limits that keep one turn from occupying a thread for ever. They hold for the whole process, and may be set at any time.
///
///     GraphLimits.reentrantSets = 1_000          // in a test: a circle of listeners is named soon
public enum GraphLimits {
  private static let limit = Atomic(100_000)

  /// How many sets may wait in queues in one turn before the tracer, or a warning on standard
  /// error, names the nodes that they circle through. Default 100,000.
  public static var reentrantSets: Int {
    get { limit.load(ordering: .relaxed) }
    set { limit.store(positive(newValue, "reentrantSets"), ordering: .relaxed) }
  }

  /// How many operations, left by other threads, one turn delivers before a background queue takes
  /// over. Default 1,000.
  public static var messagesPerTurn: Int {
    get { messageBound.load(ordering: .relaxed) }
    set { messageBound.store(positive(newValue, "messagesPerTurn"), ordering: .relaxed) }
  }

  private static func positive(_ limit: Int, _ name: String) -> Int {
    if limit > 0 { return limit }
    misuse("GraphLimits.\(name)", "the limit \(limit) is not positive", nil, "Pass one or more.")
  }
}
