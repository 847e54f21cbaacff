/// The protocol of `Engine/Threads/Region.swift` as a state machine, small enough to look at every
/// interleaving. Its steps have the names of the functions that take them there, its state those of
/// the fields; one step is what the processor does at once: one atomic operation on what threads
/// share, with whatever else touches only what the thread has for itself.
///
/// What it leaves out: the order of memory (every step sees all before it), and the allocator. Those
/// are the sanitizers' part.
struct ProtocolModel: Hashable {
  struct Word: Hashable {
    var isHeld = false
    /// The newest first.
    var letters: [Letter] = []
  }

  struct Region: Hashable {
    var word = Word()
    /// Letters taken from the word, the oldest first.
    var inbox: [Letter] = []
    /// The field `owner`: the turn that the word says nothing of.
    var owner: Int?
    /// What the code does not know, and the rules are about: who may touch the nodes of the region.
    var holder: Holder = .nobody
  }
  enum Holder: Hashable { case nobody, backgroundQueue, thread(Int) }

  struct Node: Hashable {
    var region: Int
    /// Who has the short lock: it leaves a letter.
    var locker: Int?
    /// A node that is derived from this one and lies in its region, if there is one.
    var derived: Int?
    /// A node of another region that an edge leads to, if there is one.
    var next: Int?
    /// Who has cut that edge.
    var cutter: Int?
    /// Everything that was stored here.
    var told: [Letter] = []
    /// What listeners heard; an empty list: none is attached.
    var heard: [[Letter]] = []
  }

  /// One operation on a node, whether it is done at once or left with a holder.
  struct Letter: Hashable {
    enum Kind: Hashable { case set, split, attach, cut }
    var kind: Kind
    var node: Int
    var sender = 0
    /// Counts the sets of one sender for one node.
    var number = 0
  }

  /// Where a thread is: before the step of this name.
  enum Step: Hashable {
    case nextCall, cuts
    case claimRegion, claimOwner, claimExchanges, claimRereads
    case postLocks, postWord, postExchanges, postUnlocks
    case open, notify, splitMoves, splitCollects, shareOut
    case finish, takeLetter, collect, openNext, freeExchanges
    case isDone
  }

  struct Thread: Hashable {
    /// Turns that are still to come; each a list of calls: those after the first are a listener's.
    var program: [[Letter]]
    var step = Step.nextCall
    var isFinishing = false
    var lettersOpened = 0
    /// The regions of this turn, the newest first.
    var held: [Int] = []
    var letter = Letter(kind: .set, node: 0)
    var region = 0
    var word = Word()
    /// The exchange of a claim, or of a letter that found a free word, has made the region mine.
    var isTaken = false
    /// While it splits: the nodes to move, and the new region.
    var todo: [Int] = []
    var newRegion = 0
    var hasCollected = false
  }

  var regions: [Region]
  var nodes: [Node]
  /// The last one is the background queue's.
  var threads: [Thread]
  /// Regions that were handed over.
  var handOvers: [Int] = []
  /// Listeners are told in a step of its own, which only matters where one is attached meanwhile.
  var hasListeners = false

  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  // MARK: What must keepAlive in every state

  func check() throws {
    for (number, region) in regions.enumerated() {
      if region.word.isHeld != (region.holder != .nobody) {
        throw Violation(description: "region \(number): its word and its holder disagree")
      }
      if !region.word.isHeld, !region.word.letters.isEmpty || !region.inbox.isEmpty {
        throw Violation(description: "region \(number): mail without an owner")
      }
    }
  }

  /// When nothing is left to do.
  func checkEnd(_ programs: [[[Letter]]]) throws {
    for (number, region) in regions.enumerated() where region.word.isHeld {
      throw Violation(description: "region \(number) is never given back")
    }
    for call in programs.joined().joined() {
      let told = nodes[call.node].told.count {
        $0.sender == call.sender && $0.number == call.number
      }
      if call.kind == .set, told != 1 {
        throw Violation(description: "value \(call.number) of \(call.sender) told \(told) times")
      }
    }
    for node in nodes {
      if let next = node.next, node.cutter == nil,
        node.told.count != nodes[next].told.count(where: { $0.sender >= 100 })
      {
        throw Violation(description: "an edge has lost a value")
      }
      for heard in node.heard where heard != Array(node.told.suffix(heard.count)) {
        throw Violation(description: "a listener heard a run with a gap or a repetition")
      }
    }
  }

  var isAtEnd: Bool { threads.allSatisfy { $0.step == .isDone } && handOvers.isEmpty }

  /// Only the holder of a node's region touches it.
  private func expectHolder(_ node: Int, _ thread: Int) throws {
    if regions[nodes[node].region].holder != .thread(thread) {
      throw Violation(description: "thread \(thread) touches node \(node) of another's region")
    }
  }

  // MARK: Steps

  /// What the thread does next; nil: nothing.
  func after(_ thread: Int, _ rules: Rules) throws -> ProtocolModel? {
    var next = self
    guard try next.take(thread, rules) else { return nil }
    // What no other thread can see or change is no step of its own.
    while next.isPrivate(next.threads[thread].step) { _ = try next.take(thread, rules) }
    return next
  }

  /// `claimOwner` too: a turn only asks whether the owner is itself, and only itself writes that.
  private func isPrivate(_ step: Step) -> Bool {
    switch step {
    case .nextCall, .claimOwner, .finish, .openNext, .shareOut: true
    default: false
    }
  }

  private mutating func take(_ me: Int, _ rules: Rules) throws -> Bool {
    switch threads[me].step {
    case .isDone:
      // Only the background queue begins again.
      guard me == threads.count - 1, !handOvers.isEmpty else { return false }
      keepAlive(handOvers.removeFirst(), me)
      threads[me].step = .finish
    case .nextCall: nextCall(me)
    case .cuts:
      nodes[threads[me].letter.node].cutter = threads[me].letter.sender
      threads[me].step = .nextCall
    case .claimRegion, .claimOwner, .claimExchanges, .claimRereads: claim(me, rules)
    case .postLocks, .postWord, .postExchanges, .postUnlocks: return post(me, rules)
    case .open: try open(me, rules)
    case .notify: try notify(me)
    case .splitMoves, .splitCollects, .shareOut: return split(me, rules)
    default: finish(me, rules)
    }
    return true
  }

  private mutating func nextCall(_ me: Int) {
    if threads[me].program.isEmpty {
      threads[me].step = .isDone
    } else if threads[me].program[0].isEmpty {
      threads[me].program.removeFirst()
      threads[me].step = .finish
    } else {
      threads[me].letter = threads[me].program[0].removeFirst()
      threads[me].step = threads[me].letter.kind == .cut ? .cuts : .claimRegion
    }
  }

  private mutating func keepAlive(_ region: Int, _ me: Int) {
    regions[region].owner = me
    regions[region].holder = .thread(me)
    threads[me].held.insert(region, at: 0)
  }

  private mutating func claim(_ me: Int, _ rules: Rules) {
    let node = threads[me].letter.node, region = threads[me].region
    switch threads[me].step {
    case .claimRegion:
      threads[me].region = nodes[node].region
      threads[me].step = .claimOwner
    case .claimOwner:
      if regions[region].owner == me {
        let hasMail = !regions[region].word.letters.isEmpty || !regions[region].inbox.isEmpty
        let mayOvertake = rules.contains(.overtakesMail) || threads[me].letter.kind == .attach
        threads[me].step = hasMail && !mayOvertake ? .postLocks : .open
      } else {
        threads[me].step =
          rules.contains(.rereadsBeforeTheExchange) ? .claimRereads : .claimExchanges
      }
    case .claimExchanges:
      threads[me].isTaken = !regions[region].word.isHeld || rules.contains(.claimsWithoutComparing)
      if threads[me].isTaken {
        regions[region].word.isHeld = true
        keepAlive(region, me)
      }
      if rules.contains(.doesNotReread) || rules.contains(.rereadsBeforeTheExchange) {
        threads[me].step = threads[me].isTaken ? .open : .postLocks
      } else {
        threads[me].step = .claimRereads
      }
    default:
      // A wrong claim stays among those that are given back when the turn ends.
      if nodes[node].region != region {
        threads[me].step = .claimRegion
      } else if rules.contains(.rereadsBeforeTheExchange) {
        threads[me].step = .claimExchanges
      } else {
        threads[me].step = threads[me].isTaken ? .open : .postLocks
      }
    }
  }

  /// The functions `pushed` and `pushedLocked`. False: another thread has the lock.
  private mutating func post(_ me: Int, _ rules: Rules) -> Bool {
    let letter = threads[me].letter, region = threads[me].region
    switch threads[me].step {
    case .postLocks:
      if nodes[letter.node].locker != nil { return false }
      if letter.kind == .attach, rules.contains(.attacherTellsItself) { tellItself(letter) }
      if !rules.contains(.pushesWithoutLock) { nodes[letter.node].locker = me }
      threads[me].region = nodes[letter.node].region
      threads[me].step = .postWord
    case .postWord:
      threads[me].word = regions[region].word
      threads[me].step = .postExchanges
    case .postExchanges:
      if regions[region].word != threads[me].word {
        threads[me].step = .postWord
        return true
      }
      threads[me].isTaken = !threads[me].word.isHeld && !rules.contains(.pushesOntoFreeWord)
      if threads[me].isTaken {
        regions[region].word.isHeld = true
        keepAlive(region, me)
      } else {
        regions[region].word.letters.insert(letter, at: 0)
      }
      threads[me].step = .postUnlocks
    default:
      nodes[letter.node].locker = nil
      threads[me].step =
        threads[me].isTaken ? .open : threads[me].isFinishing ? .finish : .nextCall
    }
    return true
  }

  /// The operation itself, by the holder.
  private mutating func open(_ me: Int, _ rules: Rules) throws {
    let letter = threads[me].letter
    try expectHolder(letter.node, me)
    threads[me].step = threads[me].isFinishing ? .finish : .nextCall
    switch letter.kind {
    case .set:
      if letter.sender >= 100, let cutter = nodes[letter.sender - 100].cutter {
        // Cut since the value set out, by one who may have set this node after that.
        if !rules.contains(.looksBeforeTheClaim) { return }
        if nodes[letter.node].told.contains(where: { $0.sender == cutter }) {
          throw Violation(description: "a value came over an edge after who cut it had set the end")
        }
      }
      let before = nodes[letter.node].told.filter { $0.sender == letter.sender }
      if (before.last?.number ?? 0) + 1 != letter.number {
        throw Violation(
          description: "thread \(letter.sender): \(letter.number) told after \(before.count)")
      }
      nodes[letter.node].told.append(letter)
      if hasListeners { threads[me].step = .notify } else { pass(me) }
    case .attach:
      let isPresent = nodes[letter.node].heard.count >= letter.number
      if !isPresent { nodes[letter.node].heard.append(nodes[letter.node].told.suffix(1)) }
    case .cut: break  // never left: the mark is one operation
    case .split:
      if isHead(letter.node) { return }
      regions.append(Region(word: Word(isHeld: true)))
      threads[me].newRegion = regions.count - 1
      keepAlive(threads[me].newRegion, me)
      threads[me].todo = [letter.node]
      threads[me].step = .splitMoves
    }
  }

  private mutating func notify(_ me: Int) throws {
    let letter = threads[me].letter
    try expectHolder(letter.node, me)
    for index in nodes[letter.node].heard.indices { nodes[letter.node].heard[index].append(letter) }
    threads[me].step = threads[me].isFinishing ? .finish : .nextCall
    pass(me)
  }

  /// The value goes over the edge, as a call of its own: the edge is its sender.
  private mutating func pass(_ me: Int) {
    let node = threads[me].letter.node
    guard let next = nodes[node].next, nodes[node].cutter == nil else { return }
    threads[me].letter = Letter(
      kind: .set, node: next, sender: 100 + node, number: nodes[node].told.count)
    threads[me].step = .claimRegion
  }

  /// For the mutant: the present value and the place in the list, but not what is under way.
  private mutating func tellItself(_ letter: Letter) {
    if nodes[letter.node].heard.count < letter.number {
      nodes[letter.node].heard.append(nodes[letter.node].told.suffix(1))
    }
  }

  private func isHead(_ node: Int) -> Bool {
    !nodes.contains { $0.derived == node && $0.region == nodes[node].region }
  }

  /// False: another thread has the lock of the node that is to move.
  private mutating func split(_ me: Int, _ rules: Rules) -> Bool {
    let new = threads[me].newRegion
    switch threads[me].step {
    case .splitMoves:
      let node = threads[me].todo[0]
      if rules.contains(.collectsBeforeMoving), !threads[me].hasCollected {
        collect(nodes[node].region, rules)
        threads[me].hasCollected = true
        return true
      }
      if nodes[node].locker != nil, !rules.contains(.movesWithoutLock) { return false }
      threads[me].todo.removeFirst()
      threads[me].region = nodes[node].region
      nodes[node].region = new
      if let derived = nodes[node].derived, nodes[derived].region == threads[me].region {
        threads[me].todo.append(derived)
      }
      if threads[me].todo.isEmpty {
        threads[me].step = threads[me].hasCollected ? .shareOut : .splitCollects
      }
    case .splitCollects:
      collect(threads[me].region, rules)
      threads[me].step = .shareOut
    default:
      let old = threads[me].region, letters = regions[old].inbox
      regions[old].inbox = []
      for letter in letters {
        let isMoved = nodes[letter.node].region == new && !rules.contains(.leavesMailBehind)
        regions[isMoved ? new : old].inbox.append(letter)
      }
      threads[me].hasCollected = false
      threads[me].step = threads[me].isFinishing ? .finish : .nextCall
    }
    return true
  }

  /// Moves the word's letters behind those in the inbox.
  private mutating func collect(_ region: Int, _ rules: Rules) {
    let letters = regions[region].word.letters
    regions[region].word.letters = []
    regions[region].inbox += rules.contains(.opensNewestFirst) ? letters : letters.reversed()
  }

  private mutating func finish(_ me: Int, _ rules: Rules) {
    guard let region = threads[me].held.first else {
      threads[me].isFinishing = false
      threads[me].lettersOpened = 0
      threads[me].step = .nextCall
      return
    }
    threads[me].isFinishing = true
    switch threads[me].step {
    case .finish:
      threads[me].step = regions[region].inbox.isEmpty ? .takeLetter : .openNext
    case .takeLetter:
      let hasMail = !regions[region].word.letters.isEmpty
      threads[me].step = hasMail ? .collect : .freeExchanges
    case .collect:
      collect(region, rules)
      threads[me].step = .openNext
    case .openNext:
      if threads[me].lettersOpened >= rules.mailBound { return giveUp(region, me, rules) }
      threads[me].lettersOpened += 1
      threads[me].letter = regions[region].inbox.removeFirst()
      threads[me].step = .open
    default:
      if regions[region].word.letters.isEmpty || rules.contains(.freesWithoutLooking) {
        regions[region].word = Word()
        regions[region].owner = nil
        regions[region].holder = .nobody
        threads[me].held.removeFirst()
      }
      threads[me].step = .finish
    }
  }

  private mutating func giveUp(_ region: Int, _ me: Int, _ rules: Rules) {
    if rules.contains(.givesUpLetter) {
      regions[region].inbox.append(regions[region].inbox.removeFirst())
    }
    regions[region].owner = nil
    regions[region].holder = .backgroundQueue
    if !rules.contains(.forgetsHandOver) { handOvers.append(region) }
    threads[me].held.removeFirst()
    threads[me].step = .finish
  }
}

/// The rules as built, and each of the small changes that break them.
struct Rules: OptionSet {
  let rawValue: Int
  /// How many letters one turn opens.
  var mailBound = 1_000

  init(rawValue: Int) { self.rawValue = rawValue }

  /// `free` stores instead of comparing: a letter that came meanwhile is lost.
  static let freesWithoutLooking = Rules(rawValue: 1)
  /// `pushed` does not look at the held bit.
  static let pushesOntoFreeWord = Rules(rawValue: 2)
  /// Who has claimed does not read the node's region again.
  static let doesNotReread = Rules(rawValue: 4)
  /// Who claims reads the node's region again before the exchange, not behind it.
  static let rereadsBeforeTheExchange = Rules(rawValue: 8)
  /// The holder does its own operation although mail waits.
  static let overtakesMail = Rules(rawValue: 16)
  /// `collect` does not turn the list round.
  static let opensNewestFirst = Rules(rawValue: 32)
  /// `shareOut` leaves everything in the old region.
  static let leavesMailBehind = Rules(rawValue: 64)
  /// A region is handed over to nobody.
  static let forgetsHandOver = Rules(rawValue: 128)
  /// The letter that is not opened goes behind the others.
  static let givesUpLetter = Rules(rawValue: 256)
  /// Claim stores instead of comparing.
  static let claimsWithoutComparing = Rules(rawValue: 512)
  /// A split takes the mail before it moves the nodes.
  static let collectsBeforeMoving = Rules(rawValue: 1_024)
  /// Who attaches tells the present value itself, while another thread is inside.
  static let attacherTellsItself = Rules(rawValue: 2_048)
  /// Whether an edge is cut is looked at before its end is claimed, and not again.
  static let looksBeforeTheClaim = Rules(rawValue: 4_096)
  /// A letter is pushed without the target's short lock.
  static let pushesWithoutLock = Rules(rawValue: 8_192)
  /// A split writes a node's region without its short lock.
  static let movesWithoutLock = Rules(rawValue: 16_384)
}
