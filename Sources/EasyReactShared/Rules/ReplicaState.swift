import DequeModule
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
//  - Every write expects the newest revision known, so it can only be done as the *next* one after it. What was answered by
//    nobody is tried again with the same expectation: it cannot be done twice.
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
    /// What its writer set before, and wrote together with it: where every value is told.
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
    /// An earlier try was answered by nobody, so this one's conflict may be its effect.
    var isDoubtful = false
    /// It was a conflict: the entry that was there first has not come yet.
    var isConflict = false

    var sequence: UInt64 { made.sequence }
    var value: Value? { made.value }
  }

  let rules: ReplicaRules<Value>
  let writer: UInt64
  private(set) var isKnown = false
  /// No store can have the node's name: it works here alone.
  private var isAlone = false
  /// What the store has, as far as it is known here.
  private(set) var confirmed = Entry(revision: 0, value: nil, envelope: Envelope())
  private(set) var waiting = Deque<Operation>()
  private(set) var attempt: Attempt?
  private var attempts: UInt64 = 0
  /// How many values are written as one entry at most. Fewer after such an entry was refused, so that it is found which value is to blame;
  /// then one more with each that went well.
  private var valuesAtOnce = Envelope.valuesAtOnce
  /// What the node is still to tell, in order; the last of them is what it is to hold.
  private var told = Deque<Value?>()
  /// The last of them is no news: it is what waits here, again, behind what another one set.
  private var endsWithWaiting = false
  private(set) var joinedCount = 0
  private(set) var missedCount = 0
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

// MARK: - What the program does

extension ReplicaState {
  /// The node was set, or cleaned, and is telling it.
  mutating func heard(_ value: Value?, sequence: UInt64) {
    if isAlone { return confirmed.value = value }
    append(
      Operation(
        kind: value.map { .set($0) } ?? .clean, sequence: sequence,
        base: rules.merge == nil ? nil : shown, result: value))
  }

  /// The node is to be updated.
  /// - Returns: What it is to hold; nil: it is not known yet on what the update is made.
  mutating func changed(by change: @escaping Change, sequence: UInt64) -> Decision<Value> {
    var operation = Operation(kind: .changes([change]), sequence: sequence)
    guard isKnown || waiting.contains(where: { !$0.isChange }) else {
      append(operation)
      return .keep
    }
    if confirmed.problem != nil, !waiting.contains(where: { !$0.isChange }) {
      problem = confirmed.problem  // of what cannot be read nothing can be made
      return .keep
    }
    var value = shown
    let hasChanged = change(&value)
    if !hasChanged { return .keep }
    operation.result = value
    if isAlone { confirmed.value = value } else { append(operation) }
    return value.map { .store($0) } ?? .clear
  }

  /// What the node holds when it has told everything.
  private var shown: Value? { waiting.last?.result ?? (waiting.isEmpty ? confirmed.value : nil) }

  private mutating func append(_ operation: Operation) {
    // The node holds it now; again only behind what others set and is still to be told.
    defer {
      untellWaiting()
      if !told.isEmpty { tellWaiting() }
    }
    guard waiting.count >= rules.limit, let last = waiting.last,
      last.sequence > attempt?.sequence ?? 0
    else { return waiting.append(operation) }
    joinedCount += 1
    waiting[waiting.count - 1] = last.joined(with: operation)
  }
}

extension ReplicaState.Operation {
  var isChange: Bool { if case .changes = kind { true } else { false } }

  /// One operation that does what the two do.
  func joined(with newer: Self) -> Self {
    var both = newer
    both.base = base
    if case .changes(let changes) = newer.kind {
      switch kind {
      case .changes(let earlier): both.kind = .changes(earlier + changes)
      case .set, .clean: both.kind = newer.result.map { .set($0) } ?? .clean
      }
    }
    return both
  }
}

// MARK: - What the store says

extension ReplicaState {
  /// An entry of the store.
  mutating func received(_ entry: Entry) {
    guard entry.revision > confirmed.revision else { return }
    problem = entry.problem
    var isOwn = false
    var ownCount = 0
    if let attempt {
      let fate = entry.envelope.fate(of: attempt.sequence, by: writer, expecting: attempt.expected)
      switch fate {
      case .applied:
        isOwn = entry.envelope.writer == writer
        ownCount = 1 + attempt.earlier.count
        finish(attempt)
      case .notApplied: self.attempt = nil
      case .unknown where attempt.isConflict && !attempt.isDoubtful: self.attempt = nil
      case .unknown where attempt.isDoubtful: giveUp(attempt, at: entry.revision)
      case .unknown: break  // its answer comes
      }
    }
    dropWaiting(through: entry.envelope.sequence(of: writer) ?? 0)
    if isKnown, !isOwn { countMissed(before: entry, ownCount) }
    let theirs = entry.problem == nil ? entry.earlier + [entry.value] : []
    // What cannot be read leaves the value as it is.
    let value = entry.problem == nil ? entry.value : confirmed.value
    confirmed = entry
    (confirmed.value, confirmed.earlier) = (value, [])
    if isKnown, isOwn { return }
    rebase(telling: theirs)
  }

  /// What there is has been told.
  mutating func becameCurrent() {
    if isKnown { return }
    isKnown = true
    problem = confirmed.problem
    rebase(telling: confirmed.problem == nil ? [confirmed.value] : [])
  }

  /// There is no such key, and cannot be.
  mutating func refuse(_ problem: SharedProblem) {
    (isAlone, isKnown, self.problem) = (true, true, problem)
  }

  /// The store has lost everything: what it held before, and what may have been written.
  mutating func lostEverything() {
    isKnown = false
    attempt = nil
    confirmed = Entry(revision: 0, value: nil, envelope: Envelope())
  }

  private mutating func countMissed(before entry: Entry, _ ownCount: Int) {
    let told = confirmed.envelope.count + UInt64(ownCount) + UInt64(1 + entry.earlier.count)
    guard rules.telling == .every, entry.envelope.count > told else { return }
    missedCount += Int(clamping: entry.envelope.count - told)
  }

  /// The store has it, or never will. What comes back of one's own is not told again.
  private mutating func finish(_ attempt: Attempt) {
    self.attempt = nil
    dropWaiting(through: attempt.sequence)
  }

  private mutating func dropWaiting(through sequence: UInt64) {
    while let first = waiting.first, first.sequence <= sequence { waiting.removeFirst() }
  }

  /// What another one set, in the store's order; then what waits here, for that is what the node is to hold.
  private mutating func tellInOrder(_ values: [Value?]) {
    untellWaiting()
    told.append(contentsOf: values)
    if !waiting.isEmpty { tellWaiting() }
  }

  private mutating func tellWaiting() {
    told.append(shown)
    endsWithWaiting = true
  }

  private mutating func untellWaiting() {
    if endsWithWaiting, !told.isEmpty { told.removeLast() }
    endsWithWaiting = false
  }

  /// Nobody can tell whether it was done, and it must not be done twice.
  private mutating func giveUp(_ attempt: Attempt, at revision: UInt64) {
    finish(attempt)
    problem = SharedProblem(
      .outcomeUnknown,
      "a write was answered by nobody, and more than \(WriteTrail.limit) others have written since",
      at: "revision \(revision)", remedy: "Look at the value, and set it again if need be.")
  }
}

// MARK: - Computing anew

extension ReplicaState {
  /// What waits is computed anew on what the store has, and told if that makes a difference.
  /// - Parameter theirs: What the store has that has not been told, the oldest first.
  private mutating func rebase(telling theirs: [Value?]) {
    if !isKnown { return }
    var base = confirmed.value
    var isReadable = confirmed.problem == nil
    for index in waiting.indices {
      if waiting[index].isChange, !isReadable {
        waiting[index].isVoid = true  // of what cannot be read nothing can be made
        waiting[index].result = base
        continue
      }
      isReadable = true
      waiting[index].rebase(on: base, rules.merge)
      base = waiting[index].result
    }
    // That there is nothing is no news of anybody's, where something waits.
    let hasNews = !theirs.isEmpty && (confirmed.revision > 0 || waiting.isEmpty)
    if hasNews, rules.telling == .every {
      tellInOrder(theirs)
    } else if dependsOnBase, !theirs.isEmpty || !waiting.isEmpty {
      tell(base)
    }
  }

  private mutating func tell(_ value: Value?) {
    if rules.telling == .newest { told = [] }
    told.append(value)
    endsWithWaiting = false
  }

  /// Does what the node is to hold depend on what the store has?
  private var dependsOnBase: Bool {
    rules.merge != nil || !waiting.contains { !$0.isChange }
  }

  /// The store does not take it.
  private mutating func takeBack(_ attempt: Attempt) {
    finish(attempt)
    rebase(telling: [])
    tell(shown)
  }
}

extension ReplicaState.Operation {
  fileprivate mutating func rebase(
    on theirs: Value?, _ merge: (@Sendable (Value?, Value?, Value?) -> Value?)?
  ) {
    switch kind {
    case .changes(let changes):
      result = theirs
      isVoid = true
      for change in changes where change(&result) { isVoid = false }
      if isVoid { result = theirs }
    case .set, .clean:
      guard let merge else { return }
      result = merge(base, result, theirs)
      base = theirs
      kind = result.map { .set($0) } ?? .clean
    }
  }
}

// MARK: - Writing

extension ReplicaState {
  /// What is to be written next; nil: nothing, or something is under way.
  mutating func nextAttempt() -> Attempt? {
    guard isKnown, attempt == nil else { return nil }
    while let first = waiting.first, first.isVoid { waiting.removeFirst() }
    var earlier = oldest()
    guard let last = earlier.popLast() else { return nil }
    attempts += 1
    let envelope = Envelope(
      writer: writer, sequence: last.sequence,
      count: confirmed.envelope.count + UInt64(earlier.count) + 1, previous: confirmed.revision,
      trail: confirmed.trailOfNext)
    attempt = Attempt(
      number: attempts, made: last, earlier: earlier, expected: confirmed.revision,
      envelope: envelope)
    return attempt
  }

  /// What goes into one entry. An update that found nothing to do goes nowhere.
  private func oldest() -> [Made] {
    var made: [Made] = []
    for operation in waiting where !operation.isVoid {
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

  /// A conflict, and yet the store has nothing newer: the entry has expired, or was purged.
  mutating func vanished(_ number: UInt64) {
    guard let attempt, attempt.number == number, attempt.isConflict else { return }
    lostEverything()
    becameCurrent()
  }
}

extension ReplicaState.Entry {
  /// The trail of an entry that replaces this one.
  var trailOfNext: WriteTrail {
    if revision == 0 { return WriteTrail() }
    // Nobody knows what stood before an entry without an envelope.
    if envelope.count == 0 { return WriteTrail(since: revision) }
    return envelope.trail.adding(
      .init(writer: envelope.writer, sequence: envelope.sequence, revision: revision))
  }
}

// MARK: - Telling

extension ReplicaState {
  var isToBeTold: Bool { !told.isEmpty }

  /// What the node is to tell next.
  mutating func nextTold() -> Decision<Value> {
    guard let next = told.popFirst() else { return .keep }
    return next.map { .store($0) } ?? .clear
  }
}
