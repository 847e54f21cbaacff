import CEasyReact
import Synchronization

// What is left for the holder of a region: messages, and the three operations that the engine leaves
// in this way. The rules are those of `Region.swift`.

// MARK: - Messages

@usableFromInline typealias MessagePointer = UnsafeMutablePointer<Message>

/// An operation on `target` that waits for the holder of its region: one block, this header, then
/// the payload.
///
/// What it names stays alive: whoever ends the target's life does so by a later message to the same
/// region.
@usableFromInline struct Message {
  @usableFromInline var next: MessagePointer?
  @usableFromInline let target: NodePointer
  /// Names no value, only notes something for the end of the holder's turn, and may find it done already: so it may
  /// be opened in the middle of the turn, and before messages that came earlier. Thus what has died is gone
  /// before the waiting sets look at it.
  @usableFromInline let isMaintenance: Bool
  /// Consumes the payload; captures nothing.
  @usableFromInline let open: (UnsafeMutableRawPointer, TurnPointer) -> Void
  @inlinable init(
    target: NodePointer, isMaintenance: Bool,
    open: @escaping (UnsafeMutableRawPointer, TurnPointer) -> Void
  ) {
    next = nil
    self.target = target
    self.isMaintenance = isMaintenance
    self.open = open
  }
  @inlinable static var headerSize: Int { 64 }
}

/// Messages, the oldest first, linked through themselves.
@usableFromInline struct MessageQueue {
  private(set) var first: MessagePointer?
  private var last: MessagePointer?
  @usableFromInline init() {}
  var isEmpty: Bool { first == nil }

  mutating func append(_ message: MessagePointer) {
    message.pointee.next = nil
    if let last { last.pointee.next = message } else { first = message }
    last = message
  }

  mutating func removeFirst() {
    first = first.unsafelyUnwrapped.pointee.next
    if first == nil { last = nil }
  }
}

extension NodePointer {
  @inlinable func makeMessage<Payload>(
    isMaintenance: Bool = false, _ payload: Payload,
    _ open: @escaping (UnsafeMutableRawPointer, TurnPointer) -> Void
  ) -> MessagePointer {
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: Message.headerSize + MemoryLayout<Payload>.size,
      alignment: max(16, MemoryLayout<Payload>.alignment))
    let message = block.assumingMemoryBound(to: Message.self)
    message.initialize(to: Message(target: self, isMaintenance: isMaintenance, open: open))
    (block + Message.headerSize).assumingMemoryBound(to: Payload.self).initialize(to: payload)
    return message
  }
}

/// For the payload's type that `makeMessage` was given.
@inlinable func takePayload<Payload>(
  _ payload: UnsafeMutableRawPointer, _: Payload.Type
) -> Payload {
  payload.assumingMemoryBound(to: Payload.self).move()
}

extension NodePointer {
  /// Leaves an operation with the holder of this node's region, who may be this thread; performs it at
  /// once if the region became free. `open` consumes the payload and captures nothing.
  @inlinable func send<Payload>(
    isMaintenance: Bool = false, _ payload: Payload, in turn: TurnPointer,
    _ open: @escaping (UnsafeMutableRawPointer, TurnPointer) -> Void
  ) {
    makeMessage(isMaintenance: isMaintenance, payload, open).sendMessage(in: turn)
  }
}

extension NodePointer {
  /// Called by the holder, who opens a message of this node. True: it is the last one, and the node is gone.
  func countMessageDown() -> Bool {
    let waiting = pointee.waitingMessages.wrappingSubtract(1, ordering: .relaxed).newValue
    if waiting != 0 || pointee.life != .endsWithMessages { return false }
    pointee.life = .wanted
    return true
  }
}

extension MessagePointer {
  func openMessage(in turn: TurnPointer) {
    pointee.open(UnsafeMutableRawPointer(self) + Message.headerSize, turn)
    deinitialize(count: 1)
    UnsafeMutableRawPointer(self).deallocate()
  }

  /// Leaves the message with the holder, who may be this thread; opens it at once if the region became
  /// free.
  @usableFromInline func sendMessage(in turn: TurnPointer) {
    // Once it is left, its holder may open it, and free it and its target.
    let note = turn.pointee.isTraced ? MessageNote(pointee.target, turn) : nil
    if enqueue(in: turn) {
      note?.trace()
    } else {
      openMessage(in: turn)
    }
  }

  /// True: in the mailbox. False: the region became free, this turn has claimed it.
  fileprivate func enqueue(in turn: TurnPointer) -> Bool {
    let target = pointee.target
    target.giveWay(in: turn)
    target.pointee.acquire()
    let isPushed = pushedLocked(in: turn)
    // The holder may have opened it by now, and only this lock may keep its target from being freed: see `freeStorage`.
    target.pointee.release()
    return isPushed
  }

  /// The same for one who holds the target's short lock. As long as it does, the target's region stays
  /// the same: a split takes that lock, too.
  @usableFromInline func pushedLocked(in turn: TurnPointer) -> Bool {
    let target = pointee.target
    let region = target.pointee.region.load(ordering: .relaxed)
    // Before the holder can take it.
    target.pointee.waitingMessages.wrappingAdd(1, ordering: .relaxed)
    var word = region.pointee.word.load(ordering: .relaxed)
    while true {
      if word == Region.free {
        if region.take(in: turn) {
          if target.countMessageDown() { retire(.node(target), turn) }
          return false
        }
        word = region.pointee.word.load(ordering: .relaxed)
        continue
      }
      pointee.next = Region.message(in: word)
      let (isPushed, present) = region.pointee.word.compareExchange(
        expected: word, desired: UInt(bitPattern: self) | Region.held,
        successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if isPushed {
        region.pointee.messagesLeft.wrappingAdd(1, ordering: .relaxed)
        turn.countMessageSent()
        return true
      }
      word = present
    }
  }
}

// MARK: - Giving way

/// So many messages may wait before a thread that leaves another one gives way.
let messageComfort: Int32 = 128

extension NodePointer {
  /// Called before a message is left where many wait; every 32nd time the thread may sleep.
  ///
  /// A message is left faster than it is opened, and threads that leave messages in a loop may keep the processors
  /// from the one that opens them. This way only a few wait while they go on. A thread that is opening messages, or
  /// holds a region where some wait, does not sleep: another one might be sleeping for that region.
  @usableFromInline func giveWay(in turn: TurnPointer) {
    let region = pointee.region.load(ordering: .acquiring)
    if region.backlog <= messageComfort { return }
    turn.pointee.crowdedMessages &+= 1
    if turn.pointee.crowdedMessages % 32 == 0, !turn.isAwaited { region.napWhileItGetsOn(turn) }
  }
}

extension TurnPointer {
  /// One that holds very many regions counts as awaited: to look at all of them before each nap would take longer than its work there.
  fileprivate var isAwaited: Bool {
    if pointee.messagesOpened > 0 { return true }
    var region = pointee.held, looks = 0
    while let present = region {
      looks += 1
      if present.hasMessages || present.wordHasMessages || looks > 64 { return true }
      region = present.pointee.nextHeld
    }
    return false
  }

  fileprivate func countMessageSent() {
    let sent = pointee.messagesSent.load(ordering: .relaxed)
    pointee.messagesSent.store(sent &+ 1, ordering: .relaxed)
  }
}

extension RegionPointer {
  fileprivate var backlog: Int32 {
    let left = pointee.messagesLeft.load(ordering: .relaxed)
    return Int32(bitPattern: left &- pointee.messagesTaken.load(ordering: .relaxed))
  }

  /// Sleeps as long as the holder gets on with the messages: until few are left, and for some 50
  /// milliseconds at most. A holder that does not get on may be waiting for a processor, or be inside a callback; it
  /// is not waited for, except for one nap if it stood still before. One that got on after all is only slow: this thread
  /// has more patience with it the next time.
  @inline(never) fileprivate func napWhileItGetsOn(_ turn: TurnPointer) {
    var taken = pointee.messagesTaken.load(ordering: .relaxed)
    let stoodStillAt = turn.pointee.stoodStillAt
    let standsStill = taken == stoodStillAt
    if stoodStillAt != nil, !standsStill {
      turn.pointee.patience = min(2 * turn.pointee.patience, Turn.longestPatience)
    }
    var patience = standsStill ? 1 : turn.pointee.patience
    for _ in 0..<1_000 where patience > 0 {
      easyreact_nap(50)
      let before = taken
      taken = pointee.messagesTaken.load(ordering: .relaxed)
      if backlog <= messageComfort { break }
      patience = taken == before ? patience - 1 : turn.pointee.patience
    }
    turn.pointee.stoodStillAt = patience == 0 ? taken : nil
  }
}

extension NodePointer {
  /// Does `body` as the holder of the node's region: now, or when the holder opens the message.
  @usableFromInline func perform(in turn: TurnPointer, _ body: @escaping (TurnPointer) -> Void) {
    if claim(by: turn) { return body(turn) }
    (makeMessage(body) { payload, turn in
      takePayload(payload, ((TurnPointer) -> Void).self)(turn)
    }).sendMessage(in: turn)
  }
}

// MARK: - A set

/// A part of a node, which waits with the whole.
@usableFromInline struct PendingPart {
  @usableFromInline let storage: NodePointer
  /// Keeps it.
  @usableFromInline let handle: AnyObject
  @usableFromInline var ticket: UInt64 = 0
}

extension NodePointer {
  /// For the outermost set, when `claim` has failed: looks for a few microseconds at most whether the
  /// holder was just passing and is out again, since a message costs more than that. Does not look if messages
  /// wait already, or while this thread holds anything. What was set meanwhile came first: so the set gets a new `number`
  /// if it comes in.
  @usableFromInline @inline(never) func spinClaim(by turn: TurnPointer, _ number: inout UInt64)
    -> Bool
  {
    if turn.pointee.held != nil { return false }
    for _ in 0..<64 {
      let region = pointee.region.load(ordering: .acquiring)
      let word = region.pointee.word.load(ordering: .relaxed)
      if word & ~Region.held != 0 { return false }
      if word == Region.free {
        number = newWave()
        if claimSlow(by: turn) { return true }
      }
      easyreact_pause()
    }
    return false
  }

  /// Leaves a set with the thread that is inside the node. Its newest value is readable at once.
  /// - Parameters:
  ///   - part: The part of this node that is being set, if it is not the whole: its pending value goes when the set is made.
  ///   - notingPart: Returns the ticket of that value. Called under the node's lock, in the order of the messages.
  @inlinable @inline(never) func sendSet<Value: Sendable>(
    _ arrival: Arrival<Value>, _ number: UInt64, context: ContextBox?, in turn: TurnPointer,
    part: PendingPart? = nil, notingPart: () -> UInt64 = { 0 }
  ) {
    let storage = self
    typealias Payload = (
      NodePointer, Arrival<Value>, ContextBox?, UInt64, ticket: UInt64, part: PendingPart?,
      handle: AnyObject?, site: SourceLocation?
    )
    storage.giveWay(in: turn)
    let pendingValue = storage.isEventNode() ? nil : arrival.pendingValue
    let sideTable = pendingValue == nil ? nil : storage.sideTable()
    let site =
      turn.pointee.isTraced ? storage.traceLeftSet(context, number: number, in: turn) : nil
    let message = storage.makeMessage(
      (storage, arrival, context, number, 0, part, storage.handleToKeep(), site) as Payload
    ) { payload, turn in
      let (storage, arrival, context, wave, ticket, part, handle, site) = takePayload(
        payload, Payload.self)
      defer { _ = consume handle }
      turn.pointee.callSite = site
      storage.apply(arrival, wave, context: context, in: turn)
      turn.pointee.callSite = nil  // a turn that is not traced has not taken it
      if ticket != 0 { storage.settlePendingValue(ticket) }
      if let part { part.storage.settlePendingValue(part.ticket) }
    }
    let payload = (UnsafeMutableRawPointer(message) + Message.headerSize)
      .assumingMemoryBound(to: Payload.self)
    var old: AnyObject?
    storage.pointee.acquire()
    if let pendingValue, let sideTable {
      payload.pointee.ticket = storage.notePendingValue(
        sideTable, pendingValue, in: turn, old: &old)
    }
    if part != nil { payload.pointee.part!.ticket = notingPart() }
    let isSent = message.pushedLocked(in: turn)
    storage.pointee.releaseAfterCopying()
    _ = consume old
    message.endSending(to: storage, isSent: isSent, in: turn)
  }
}

extension NodePointer {
  /// What is set on a node whose value is kept elsewhere too, or comes to it, is not lost with the node: the message keeps the node.
  @usableFromInline func handleToKeep() -> AnyObject? {
    pointee.traits.has(.isKept) ? handle() : nil
  }
}

extension Arrival {
  /// What can be read at once. Nil: what is set is not known before its time comes.
  @inlinable var pendingValue: PendingValue<Value>? {
    switch self {
    case .value(let value): PendingValue(value)
    case .empty: PendingValue(nil)
    case .change, .attempt, .decision: nil
    }
  }
}

extension MessagePointer {
  /// After the lock is released: opens the message if it was not left.
  @usableFromInline func endSending(to target: NodePointer, isSent: Bool, in turn: TurnPointer) {
    if !isSent { return openMessage(in: turn) }
    if turn.pointee.isTraced { MessageNote(target, turn).trace() }
  }
}
