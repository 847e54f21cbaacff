import Synchronization

/// The nodes from the set to `core`, which is being told. Built when a listener asks.
///
/// Each node remembers whom its present value came from; that address is believed only if it is
/// still the start of one of the node's upstream edges, so a node that went away ends the path
/// early.
func path(to core: CorePointer) -> [AnyNode] {
  var path: [AnyNode] = []
  var seen: Set<CorePointer> = []
  guard var current = node(of: core) else { return [] }
  while seen.insert(current.core).inserted {
    path.append(current)
    guard let sender = current.core.pointee.sender.load(ordering: .relaxed) else { break }
    var next: AnyNode?
    forEachEdge(current.core, .ins) { edge in
      if edge.pointee.up == sender, next == nil, let handle = edge.pointee.upHandle {
        next = handle.takeUnretainedValue()
      }
    }
    if next == nil { next = current.upstreamNodes.first { $0.core == sender } }  // over a sync
    guard let next else { break }
    current = next
  }
  return path.reversed()
}
