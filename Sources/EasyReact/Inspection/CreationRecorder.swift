import Synchronization

/// The nodes, edges and listeners that are made while some code runs, and which of them still live:
/// for the testing library.
///
/// It hears what a tracer hears, so it costs nothing while none is in use. Nothing is kept alive.
package final class CreationRecorder: Sendable {
  /// What was made, in order.
  package enum Born: Sendable {
    case node(String)
    /// The transform's name, and the nodes at its ends.
    case edge(String, from: String, to: String)
    /// Of a node; where it was attached, as `Module/File.swift:12`.
    case listener(of: String, at: String?)
  }

  private struct Entry {
    enum Kind {
      case node
      case edge(OperatorKind, SourceLocation?)
    }
    let kind: Kind
    let order: Int
    /// The node itself, or the upstream.
    weak var node: AnyNode?
    weak var down: AnyNode?
  }
  private struct State {
    var nodes: [Entry] = []
    /// Those that are gone are forgotten when there are twice as many as after the last time, and by whoever looks.
    var room = 64
    /// By the address of the block, which is only compared: it leaves before the block is freed.
    var edges: [UInt: Entry] = [:]
    var count = 0

    /// Returns what was looked at, to be let go of when no lock is held: it may be the last reference.
    mutating func forgetGone() -> [AnyNode?] {
      let looked = nodes.map(\.node)
      nodes = zip(nodes, looked).compactMap { entry, node in node == nil ? nil : entry }
      room = max(64, 2 * nodes.count)
      return looked
    }
  }
  private let state = Mutex(State())

  /// Of this task, or of this thread outside of tasks.
  @TaskLocal package static var current: CreationRecorder?
  private static let heard = Mutex<[CreationRecorder]>([])
  static var areHeard: Bool { heard.withLock { !$0.isEmpty } }

  package init() {}

  /// Hears until `end()`.
  package func begin() {
    CreationRecorder.heard.withLock { $0.append(self) }
    GraphTracing.updateSwitch()
  }

  package func end() {
    CreationRecorder.heard.withLock { heard in heard.removeAll { $0 === self } }
    GraphTracing.updateSwitch()
  }

  func add(_ node: AnyNode) {
    let looked = state.withLock { state in
      state.count += 1
      state.nodes.append(Entry(kind: .node, order: state.count, node: node, down: nil))
      return state.nodes.count <= state.room ? [] : state.forgetGone()
    }
    _ = consume looked
  }

  func add(_ edge: EdgePointer, at location: SourceLocation?) {
    let kind = edge.pointee.kind
    let up = edge.pointee.up.flatMap { $0.node() }
    let down = edge.pointee.down.flatMap { $0.node() }
    let address = UInt(bitPattern: edge)
    state.withLock { state in
      state.count += 1
      state.edges[address] =
        Entry(kind: .edge(kind, location), order: state.count, node: up, down: down)
    }
  }

  /// Any thread: the block of an edge is about to be freed.
  static func remove(_ edge: EdgePointer) {
    let address = UInt(bitPattern: edge)
    for creationRecorder in heard.withLock({ $0 }) {
      creationRecorder.state.withLock { state in
        state.edges[address] = nil
        state.edges.shrinkIfSparse()
      }
    }
  }

  /// Those that live, in order of birth.
  package var alive: [Born] {
    // What was retained to be looked at is released outside of the lock: it may be the last
    // reference.
    let entries = state.withLock { state in
      let looked = state.forgetGone()
      return withExtendedLifetime(looked) {
        (state.nodes + state.edges.values).map { ($0, $0.node, $0.down) }
      }
    }.sorted { $0.0.order < $1.0.order }
    return entries.compactMap { entry, node, down in
      switch entry.kind {
      case .node: node.map { .node($0.whereabouts) }
      case .edge(let kind, let location):
        kind == .listen
          ? .listener(of: name(of: node), at: location.map { "\($0.file):\($0.line)" })
          : .edge(kind.name, from: name(of: node), to: name(of: down))
      }
    }
  }
}

private func name(of node: AnyNode?) -> String { node?.whereabouts ?? "a node that is gone" }
