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
    var messages: [Message] = []
  }

  struct Region: Hashable {
    var word = Word()
    /// Messages taken from the word, the oldest first; those that may overtake others on their own.
    var inbox: [Message] = [], maintenance: [Message] = []
    var hasTaken: Bool { !inbox.isEmpty || !maintenance.isEmpty }
    /// The field `owner`: the turn that the word says nothing of.
    var owner: Int?
    /// The region that it was split from, and how many messages for its nodes wait there. The holder
    /// of that one brings them, and nobody opens a message here before.
    var origin: Int?
    var awaited = 0
    /// What the code does not know, and the rules are about: who may touch the nodes of the region.
    var holder: Holder = .nobody
  }
  enum Holder: Hashable { case nobody, backgroundQueue, otherRegion, thread(Int) }

  struct Node: Hashable {
    var region: Int
    /// Who has the short lock: it leaves a message.
    var locker: Int?
    /// How many messages wait for it, wherever they are.
    var waitingMessages = 0
    /// Its handle is gone: it ends, or has ended, with the last message that names it.
    var endsWithMessages = false, hasEnded = false
    /// A node that is derived from this one and lies in its region, if there is one.
    var derived: Int?
    /// A node of another region that an edge leads to, if there is one.
    var next: Int?
    /// Who has cut that edge.
    var cutter: Int?
    /// Everything that was stored here.
    var told: [Message] = []
    /// What listeners heard; an empty list: none is attached.
    var heard: [[Message]] = []
  }

  /// One operation on a node, whether it is done at once or left with a holder.
  struct Message: Hashable {
    /// `end`: the handle is gone, no more sets come.
    enum Kind: Hashable { case set, split, attach, cut, end }
    var kind: Kind
    var node: Int
    var sender = 0
    /// Counts the sets of one sender for one node.
    var number = 0
    var isMaintenance: Bool { kind == .end }
  }

  /// Where a thread is: before the step of this name.
  enum Step: Hashable {
    case nextCall, cuts
    case claimRegion, claimOwner, claimExchanges, claimRereads
    case givesWay, naps, sendLocks, sendWord, sendExchanges, sendUnlocks
    case open, notify, splitMoves
    case finish, takeMessage, collect, openNext, freeExchanges
    case isDone
  }

  struct Thread: Hashable {
    /// Turns that are still to come; each a list of calls: those after the first are a listener's.
    var program: [[Message]]
    var step = Step.nextCall
    var isFinishing = false
    var messagesOpened = 0
    /// The regions of this turn, the newest first.
    var held: [Int] = []
    var message = Message(kind: .set, node: 0)
    var region = 0
    var word = Word()
    /// The exchange of a claim, or of a message that found a free word, has made the region mine.
    var isTaken = false
    /// While it splits: the nodes that are to move, and the new region.
    var todo: [Int] = []
    var newRegion = 0
    /// The message that it opens is the last one for this node, which is gone.
    var endsNode: Int?
    /// While it splits: how many messages wait for the nodes that have moved, and for those to move.
    var awaited = 0, counted: Int?
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

  // MARK: What must hold in every state

  func check() throws {
    for (number, region) in regions.enumerated() {
      if region.word.isHeld != (region.holder != .nobody) {
        throw Violation(description: "region \(number): its word and its holder disagree")
      }
      if !region.word.isHeld, !region.word.messages.isEmpty || region.hasTaken {
        throw Violation(description: "region \(number): messages without an owner")
      }
    }
  }

  /// When nothing is left to do.
  func checkEnd(_ programs: [[[Message]]]) throws {
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
      if call.kind == .end, !nodes[call.node].hasEnded {
        throw Violation(description: "node \(call.node) never ends")
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
    while next.isPrivate(next.threads[thread].step, rules) { _ = try next.take(thread, rules) }
    return next
  }

  /// `claimOwner` too: a turn only asks whether the owner is itself, and only itself writes that.
  private func isPrivate(_ step: Step, _ rules: Rules) -> Bool {
    switch step {
    case .givesWay: rules.messageComfort >= 1_000  // so many never wait
    case .nextCall, .claimOwner, .finish, .openNext: true
    default: false
    }
  }

  private mutating func take(_ me: Int, _ rules: Rules) throws -> Bool {
    switch threads[me].step {
    case .isDone:
      // Only the background queue begins again.
      guard me == threads.count - 1, !handOvers.isEmpty else { return false }
      hold(handOvers.removeFirst(), me)
      threads[me].step = .finish
    case .nextCall: nextCall(me)
    case .cuts:
      nodes[threads[me].message.node].cutter = threads[me].message.sender
      threads[me].step = .nextCall
    case .claimRegion, .claimOwner, .claimExchanges, .claimRereads: claim(me, rules)
    case .givesWay, .naps: return giveWay(me, rules)
    case .sendLocks, .sendWord, .sendExchanges, .sendUnlocks: return send(me, rules)
    case .open: try open(me, rules)
    case .notify: try notify(me)
    case .splitMoves: return split(me, rules)
    default: try finish(me, rules)
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
      threads[me].message = threads[me].program[0].removeFirst()
      threads[me].step = threads[me].message.kind == .cut ? .cuts : .claimRegion
    }
  }

  private mutating func hold(_ region: Int, _ me: Int) {
    regions[region].owner = me
    regions[region].holder = .thread(me)
    threads[me].held.insert(region, at: 0)
  }

  private mutating func claim(_ me: Int, _ rules: Rules) {
    let node = threads[me].message.node, region = threads[me].region
    switch threads[me].step {
    case .claimRegion:
      threads[me].region = nodes[node].region
      threads[me].step = .claimOwner
    case .claimOwner:
      if regions[region].owner == me {
        let hasMessages = hasMessages(region)
        let mayOvertake =
          rules.contains(.overtakesMessages)
          || [.attach, .split, .end].contains(threads[me].message.kind)
        threads[me].step = hasMessages && !mayOvertake ? .givesWay : .open
      } else {
        threads[me].step =
          rules.contains(.rereadsBeforeTheExchange) ? .claimRereads : .claimExchanges
      }
    case .claimExchanges:
      threads[me].isTaken = !regions[region].word.isHeld || rules.contains(.claimsWithoutComparing)
      if threads[me].isTaken {
        regions[region].word.isHeld = true
        hold(region, me)
      }
      if rules.contains(.doesNotReread) || rules.contains(.rereadsBeforeTheExchange) {
        threads[me].step = threads[me].isTaken ? .open : .givesWay
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
        threads[me].step = threads[me].isTaken ? .open : .givesWay
      }
    }
  }

  /// Before a message is left where too many wait. Here a nap is a wait without an end, until few are left: so
  /// two that nap for each other are found as threads of which none can go on. False: it naps.
  private mutating func giveWay(_ me: Int, _ rules: Rules) -> Bool {
    if threads[me].step == .givesWay {
      threads[me].region = nodes[threads[me].message.node].region
      let mayNap = !isAwaited(me) || rules.contains(.napsThoughAwaited)
      let isCrowded = backlog(threads[me].region) > rules.messageComfort
      threads[me].step = isCrowded && mayNap ? .naps : .sendLocks
      return true
    }
    if backlog(threads[me].region) > rules.messageComfort { return false }
    threads[me].step = .sendLocks
    return true
  }

  /// It works off messages, or holds a region where some wait.
  private func isAwaited(_ me: Int) -> Bool {
    threads[me].messagesOpened > 0 || threads[me].held.contains(where: hasMessages)
  }

  private func backlog(_ region: Int) -> Int {
    regions[region].word.messages.count + regions[region].inbox.count
      + regions[region].maintenance.count
  }

  /// The functions `pushed` and `pushedLocked`. False: another thread has the lock.
  private mutating func send(_ me: Int, _ rules: Rules) -> Bool {
    let message = threads[me].message, region = threads[me].region
    switch threads[me].step {
    case .sendLocks:
      if nodes[message.node].locker != nil { return false }
      if message.kind == .attach, rules.contains(.attacherTellsItself) { tellItself(message) }
      if !rules.contains(.pushesWithoutLock) { nodes[message.node].locker = me }
      if !rules.contains(.countsAfterPushing) { nodes[message.node].waitingMessages += 1 }
      threads[me].region = nodes[message.node].region
      threads[me].step = .sendWord
    case .sendWord:
      threads[me].word = regions[region].word
      threads[me].step = .sendExchanges
    case .sendExchanges:
      if regions[region].word != threads[me].word {
        threads[me].step = .sendWord
        return true
      }
      threads[me].isTaken = !threads[me].word.isHeld && !rules.contains(.pushesOntoFreeWord)
      if threads[me].isTaken {
        regions[region].word.isHeld = true
        hold(region, me)
      } else {
        regions[region].word.messages.insert(message, at: 0)
      }
      threads[me].step = .sendUnlocks
    default:
      if rules.contains(.countsAfterPushing) { nodes[message.node].waitingMessages += 1 }
      nodes[message.node].locker = nil
      if threads[me].isTaken { countDown(me, rules) }
      threads[me].step =
        threads[me].isTaken ? .open : threads[me].isFinishing ? .finish : .nextCall
    }
    return true
  }

  /// The operation itself, by the holder.
  private mutating func open(_ me: Int, _ rules: Rules) throws {
    let message = threads[me].message
    try expectHolder(message.node, me)
    threads[me].step = threads[me].isFinishing ? .finish : .nextCall
    if nodes[message.node].hasEnded {
      throw Violation(description: "a message names node \(message.node), which has ended")
    }
    switch message.kind {
    case .end:
      let isNamed = nodes[message.node].waitingMessages != 0 && !rules.contains(.endsAtOnce)
      if isNamed { nodes[message.node].endsWithMessages = true } else { end(message.node) }
    case .set:
      if message.sender >= 100, let cutter = nodes[message.sender - 100].cutter {
        // Cut since the value set out, by one who may have set this node after that.
        if !rules.contains(.looksBeforeTheClaim) { return }
        if nodes[message.node].told.contains(where: { $0.sender == cutter }) {
          throw Violation(description: "a value came over an edge after who cut it had set the end")
        }
      }
      let before = nodes[message.node].told.filter { $0.sender == message.sender }
      if (before.last?.number ?? 0) + 1 != message.number {
        throw Violation(
          description: "thread \(message.sender): \(message.number) told after \(before.count)")
      }
      nodes[message.node].told.append(message)
      if hasListeners { threads[me].step = .notify } else { pass(me) }
    case .attach:
      let isPresent = nodes[message.node].heard.count >= message.number
      if !isPresent { nodes[message.node].heard.append(nodes[message.node].told.suffix(1)) }
    case .cut: break  // never left: the mark is one operation
    case .split:
      if isHead(message.node) { return }
      regions.append(Region(word: Word(isHeld: true)))
      threads[me].newRegion = regions.count - 1
      hold(threads[me].newRegion, me)
      threads[me].todo = smallerPart(message.node)
      threads[me].step = .splitMoves
    }
  }

  private mutating func end(_ node: Int) { nodes[node].hasEnded = true }

  private mutating func notify(_ me: Int) throws {
    let message = threads[me].message
    try expectHolder(message.node, me)
    for index in nodes[message.node].heard.indices {
      nodes[message.node].heard[index].append(message)
    }
    threads[me].step = threads[me].isFinishing ? .finish : .nextCall
    pass(me)
  }

  /// The value goes over the edge, as a call of its own: the edge is its sender.
  private mutating func pass(_ me: Int) {
    let node = threads[me].message.node
    guard let next = nodes[node].next, nodes[node].cutter == nil else { return }
    threads[me].message = Message(
      kind: .set, node: next, sender: 100 + node, number: nodes[node].told.count)
    threads[me].step = .claimRegion
  }

  /// For the mutant: the present value and the place in the list, but not what is under way.
  private mutating func tellItself(_ message: Message) {
    if nodes[message.node].heard.count < message.number {
      nodes[message.node].heard.append(nodes[message.node].told.suffix(1))
    }
  }

  private func isHead(_ node: Int) -> Bool {
    !nodes.contains { $0.derived == node && $0.region == nodes[node].region }
  }

  /// Of the two parts that a split leaves: the node with what only it can reach, and the rest.
  private func smallerPart(_ node: Int) -> [Int] {
    let region = nodes[node].region
    var below = [node]
    while let derived = nodes[below.last!].derived, nodes[derived].region == region {
      below.append(derived)
    }
    let rest = nodes.indices.filter { nodes[$0].region == region && !below.contains($0) }
    return rest.count < below.count ? rest : below
  }

  /// False: another thread has the lock of the node that is to move.
  private mutating func split(_ me: Int, _ rules: Rules) -> Bool {
    let new = threads[me].newRegion, node = threads[me].todo[0]
    if rules.contains(.countsBeforeMoving), threads[me].counted == nil {
      threads[me].counted = nodes[node].waitingMessages
      return true
    }
    if nodes[node].locker != nil, !rules.contains(.movesWithoutLock) { return false }
    threads[me].todo.removeFirst()
    threads[me].region = nodes[node].region
    nodes[node].region = new
    threads[me].awaited += threads[me].counted ?? nodes[node].waitingMessages
    threads[me].counted = nil
    if !threads[me].todo.isEmpty { return true }
    regions[new].origin = threads[me].region
    if !rules.contains(.splitsWithoutWaiting) { regions[new].awaited = threads[me].awaited }
    threads[me].awaited = 0
    threads[me].step = threads[me].isFinishing ? .finish : .nextCall
    return true
  }

  /// May messages for the region's nodes wait, here or where it was split from?
  private func hasMessages(_ region: Int) -> Bool {
    regions[region].awaited > 0 || regions[region].hasTaken
      || !regions[region].word.messages.isEmpty
  }

  /// The oldest message goes to the region that its target has moved to, or to the one on the way.
  private mutating func bring(
    _ message: Message, from region: Int, _ me: Int, _ rules: Rules
  ) throws {
    var next = nodes[message.node].region
    while regions[next].origin != region, !rules.contains(.bringsDirectly) {
      next = regions[next].origin!
    }
    if regions[next].awaited == 0 {
      throw Violation(description: "a message is brought to a region that does not wait for it")
    }
    append(message, to: next)
    regions[next].awaited -= 1
    if rules.contains(.releasesTooEarly) { regions[next].awaited = 0 }
    if regions[next].awaited == 0, !threads[me].held.contains(next),
      !rules.contains(.forgetsWhatWaits)
    {
      regions[next].owner = me
      regions[next].holder = .thread(me)
      threads[me].held.insert(next, at: 0)
    }
    threads[me].step = .finish
  }

  /// Moves the word's messages behind those in the inbox.
  private mutating func collect(_ region: Int, _ rules: Rules) {
    let messages = regions[region].word.messages
    regions[region].word.messages = []
    for message in rules.contains(.opensNewestFirst) ? messages : messages.reversed() {
      append(message, to: region)
    }
  }

  private mutating func append(_ message: Message, to region: Int) {
    if message.isMaintenance {
      regions[region].maintenance.append(message)
    } else {
      regions[region].inbox.append(message)
    }
  }

  private mutating func finish(_ me: Int, _ rules: Rules) throws {
    guard let region = threads[me].held.first else {
      threads[me].isFinishing = false
      threads[me].messagesOpened = 0
      threads[me].step = .nextCall
      return
    }
    threads[me].isFinishing = true
    switch threads[me].step {
    case .finish:
      if let node = threads[me].endsNode {
        threads[me].endsNode = nil
        end(node)
      }
      if regions[region].awaited > 0 {
        regions[region].owner = nil
        regions[region].holder = .otherRegion
        threads[me].held.removeFirst()
        return
      }
      threads[me].step = .takeMessage
    case .takeMessage:
      threads[me].step =
        !regions[region].word.messages.isEmpty
        ? .collect : regions[region].hasTaken ? .openNext : .freeExchanges
    case .collect:
      collect(region, rules)
      threads[me].step = .openNext
    case .openNext: try openNext(region, me, rules)
    default:
      if regions[region].word.messages.isEmpty || rules.contains(.freesWithoutLooking) {
        regions[region].word = Word()
        regions[region].owner = nil
        regions[region].holder = .nobody
        threads[me].held.removeFirst()
      }
      threads[me].step = .finish
    }
  }

  private mutating func openNext(_ region: Int, _ me: Int, _ rules: Rules) throws {
    let isMaintenance = !regions[region].maintenance.isEmpty
    let message = isMaintenance ? regions[region].maintenance[0] : regions[region].inbox[0]
    let isMoved = nodes[message.node].region != region && !rules.contains(.leavesMessagesBehind)
    if !isMoved, threads[me].messagesOpened >= rules.messageBound {
      return giveUp(region, me, rules)
    }
    if isMaintenance {
      regions[region].maintenance.removeFirst()
    } else {
      regions[region].inbox.removeFirst()
    }
    if isMoved { return try bring(message, from: region, me, rules) }
    threads[me].messagesOpened += 1
    threads[me].message = message
    countDown(me, rules)
    threads[me].step = .open
  }

  /// Before the message is opened. The code ends the node behind it, in the same turn.
  private mutating func countDown(_ me: Int, _ rules: Rules) {
    let node = threads[me].message.node
    nodes[node].waitingMessages -= 1
    if nodes[node].waitingMessages == 0, nodes[node].endsWithMessages,
      !rules.contains(.forgetsTheEnd)
    {
      threads[me].endsNode = node
      nodes[node].endsWithMessages = false
    }
  }

  private mutating func giveUp(_ region: Int, _ me: Int, _ rules: Rules) {
    if rules.contains(.givesUpMessage) {
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
  /// How many messages one turn opens.
  var messageBound = 1_000
  /// As many may wait in a region before who leaves another one naps.
  var messageComfort = 1_000

  init(rawValue: Int) { self.rawValue = rawValue }

  /// `free` stores instead of comparing: a message that came meanwhile is lost.
  static let freesWithoutLooking = Rules(rawValue: 1)
  /// `pushed` does not look at the held bit.
  static let pushesOntoFreeWord = Rules(rawValue: 2)
  /// Who has claimed does not read the node's region again.
  static let doesNotReread = Rules(rawValue: 4)
  /// Who claims reads the node's region again before the exchange, not behind it.
  static let rereadsBeforeTheExchange = Rules(rawValue: 8)
  /// The holder does its own operation although messages wait.
  static let overtakesMessages = Rules(rawValue: 16)
  /// `collect` does not turn the list round.
  static let opensNewestFirst = Rules(rawValue: 32)
  /// Who takes a message does not look whether its target has moved to another region.
  static let leavesMessagesBehind = Rules(rawValue: 64)
  /// A region is handed over to nobody.
  static let forgetsHandOver = Rules(rawValue: 128)
  /// The message that is not opened goes behind the others.
  static let givesUpMessage = Rules(rawValue: 256)
  /// Claim stores instead of comparing.
  static let claimsWithoutComparing = Rules(rawValue: 512)
  /// A split counts what waits for a node before it has the node's lock.
  static let countsBeforeMoving = Rules(rawValue: 1_024)
  /// Who attaches tells the present value itself, while another thread is inside.
  static let attacherTellsItself = Rules(rawValue: 2_048)
  /// Whether an edge is cut is looked at before its end is claimed, and not again.
  static let looksBeforeTheClaim = Rules(rawValue: 4_096)
  /// A message is pushed without the target's short lock.
  static let pushesWithoutLock = Rules(rawValue: 8_192)
  /// A split writes a node's region without its short lock.
  static let movesWithoutLock = Rules(rawValue: 16_384)
  /// A new region does not wait for the messages in the one that it was split from.
  static let splitsWithoutWaiting = Rules(rawValue: 32_768)
  /// A region goes on with the first message that is brought.
  static let releasesTooEarly = Rules(rawValue: 65_536)
  /// Who brings the last message that a region waits for does not take the region.
  static let forgetsWhatWaits = Rules(rawValue: 131_072)
  /// A message does not pass through the regions on its way, which have older ones for the same node.
  static let bringsDirectly = Rules(rawValue: 262_144)
  /// A node whose handle is gone ends although messages name it.
  static let endsAtOnce = Rules(rawValue: 524_288)
  /// Who opens the last message that names a node does not look whether its handle is gone.
  static let forgetsTheEnd = Rules(rawValue: 1_048_576)
  /// A message is counted when it is in the mailbox, where its holder may have taken it.
  static let countsAfterPushing = Rules(rawValue: 2_097_152)
  /// Who holds a region where messages wait naps all the same.
  static let napsThoughAwaited = Rules(rawValue: 4_194_304)
}
