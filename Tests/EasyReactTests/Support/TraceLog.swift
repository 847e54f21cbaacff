import EasyReact
import Synchronization

/// The events of some nodes, recorded by the tracer of the process while `body` runs.
///
/// One such recording at a time: there is one tracer. Other tests run meanwhile, so only events of
/// the nodes that were made while it recorded on this thread are told, and those of turns on this
/// thread.
func traced(_ body: () -> Void) -> TraceLog {
  onlyTracer.withLock { _ in
    let log = TraceLog()
    GraphTracing.install(log)
    defer { GraphTracing.install(nil) }
    // The first event of this thread tells its number.
    let marker = MutableNode<Int>().named("marker of the trace log")
    marker.value = 0
    log.begin(marker.id)
    withExtendedLifetime(marker, body)
    GraphTracing.install(nil)
    return log
  }
}

/// Runs `body` with another tracer.
func traced(by tracer: some GraphTracer, _ body: () -> Void) {
  onlyTracer.withLock { _ in
    GraphTracing.install(tracer)
    defer { GraphTracing.install(nil) }
    body()
  }
}

private let onlyTracer = Mutex(())

final class TraceLog: GraphTracer {
  private struct State {
    var events: [GraphEvent] = []
    var thread: UInt64 = 0
  }
  private let state = Mutex(State())

  func trace(_ event: GraphEvent) { state.withLock { $0.events.append(event) } }

  fileprivate func begin(_ marker: UInt64) {
    state.withLock { state in
      state.thread = state.events.last { $0.node == marker && $0.thread != 0 }?.thread ?? 0
      state.events = []
    }
  }

  /// The number of the thread that recorded.
  var thread: UInt64 { state.withLock { $0.thread } }
  /// Of all threads.
  var everything: [GraphEvent] { state.withLock { $0.events } }
  /// Of this thread.
  var events: [GraphEvent] {
    state.withLock { state in state.events.filter { $0.thread == state.thread } }
  }
  /// Of these nodes, on any thread.
  func events(of nodes: AnyNode...) -> [GraphEvent] {
    let ids = Set(nodes.map(\.id))
    return everything.filter { ids.contains($0.node) }
  }
  /// `price: stored 1` for each event of this thread.
  var lines: [String] { events.map(\.line) }
  /// Forgets what was recorded.
  func clear() { state.withLock { $0.events = [] } }

  func stops(_ node: AnyNode) -> [GraphEvent.Stop] {
    events(of: node).compactMap { if case .stopped(let stop) = $0.kind { stop } else { nil } }
  }
}

extension GraphEvent {
  /// For comparison: the name and what happened.
  var line: String {
    let name = name ?? (node == 0 ? "-" : "unnamed")
    let text: String =
      switch kind {
      case .nodeMade: "made"
      case .nodeGone: "gone"
      case .edgeMade(let to): to == nil ? "listener made" : "edge made"
      case .edgeGone(let to): to == nil ? "listener gone" : "edge gone"
      case .set: "set"
      case .waveBegan: "wave began"
      case .waveEnded: "wave ended"
      case .valueStored(let value): "stored \(value)"
      case .listenerCalled: "listener called"
      case .turnBegan: "turn began"
      case .turnEnded: "turn ended"
      case .stopped(let stop): "stopped: \(stop.rawValue)"
      case .endlessSets: "endless sets"
      }
    return "\(name): \(text)"
  }
}
