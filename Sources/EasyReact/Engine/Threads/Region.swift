import CEasyReact
import Dispatch
import Synchronization

// A region is what one thread at a time may touch: a claim word and a mailbox.
//
// A node that can be set, or that has no upstream edge or several, is the head of a region of its own;
// a node derived from one upstream lies in its upstream's region. So a chain is one region, and its
// hops cost no claim.
//
// The protocol:
//  1. Claim: compare-and-swap *free* to *held*, then look whether the node is still in this region.
//     If not, the claim is kept until the turn ends, and the node's region is read again. Nobody waits
//     for a claim; an outermost set looks a few more times, for microseconds, before it leaves a
//     message.
//  2. If another thread holds the word, the operation is left there as a message; the same word is
//     claim and mailbox, so no message can be stranded: it is pushed only onto a word that says
//     *held*, and the holder cannot write *free* over a message.
//  3. If this thread holds it and there are messages, its operation goes behind them. Nothing overtakes messages of
//     its region, except maintenance.
//  4. The holder delivers the messages at the end of its turn, each message as a turn of its own, then
//     frees the word. Past `messageBound` messages a background queue takes the region over, so no
//     thread is captured.
//  5. A region splits when one of its nodes becomes a head. Only its holder does that. A message is
//     pushed under its target's short lock, under which a split writes the target's region; so it
//     reaches the region that its target is in, or is there before the split. As long as messages for
//     its nodes are in the old region, the new one waits: it stays held, and whoever takes messages from the
//     old one brings them. Regions never merge.

@usableFromInline typealias RegionPointer = UnsafeMutablePointer<Region>

@usableFromInline struct Region: ~Copyable {
  /// Holder: the next region that the same turn holds, and messages taken from the word, oldest
  /// first. Those that may overtake others have a queue of their own.
  @usableFromInline var nextHeld: RegionPointer? = nil
  @usableFromInline var inbox = MessageQueue()
  @usableFromInline var maintenance = MessageQueue()
  /// Holder: the head is freed, so nobody can name this region any more.
  @usableFromInline var isDead = false
  /// How many messages are in the two queues.
  @usableFromInline var takenMessages: Int32 = 0
  /// How many messages for its nodes wait in `origin`. While there are any, it is in the hands of the
  /// holder of that region, and only messages that this one brings come in.
  @usableFromInline var awaitedMessages: Int32 = 0
  /// Holder: the region that this one's nodes came from. It is there while messages are awaited.
  @usableFromInline var origin: RegionPointer?
  /// Holder: of a region that was split, or came of a split; retained. And have nodes left it?
  @usableFromInline var family: Unmanaged<RegionFamily>?
  @usableFromInline var wasLeft = false
  /// The newest message of a list, and the `held` bit, which is zero in an address.
  @usableFromInline let word = Atomic<UInt>(0)
  /// The holder's turn; `nobody` for a moment before and after; `handedOver` while it is held but no turn has it,
  /// combined with the turn that has set it aside, if one has. A thread only asks "is it me?", and nobody else writes its name, so relaxed.
  @usableFromInline let owner = Atomic<UInt>(0)
  /// How many messages were ever left here, and how many of them holders have taken: see `giveWay`.
  @usableFromInline let messagesLeft = Atomic<UInt32>(0)
  @usableFromInline let messagesTaken = Atomic<UInt32>(0)

  @inlinable init() {}

  static var nobody: UInt { 0 }
  static var handedOver: UInt { 1 }
  @inlinable static var free: UInt { 0 }
  @inlinable static var held: UInt { 1 }

  /// The newest message of a word.
  static func message(in word: UInt) -> MessagePointer? { MessagePointer(bitPattern: word & ~held) }
}

/// An `Atomic<RegionPointer>` without a check for null at each load.
@usableFromInline struct AtomicRegion: ~Copyable {
  @usableFromInline enum LoadOrdering { case relaxed, acquiring }
  @usableFromInline enum StoreOrdering { case relaxed, releasing }
  @usableFromInline let address: Atomic<UInt>

  @inlinable init(_ region: RegionPointer) { address = Atomic(UInt(bitPattern: region)) }

  @inlinable @inline(__always) borrowing func load(ordering: LoadOrdering) -> RegionPointer {
    let address =
      switch ordering {
      case .relaxed: self.address.load(ordering: .relaxed)
      case .acquiring: self.address.load(ordering: .acquiring)
      }
    return RegionPointer(bitPattern: address).unsafelyUnwrapped
  }

  @inlinable @inline(__always) borrowing func store(
    _ region: RegionPointer, ordering: StoreOrdering
  ) {
    switch ordering {
    case .relaxed: address.store(UInt(bitPattern: region), ordering: .relaxed)
    case .releasing: address.store(UInt(bitPattern: region), ordering: .releasing)
    }
  }
}

@inlinable func makeRegion() -> RegionPointer {
  let region = RegionPointer.allocate(capacity: 1)
  region.initialize(to: Region())
  return region
}

// MARK: - The holder's side

extension RegionPointer {
  /// The message that is to be opened next, or nil; it stays where it is. Messages for nodes that have moved are sent
  /// after them.
  func nextMessage(in turn: TurnPointer) -> MessagePointer? {
    while true {
      if wordHasMessages { collectMessages() }
      guard let message = pointee.maintenance.first ?? pointee.inbox.first else { return nil }
      let region = message.pointee.target.pointee.region.load(ordering: .relaxed)
      if region == self { return message }
      takeOut(message)
      bring(message, towards: region, in: turn)
    }
  }

  /// Takes the next message and opens it.
  func open(_ message: MessagePointer, in turn: TurnPointer) {
    takeOut(message)
    turn.pointee.messagesOpened &+= 1
    let target = message.pointee.target
    let isLast = target.countMessageDown()
    message.openMessage(in: turn)
    if isLast { retire(.node(target), turn) }
  }

  private func takeOut(_ message: MessagePointer) {
    pointee.takenMessages -= 1
    if message.pointee.isMaintenance {
      pointee.maintenance.removeFirst()
    } else {
      pointee.inbox.removeFirst()
    }
    let before = pointee.messagesTaken.load(ordering: .relaxed)
    pointee.messagesTaken.store(before &+ 1, ordering: .relaxed)
  }

  /// Not past a region on the way: that one has older messages for the same node. When a region has got the last message
  /// that it awaited, it is this turn's.
  private func bring(
    _ message: MessagePointer, towards target: RegionPointer, in turn: TurnPointer
  ) {
    var next = target
    while let origin = next.pointee.origin, origin != self { next = origin }
    next.append(message)
    next.pointee.messagesLeft.wrappingAdd(1, ordering: .relaxed)
    next.pointee.awaitedMessages -= 1
    // The turn that split it may still have it in its list.
    if next.pointee.awaitedMessages == 0,
      next.pointee.owner.load(ordering: .relaxed) != UInt(bitPattern: turn)
    {
      next.addHeld(by: turn)
    }
  }

  /// Messages taken, or awaited; the word may have more.
  @inline(__always) var hasMessages: Bool { pointee.takenMessages | pointee.awaitedMessages != 0 }

  @inline(__always) var wordHasMessages: Bool {
    pointee.word.load(ordering: .relaxed) != Region.held
  }

  /// The region awaits messages: it leaves the turn, and comes back with the last of them.
  func setAside(by turn: TurnPointer) {
    pointee.owner.store(UInt(bitPattern: turn) | Region.handedOver, ordering: .relaxed)
  }
}

extension RegionPointer {
  /// Moves the word's messages behind those taken before.
  func collectMessages() {
    let word = pointee.word.exchange(Region.held, ordering: .acquiringAndReleasing)
    var message = Region.message(in: word)
    var ordered: MessagePointer? = nil
    while let present = message {
      message = present.pointee.next
      present.pointee.next = ordered
      ordered = present
    }
    while let present = ordered {
      ordered = present.pointee.next
      append(present)
    }
  }

  fileprivate func append(_ message: MessagePointer) {
    pointee.takenMessages += 1
    if message.pointee.isMaintenance {
      pointee.maintenance.append(message)
    } else {
      pointee.inbox.append(message)
    }
  }

  /// May the holder go on although there are messages? Only if all are maintenance: they are opened to find out.
  @inline(never) func openMaintenance(in turn: TurnPointer) -> Bool {
    if pointee.awaitedMessages != 0 { return false }
    while let message = nextMessage(in: turn) {
      if !message.pointee.isMaintenance
        || turn.pointee.messagesOpened >= messageBound.load(ordering: .relaxed)
      {
        return false
      }
      let wasForeign = turn.pointee.isForeign
      turn.pointee.isForeign = true
      open(message, in: turn)
      turn.pointee.isForeign = wasForeign
    }
    return true
  }

  /// Gives the word back. False: messages came meanwhile, the region is still held.
  func giveBack(by turn: TurnPointer) -> Bool {
    pointee.owner.store(Region.nobody, ordering: .relaxed)
    if pointee.word.compareExchange(
      expected: Region.held, desired: Region.free, successOrdering: .releasing,
      failureOrdering: .relaxed
    ).exchanged {
      return true
    }
    pointee.owner.store(UInt(bitPattern: turn), ordering: .relaxed)
    return false
  }
}

/// How many messages one turn delivers before a background queue takes over.
let messageBound = Atomic<Int>(1_000)

/// The regions that are with a background queue.
let handOvers = DispatchGroup()

/// What waits or runs on queues, schedulers and actors: regions handed over, and what was scheduled to run at once.
let pendingWork = PendingWork()

struct PendingWork: ~Copyable {
  /// In the lower half how much there is, in the upper half how much has ended.
  private let word = Atomic<UInt64>(0)

  func begin() { word.wrappingAdd(1, ordering: .relaxed) }
  func end() { word.wrappingAdd(1 << 32 - 1, ordering: .releasing) }

  /// How much has ended; nil: there is some. A caller that gets the same number twice knows that nothing ran in between.
  func endedAtRest() -> UInt64? {
    let word = self.word.load(ordering: .acquiring)
    return UInt32(truncatingIfNeeded: word) == 0 ? word : nil
  }
}

/// A region that no turn has, although its word says *held*.
struct Held: @unchecked Sendable {
  // Unchecked: whoever takes it from a queue's block, which is run once, or from a family's list, is the only one that has it; both publish it.
  let region: RegionPointer
}

extension RegionPointer {
  /// Passes a held region with its messages to a background queue.
  func handOver() {
    let region = self
    let held = Held(region: region)
    region.pointee.owner.store(Region.handedOver, ordering: .relaxed)
    pendingWork.begin()
    DispatchQueue.global().async(group: handOvers) {
      defer { pendingWork.end() }
      let turn = currentTurn()
      turn.enter()
      held.region.addHeld(by: turn)
      turn.leave()
    }
  }
}

extension NodePointer {
  @inlinable @inline(__always) func sharesRegion(_ b: NodePointer) -> Bool {
    pointee.region.load(ordering: .relaxed) == b.pointee.region.load(ordering: .relaxed)
  }
}
