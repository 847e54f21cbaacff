import EasyReact

// The rules by which replicas of one key agree: a value, without threads, time, or a store. `Tests/EasyReactSharedTests/Model` has
// them once more, small, and looks at every interleaving. What comes in:
//
//  1. `heard`, `changed`   the program sets, cleans or updates. It is told at once, and waits here in order.
//  2. `nextAttempt`        the oldest of these are written as one entry, expecting the newest revision known here. One at a time.
//  3. `answered`           what became of that.
//  4. `received`           an entry of the store, which may be the effect of 3.
//  5. `isToBeTold`, `nextTold`  what the node is to tell, if that is not what it holds.
//
// What makes it right:
//  - Every write expects the newest revision known, so it can only be done as the *next* one after it. What nobody
//    answered is tried again with the same expectation: it cannot be done twice.
//  - An entry says which writes went before it (`WriteTrail`), so one that came first is known to be done, or never to be.
//  - What was written together is in the store as a whole or not at all. What an entry has of one's own is known by its sequence, and
//    with it everything before that.
//  - An entry of another writer goes *below* what waits here, which is computed anew on top of it: sets stay, or are merged;
//    updates run again. So what waits is later in the store's order, and wins.

/// What the rules need to know of the node.
struct ReplicaRules<Value: Sendable>: Sendable {
  var telling = SharedTelling.newest
  /// How many sets may wait.
  var limit = 1_000
  /// Of the base, mine, and theirs.
  var merge: (@Sendable (Value?, Value?, Value?) -> Value?)?
}

/// Its steps are extensions, a file each: what the program does, what the store says, what is written, and what is told of it. Nobody else
/// changes what it holds, except `problem`.
struct ReplicaState<Value: Sendable>: Sendable {
  typealias Change = @Sendable (inout Value?) -> Bool

  /// Something that was done here, and of which the store has not said that it has it.
  struct Operation: Sendable {
    enum Kind: Sendable {
      case set(Value)
      case clean
      case changes([Change])
    }
    var kind: Kind
    var sequence: UInt64
    /// What was known when it was made; for `merge`.
    var base: Value?
    /// What it makes of the base below it.
    var result: Value?
    /// An update that found nothing to do.
    var isVoid = false
  }

  /// An entry that has been decoded. `value` nil: the key was deleted, or is absent.
  struct Entry: Sendable {
    var revision: UInt64
    var value: Value?
    var envelope: Envelope
    /// Why it has no value.
    var problem: SharedProblem?
    /// What its writer set before, and wrote together with it, if every value is told.
    var earlier: [Value?] = []
  }

  /// What an operation made.
  struct Made: Sendable {
    var sequence: UInt64
    var value: Value?
  }

  /// The oldest operations, on their way to the store as one entry.
  struct Attempt: Sendable {
    var number: UInt64
    /// The last one.
    var made: Made
    /// Those before it, the oldest first.
    var earlier: [Made]
    var expected: UInt64
    var envelope: Envelope
    /// Nobody answered an earlier try, so this one's conflict may be its effect.
    var isDoubtful = false
    /// It was a conflict: the entry that was there first has not come yet.
    var isConflict = false

    var sequence: UInt64 { made.sequence }
    var value: Value? { made.value }
  }

  let rules: ReplicaRules<Value>
  let writer: UInt64
  var isKnown = false
  /// No store can have the node's name: it works here alone.
  var isAlone = false
  /// What the store has, as far as it is known here.
  var confirmed = Entry(revision: 0, value: nil, envelope: Envelope())
  var waiting = Queue<Operation>()
  /// The sequence of the newest set or clean that was made here.
  var lastSet: UInt64 = 0
  /// What waits is not yet computed on `confirmed`, all of it.
  var rebasing: Rebasing?
  /// How many closures ran when that was last done.
  var rebaseCost = 0
  var attempt: Attempt?
  var attempts: UInt64 = 0
  /// How many values are written as one entry at most. Fewer after such an entry was refused, so that it is found which value is to blame;
  /// then one more with each that went well.
  var valuesAtOnce = Envelope.valuesAtOnce
  /// What the node is still to tell, in order; the last of them is what it is to hold.
  var told = Queue<Value?>()
  /// The last of them is no news: it is what waits here, again, after what another one set.
  var endsWithWaiting = false
  var joinedCount = 0
  var missedCount = 0
  var problem: SharedProblem?

  init(_ rules: ReplicaRules<Value>, writer: UInt64) {
    self.rules = rules
    self.writer = writer
  }

  var status: SharedStatus {
    var status = SharedStatus()
    status.isKnown = isKnown
    status.waitingCount = waiting.count
    status.joinedCount = joinedCount
    status.missedCount = missedCount
    status.revision = confirmed.revision
    status.problem = problem
    return status
  }
}
