// swift-format-ignore-file
// Made by EasyReact of a session of Till. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@Test(.alone, .fails) func `a day at the till, with a wrong price`() throws {
  let till = Sessions.Till()
  let told = SessionTold()
  let listenings = [
    till.large.listen { told.add("large", $0) },
    till.last.listen { told.add("last", $0) },
    till.total.listen { told.add("total", $0) },
  ]
  batch {
    till.price.set(20)
    till.count.set(3)
  }
  till.count.set(5, context: "scanner")
  till.note.set("a \"quoted\" line\nand another")
  till.price.clean()
  till.price.set(8)
  #expect(told["large"] == ["100"])
  #expect(told["last"] == ["60", "100", "35"])
  #expect(told["total"] == ["60", "100", "35"])
  withExtendedLifetime(listenings) {}
}

/// What nodes told, as text, by their names.
private final class SessionTold: Sendable {
  private let lists = Mutex<[String: [String]]>([:])
  func add(_ name: String, _ value: some Sendable) {
    let text = String(describing: value)
    lists.withLock { $0[name, default: []].append(text) }
  }
  subscript(_ name: String) -> [String] { lists.withLock { $0[name] ?? [] } }
}

/// Nodes by name and type, among those that `graph` is joined to.
private final class SessionNodes {
  private struct Met { weak var node: AnyNode? }
  private let graph: AnyNode
  private var met: [String: Met] = [:]
  init(_ graph: AnyNode) { self.graph = graph }

  /// The only one of the session that has the name. All that a walk meets are noted.
  func only<Value: Sendable>(_ name: String, _ type: Value.Type) throws -> MutableNode<Value> {
    if let node = met[name]?.node as? MutableNode<Value>, node.name == name { return node }
    met = [:]
    for (node, _) in graph.reachable {
      if let name = node.name, met[name] == nil { met[name] = Met(node: node) }
    }
    return try #require(met[name]?.node as? MutableNode<Value>)
  }

  /// Of several that have the name, the first that is there now.
  func first<Value: Sendable>(_ name: String, _ type: Value.Type) throws -> MutableNode<Value> {
    try #require(graph.reachable.lazy.compactMap { $0.node.name == name ? $0.node as? MutableNode<Value> : nil }.first)
  }
}
