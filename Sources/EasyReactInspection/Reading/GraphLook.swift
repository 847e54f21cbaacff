import EasyReact

/// The graph as it is now: everything that is joined to what a recording has met.
struct GraphLook: Sendable {
  private(set) var traces: [NodeTrace] = []
  private(set) var edges: [LiveEdge] = []
  /// How many each node has, by id.
  private(set) var listeners: [UInt64: Int] = [:]

  /// Meets what it sees. It waits for nodes by their traces, and so keeps one of them at a time, with its neighbours: whoever
  /// lets go of a node's last reference is inside its graph for that moment.
  init(_ recording: Recording) {
    var waiting = recording.traces
    var seen = Set(waiting.map(\.id))
    while let trace = waiting.popLast() {
      traces.append(trace)
      guard let node = trace.node else { continue }
      edges += node.liveEdges
      listeners[node.id] = node.listenerCount
      for near in node.upstreamNodes + node.downstreamNodes where seen.insert(near.id).inserted {
        if let trace = recording.meet(near) { waiting.append(trace) }
      }
    }
  }
}
