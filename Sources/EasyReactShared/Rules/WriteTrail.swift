/// Who has written a key: each writer's newest write before the present entry, the newest first.
///
/// It travels with every entry, and answers what a lost answer leaves open: has this write been done? One that expected a
/// revision can only ever be done as the next one after it, and while the trail reaches back to there, it is in it or was not done.
struct WriteTrail: Hashable, Sendable {
  struct Write: Hashable, Sendable {
    var writer: UInt64
    /// Counts the writes of one writer.
    var sequence: UInt64
    var revision: UInt64
  }

  /// This many writers are remembered: eleven bytes or so each, for keys that so many write.
  static let limit = 64

  var writes: [Write] = []
  /// Every write after this revision is in the trail, or is an older one of a writer that is.
  var since: UInt64 = 0

  /// The trail of an entry that replaces one with this trail.
  func adding(_ write: Write) -> WriteTrail {
    var trail = self
    trail.writes.removeAll { $0.writer == write.writer }
    trail.writes.insert(write, at: 0)
    while trail.writes.count > Self.limit {
      trail.since = max(trail.since, trail.writes.removeLast().revision)
    }
    return trail
  }
}

/// What became of a write.
enum Fate: Hashable, Sendable { case applied, notApplied, unknown }
