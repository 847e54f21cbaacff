import Synchronization

extension NodePointer {
  /// The nodes from the set to `storage`, which is being told. Built when a listener asks.
  ///
  /// Each node remembers whom its present value came from; that address is believed only if it is
  /// still the start of one of the node's upstream edges, so a node that went away ends the path
  /// early.
  func path() -> [AnyNode] {
    var path: [AnyNode] = []
    var seen: Set<NodePointer> = []
    guard var current = node() else { return [] }
    while seen.insert(current.storage).inserted {
      path.append(current)
      guard let sender = current.storage.pointee.sender.load(ordering: .relaxed) else { break }
      var next: AnyNode?
      current.storage.forEachEdge(.ins) { edge in
        if edge.pointee.up == sender, next == nil, let handle = edge.pointee.upNode {
          next = handle
        }
      }
      if next == nil { next = current.upstreamNodes.first { $0.storage == sender } }  // over a sync
      guard let next else { break }
      current = next
    }
    return path.reversed()
  }
}
