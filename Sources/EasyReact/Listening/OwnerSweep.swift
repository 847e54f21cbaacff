import Synchronization

// Owners that do not tell when they go. Each new listening by an owner looks at two others of its
// node and ends those whose owners are gone, and each event ends those that it meets. So what is found
// lies in the region that the thread was about to enter, and nothing is to be seen anywhere else.

/// The listenings of one node by owners. Lies in a Mutex.
struct OwnedListenings: Sendable {
  private var items: [OwnedListening] = []
  private var next = 0
  /// All of them by the addresses of their owners; empty if there are few.
  private var byOwner: [UInt: [ObjectIdentifier: OwnedListening]] = [:]

  /// Returns the two that are to be looked at.
  mutating func add(_ listening: OwnedListening) -> (OwnedListening?, OwnedListening?) {
    let looked = (look(), items.count > 1 ? look() : nil)
    listening.place = items.count
    items.append(listening)
    if !byOwner.isEmpty {
      index(listening)
    } else if items.count > 8 {
      items.forEach { index($0) }
    }
    return looked
  }

  /// From the last to the first: one that takes the place of another has been looked at.
  private mutating func look() -> OwnedListening? {
    if items.isEmpty { return nil }
    if next == 0 || next > items.count { next = items.count }
    next -= 1
    return items[next]
  }

  private mutating func index(_ listening: OwnedListening) {
    byOwner[listening.ownerAddress, default: [:]][ObjectIdentifier(listening)] = listening
  }

  /// Nothing happens if it is not here. The caller keeps the listening.
  mutating func remove(_ listening: OwnedListening) {
    guard let place = listening.place else { return }
    listening.place = nil
    let last = items.removeLast()
    if place < items.count {
      items[place] = last
      last.place = place
    }
    items.shrinkIfSparse()
    byOwner.shrinkIfSparse()
    let address = listening.ownerAddress
    guard var same = byOwner.removeValue(forKey: address) else { return }
    same[ObjectIdentifier(listening)] = nil
    same.shrinkIfSparse()
    if !same.isEmpty { byOwner[address] = same }
  }

  func all(of owner: AnyObject) -> [OwnedListening] {
    if byOwner.isEmpty { return items.filter { $0.isOwned(by: owner) } }
    let address = UInt(bitPattern: ObjectIdentifier(owner))
    return byOwner[address].map { Array($0.values) } ?? []
  }
}

/// A listening of an owner that has just been made, and is not attached yet.
@usableFromInline func register(
  _ listening: OwnedListening, owner: AnyObject, of storage: NodePointer
) {
  let attachments = storage.attachments()
  let keeper = (owner as? any ListeningOwner)?.listenings
  listening.neighbours = attachments
  listening.listenings = keeper
  keeper?.add(listening)
  let (first, second) = attachments.owned.withLock { $0.add(listening) }
  if let first, first.isOwnerGone { endOfGone(first) }
  if let second, second.isOwnerGone { endOfGone(second) }
  // Cancelled meanwhile by another thread, which did not find it here yet.
  if listening.hasEnded { listening.forget() }
}

/// What it kept dies here by chance: what deinits set is no part of this thread's batch.
private func endOfGone(_ listening: OwnedListening) {
  let turn = currentTurn()
  let wasForeign = turn.pointee.isForeign
  turn.pointee.isForeign = true
  listening.cancel()
  turn.pointee.isForeign = wasForeign
}
