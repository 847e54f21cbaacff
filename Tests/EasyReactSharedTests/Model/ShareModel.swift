/// The rules of `Rules/ReplicaState.swift` once more, small enough to look at every interleaving: a few processes, one key, a store
/// that compares and sets, a network that loses requests and answers and delivers late, and watchers that may skip entries.
///
/// Each process adds its own number to a counter, a few times: an `update` of the real thing; a set is the same with a closure that
/// does not look. What waits is written together, one or more. One step is what happens at once in one place. What it leaves out: the
/// graph, bytes, merging, limits.
struct ShareModel: Hashable {
  /// What is written: who, which of his, and what was written before it.
  struct Entry: Hashable {
    var revision = 0
    var value = 0
    var writer = -1
    /// Of the updates that were written together.
    var sequences: [Int] = []
    var sequence: Int { sequences.last ?? 0 }
    /// Of each writer his newest write; bounded.
    var trail: [Write] = []
    var since = 0
  }
  struct Write: Hashable { var writer, sequence, revision: Int }

  /// A write on its way.
  struct Request: Hashable {
    var writer: Int
    var sequences: [Int]
    var expected, value: Int
    var sequence: Int { sequences.last! }
    var trail: [Write]
    var since: Int
    var number: Int
  }

  struct Answer: Hashable {
    enum Kind: Hashable { case stored(Int), conflict, unknown }
    var number: Int
    var kind: Kind
  }

  struct Process: Hashable {
    var confirmed = Entry()
    /// Sequences of updates that wait, the oldest first.
    var waiting: [Int] = []
    var attempt: Request?
    var isDoubtful = false, isConflict = false
    var attempts = 0
    var toDo = 0
    var sequence = 0
    /// What the network holds for it.
    var answers: [Answer] = []
    var entries: [Entry] = []
    var gaveUp = 0
    /// Revisions of others, and its own as -sequence, in the order in which they were told.
    var told: [Int] = []
  }

  var history: [Entry] = []
  var processes: [Process]
  /// Requests that the store has not come to; any of them may come first, or never.
  var network: [Request] = []
  /// How often the network may lose something.
  var losses: Int

  struct Violation: Error, CustomStringConvertible { let description: String }

  /// What can be left out of the rules, one at a time; each must be found.
  struct Rules: OptionSet, Hashable {
    let rawValue: Int
    /// After an unknown answer, behind the newest revision.
    static let writesAnew = Rules(rawValue: 1)
    static let believesUnknown = Rules(rawValue: 2)  // an unknown answer counts as done
    /// A conflict after an unknown answer counts as not done.
    static let believesConflict = Rules(rawValue: 4)
    static let ignoresTrail = Rules(rawValue: 8)  // only the entry itself is looked at
    static let ignoresSince = Rules(rawValue: 16)  // who is not in the trail has not written
    static let takesLateAnswers = Rules(rawValue: 32)  // of an attempt before
    static let takesOldEntries = Rules(rawValue: 64)  // lower revisions than known
    static let writesBlindly = Rules(rawValue: 128)  // expecting nothing
    static let dropsOvertaken = Rules(rawValue: 256)  // an entry of others ends what is under way
    static let tellsOwn = Rules(rawValue: 512)  // what comes back of one's own is told again
    /// Of what was written together only the first is done.
    static let finishesOne = Rules(rawValue: 1_024)
    /// What waits behind what was written counts as done with it.
    static let finishesAll = Rules(rawValue: 2_048)
  }

  /// - Parameter trailLimit: How many writers are remembered.
  struct Setting: Hashable {
    var trailLimit = 4
    var isReordering = true
  }
  var setting = Setting()

  // MARK: Steps

  /// Every state that may come next.
  func after(_ rules: Rules) throws -> [ShareModel] {
    var all: [ShareModel] = []
    func add(_ change: (inout ShareModel) throws -> Void) rethrows {
      var next = self
      try change(&next)
      all.append(next)
    }
    for index in processes.indices {
      if processes[index].toDo > 0 { add { $0.update(index) } }
      if processes[index].attempt == nil {
        for count in processes[index].waiting.indices.map({ $0 + 1 }) {
          add { $0.send(index, count) }
        }
      }
      if !processes[index].answers.isEmpty {
        for place in (setting.isReordering ? processes[index].answers.indices : 0..<1) {
          try add { try $0.answer(index, place, rules) }
        }
      }
      // Any of the entries that came, those before it having been skipped.
      for place in processes[index].entries.indices {
        try add { try $0.receive(index, place, rules) }
      }
      if processes[index].isDoubtful, !processes[index].isConflict,
        !network.contains(where: { $0.number == processes[index].attempts && $0.writer == index }),
        processes[index].attempt?.number == processes[index].attempts,
        processes[index].answers.isEmpty
      {
        add { $0.sendAgain(index, rules) }
      }
    }
    for place in network.indices {
      add { $0.arrive(place, losingAnswer: false, rules) }
      if losses > 0 {
        add { $0.arrive(place, losingAnswer: true, rules) }
        add { $0.answersUnknown(place) }  // late: it may still arrive
      }
    }
    return all
  }

  private mutating func update(_ index: Int) {
    processes[index].toDo -= 1
    processes[index].sequence += 1
    processes[index].waiting.append(processes[index].sequence)
    processes[index].told.append(-processes[index].sequence)
  }

  private mutating func send(_ index: Int, _ count: Int) {
    let confirmed = processes[index].confirmed
    var trail = confirmed.trail.filter { $0.writer != confirmed.writer }
    var since = confirmed.since
    if confirmed.revision > 0 {
      trail.insert(
        Write(writer: confirmed.writer, sequence: confirmed.sequence, revision: confirmed.revision),
        at: 0)
    }
    while trail.count > setting.trailLimit { since = max(since, trail.removeLast().revision) }
    processes[index].attempts += 1
    let request = Request(
      writer: index, sequences: Array(processes[index].waiting.prefix(count)),
      expected: confirmed.revision, value: confirmed.value + count, trail: trail, since: since,
      number: processes[index].attempts)
    (processes[index].isDoubtful, processes[index].isConflict) = (false, false)
    processes[index].attempt = request
    network.append(request)
  }

  private mutating func sendAgain(_ index: Int, _ rules: Rules) {
    if rules.contains(.writesAnew) { return send(index, processes[index].waiting.count) }
    processes[index].attempts += 1
    processes[index].attempt!.number = processes[index].attempts
    network.append(processes[index].attempt!)
  }

  private mutating func arrive(_ place: Int, losingAnswer: Bool, _ rules: Rules) {
    let request = network.remove(at: place)
    let newest = history.last?.revision ?? 0
    var kind = Answer.Kind.conflict
    if request.expected == newest || rules.contains(.writesBlindly) {
      let entry = Entry(
        revision: newest + 1, value: request.value, writer: request.writer,
        sequences: request.sequences, trail: request.trail, since: request.since)
      history.append(entry)
      for index in processes.indices { processes[index].entries.append(entry) }
      kind = .stored(entry.revision)
    }
    if losingAnswer {
      losses -= 1
      kind = .unknown
    }
    // One that was said to be unknown before has no other answer.
    if !isUnknown.contains(Place(writer: request.writer, number: request.number)) {
      processes[request.writer].answers.append(Answer(number: request.number, kind: kind))
    }
  }

  struct Place: Hashable { var writer, number: Int }
  var isUnknown: Set<Place> = []

  private mutating func answersUnknown(_ place: Int) {
    let request = network[place]
    let mark = Place(writer: request.writer, number: request.number)
    if !isUnknown.insert(mark).inserted { return }
    losses -= 1
    processes[request.writer].answers.append(Answer(number: request.number, kind: .unknown))
  }

  // MARK: The rules

  private mutating func answer(_ index: Int, _ place: Int, _ rules: Rules) throws {
    let answer = processes[index].answers.remove(at: place)
    guard let attempt = processes[index].attempt,
      attempt.number == answer.number || rules.contains(.takesLateAnswers)
    else { return }
    switch answer.kind {
    case .stored(let revision):
      finish(index, rules)
      if revision > processes[index].confirmed.revision {
        processes[index].confirmed = Entry(
          revision: revision, value: attempt.value, writer: index, sequences: attempt.sequences,
          trail: attempt.trail, since: attempt.since)
      }
    case .conflict:
      if processes[index].isDoubtful, !rules.contains(.believesConflict) {
        if processes[index].confirmed.revision > attempt.expected {
          giveUp(index)
        } else {
          processes[index].isConflict = true
        }
      } else if processes[index].confirmed.revision > attempt.expected
        || rules.contains(.believesConflict)
      {
        processes[index].attempt = nil
      } else {
        processes[index].isConflict = true
      }
    case .unknown:
      if rules.contains(.believesUnknown) { return finish(index, rules) }
      if processes[index].confirmed.revision > attempt.expected {
        giveUp(index)
      } else {
        processes[index].isDoubtful = true
      }
    }
  }

  private mutating func finish(_ index: Int, _ rules: Rules = []) {
    guard let attempt = processes[index].attempt.take() else { return }
    if rules.contains(.finishesOne) {
      processes[index].waiting.removeFirst()
    } else {
      processes[index].waiting.removeAll {
        $0 <= attempt.sequence || rules.contains(.finishesAll)
      }
    }
  }

  private mutating func giveUp(_ index: Int) {
    processes[index].gaveUp += processes[index].attempt?.sequences.count ?? 0
    finish(index)
  }

  private mutating func receive(_ index: Int, _ place: Int, _ rules: Rules) throws {
    let entry = processes[index].entries[place]
    processes[index].entries.removeFirst(place + 1)
    guard entry.revision > processes[index].confirmed.revision || rules.contains(.takesOldEntries)
    else { return }
    if let attempt = processes[index].attempt {
      switch fate(of: attempt, in: entry, rules) {
      case true?: finish(index, rules)
      case false?: processes[index].attempt = nil
      case nil where processes[index].isConflict && !processes[index].isDoubtful:
        processes[index].attempt = nil
      case nil where processes[index].isDoubtful: giveUp(index)
      case nil: if rules.contains(.dropsOvertaken) { processes[index].attempt = nil }
      }
    }
    processes[index].confirmed = entry
    if entry.writer != index || rules.contains(.tellsOwn) {
      processes[index].told.append(entry.revision)
    }
  }

  /// Nil: nobody can tell.
  private func fate(of attempt: Request, in entry: Entry, _ rules: Rules) -> Bool? {
    if entry.writer == attempt.writer { return entry.sequence >= attempt.sequence }
    if rules.contains(.ignoresTrail) { return false }
    if let mine = entry.trail.first(where: { $0.writer == attempt.writer }),
      mine.sequence >= attempt.sequence
    {
      return true
    }
    return entry.since <= attempt.expected || rules.contains(.ignoresSince) ? false : nil
  }

  // MARK: What must hold

  func check() throws {
    var seen: Set<[Int]> = []
    var total = 0
    for entry in history {
      for sequence in entry.sequences where !seen.insert([entry.writer, sequence]).inserted {
        throw Violation(description: "applied twice")
      }
      total += entry.sequences.count
      if entry.value != total {
        throw Violation(description: "a lost update: \(entry.value) after \(total) updates")
      }
    }
    for (index, process) in processes.enumerated() {
      if process.attempts > 20 { throw Violation(description: "it writes for ever") }
      let others = process.told.filter { $0 > 0 }
      if others != others.sorted() || Set(others).count != others.count {
        throw Violation(description: "told out of order, or twice")
      }
      if others.contains(where: { history[$0 - 1].writer == index }) {
        throw Violation(description: "one's own was told again")
      }
    }
  }

  /// When nothing is left to do.
  func checkEnd() throws {
    let made = processes.reduce(0) { $0 + $1.sequence }
    // What was given up may have been done or not; nothing else is missing.
    let gaveUp = processes.reduce(0) { $0 + $1.gaveUp }
    let stored = history.reduce(0) { $0 + $1.sequences.count }
    if !(made - gaveUp...made ~= stored) {
      throw Violation(
        description: "\(made) were made, \(gaveUp) given up, \(stored) are in the store")
    }
    for process in processes where process.confirmed != history.last ?? Entry() {
      throw Violation(
        description:
          "a process ends at \(process.confirmed.revision), the store at \(history.count)")
    }
    for process in processes where !process.waiting.isEmpty {
      throw Violation(description: "something waits for ever")
    }
  }
}
