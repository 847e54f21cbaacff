import Synchronization

extension NodePointer {
  /// The nodes from the set to this one, by which a value of this wave came here. Any thread; the caller
  /// keeps the node.
  ///
  /// Each node remembers whom its present value came from; that address is believed only if it is
  /// still the start of one of the node's upstream edges, so a node that went away ends the path
  /// early. So does one that holds something newer than what it passed on: numbers do not fall on the way, and what had to wait has a
  /// new one, but did not come under that.
  func path(of wave: UInt64) -> [AnyNode] {
    var path: [AnyNode] = []
    var seen: Set<NodePointer> = [], newest = wave
    guard var current = node() else { return [] }
    while seen.insert(current.storage).inserted {
      let number = current.storage.pointee.wave.load(ordering: .acquiring)
      if number > newest { break }
      newest = current.storage.numberOfArrival(number) ?? newest
      path.append(current)
      guard let sender = current.storage.pointee.sender.load(ordering: .relaxed) else { break }
      var next: AnyNode?
      current.storage.forEachEdge(.ins) { edge in
        if edge.pointee.up == sender, next == nil, !edge.pointee.has(.cut) {
          next = edge.pointee.upNode
        }
      }
      if next == nil { next = current.upstreamNodes.first { $0.storage == sender } }  // over a sync
      guard let next else { break }
      current = next
    }
    return path.reversed()
  }
}
