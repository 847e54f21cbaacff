// Looking at a running graph while developing: `node.debug()`, and a tracer that prints.

extension AnyNode {
  /// Prints each value of this node from now on, with its wave and context, and why a value that was on
  /// its way here went no further. Returns the node.
  ///
  ///     let large = price.filter { $0 > 10 }.debug("large")
  ///     price.set(12, context: "import")     // prints: large: stored 12, wave 7, context import
  ///     price.value = 3                      // prints: large: stopped, an operator refused it, wave 8
  ///
  /// It is no listener and no part of the graph: it keeps nothing alive and changes no order. The present
  /// value is not printed. Lines go to ``GraphTracing/output``, on the thread where it happens, in
  /// mid-propagation. If a set is under way on this thread, printing begins with the next one.
  /// `GraphTracing.isDebugEnabled = false` silences all nodes. For development: as long as a node is
  /// printed every graph of the process takes the slower way of tracing.
  /// - Parameter name: What the lines begin with; otherwise the node's name, or where it was made.
  @discardableResult
  public final func debug(_ name: String? = nil) -> Self {
    GraphTracing.debug(self, name ?? self.name ?? "\(created.file):\(created.line)")
    return self
  }
}

/// Prints what happens in all graphs of the process, or to some nodes.
///
///     GraphTracing.install(PrintingTracer(of: [price, total]))
///     price.value = 4
///     // price: set at Shop/main.swift:12
///     // …
///     // total: stored 12, wave 7
///
/// A line for each event, to ``GraphTracing/output``. It keeps no node alive.
public struct PrintingTracer: GraphTracer {
  private let nodes: Set<UInt64>?

  /// - Parameter nodes: Those whose events are printed. Turns belong to no node.
  public init(of nodes: [AnyNode]) { self.nodes = Set(nodes.map(\.id)) }

  /// Prints everything.
  public init() { nodes = nil }

  public func trace(_ event: GraphEvent) {
    if nodes?.contains(event.node) ?? true { GraphTracing.output(event.description) }
  }
}

extension GraphEvent: CustomStringConvertible {
  /// `total: stored 12, wave 7, context import`.
  public var description: String { text(as: name ?? (node == 0 ? "-" : "node \(node)")) }

  func text(as name: String) -> String {
    var text = "\(name): \(kind.words)"
    if let callSite { text += " at \(callSite)" }
    if wave != 0 { text += ", wave \(wave)" }
    if let context { text += ", context \(context)" }
    return text
  }

  /// What `debug` prints of a node.
  var isForDebug: Bool {
    switch kind {
    case .valueStored, .stopped: true
    default: false
    }
  }
}

extension GraphEvent.Kind {
  fileprivate var words: String {
    switch self {
    case .nodeMade: "made"
    case .nodeGone: "gone"
    case .edgeMade(let down): down.map { "edge to node \($0) made" } ?? "listener made"
    case .edgeGone(let down): down.map { "edge to node \($0) gone" } ?? "listener gone"
    case .set: "set"
    case .waveBegan: "wave began"
    case .waveEnded: "wave ended"
    case .valueStored(let value): "stored \(value)"
    case .listenerCalled: "listener called"
    case .turnBegan: "turn began"
    case .turnEnded: "turn ended"
    case .stopped(let stop): "stopped, \(stop.words)"
    case .endlessSets(let count, let names): "\(count) sets in a circle of \(names)"
    }
  }
}

extension GraphEvent.Stop {
  fileprivate var words: String {
    switch self {
    case .filtered: "an operator refused it"
    case .equal: "it equals the last one"
    case .reachedAlready: "this wave or a newer one has been here"
    case .cut: "the edge is cut"
    case .waitsForAnotherUpstream: "another upstream has no value"
    case .eventsAreNotKept:
      "an upstream tells events, of which none is kept: withLatest(from:), zip or merge take them"
    case .heldBackByTimer: "a timer holds it back"
    case .waitsOnScheduler: "it waits on its scheduler"
    case .waitsForCall: "an asynchronous call for it is under way, or it waits for one"
    case .leftInMailbox: "the thread that is inside will deliver it"
    case .noConsumer: "nobody listens and nothing follows"
    }
  }
}
