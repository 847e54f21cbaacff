// swift-format-ignore-file
// Made by EasyReact of a session of random. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@Test(.alone) func `a random graph of seed 1`() throws {
  let random = RandomGraph(seed: 1)
  let graph = random.all
  let sessionNodes = SessionNodes(graph)
  let told = SessionTold()
  let listenings = [
    try sessionNodes.only("all", Array<String>.self).listen { told.add("all", $0) },
    try sessionNodes.only("is open", Bool.self).listen { told.add("is open", $0) },
    try sessionNodes.only("last", Int.self).listen { told.add("last", $0) },
    try sessionNodes.only("length", Int.self).listen { told.add("length", $0) },
    try sessionNodes.only("limit or 100", Int.self).listen { told.add("limit or 100", $0) },
    try sessionNodes.only("node 0", Int.self).listen { told.add("node 0", $0) },
    try sessionNodes.only("node 1", Int.self).listen { told.add("node 1", $0) },
    try sessionNodes.only("node 2", Int.self).listen { told.add("node 2", $0) },
    try sessionNodes.only("node 3", Int.self).listen { told.add("node 3", $0) },
    try sessionNodes.only("node 4", Int.self).listen { told.add("node 4", $0) },
    try sessionNodes.only("node 5", Int.self).listen { told.add("node 5", $0) },
    try sessionNodes.only("node 6", Int.self).listen { told.add("node 6", $0) },
    try sessionNodes.only("node 7", Int.self).listen { told.add("node 7", $0) },
    try sessionNodes.only("node 8", Int.self).listen { told.add("node 8", $0) },
    try sessionNodes.only("node 9", Int.self).listen { told.add("node 9", $0) },
    try sessionNodes.only("open", Int.self).listen { told.add("open", $0) },
    try sessionNodes.only("percent", Int.self).listen { told.add("percent", $0) },
  ]
  try sessionNodes.only("integer 2", Int.self).set(81)
  try sessionNodes.only("integer 0", Int.self).clean()
  try sessionNodes.only("text", String.self).set("")
  try sessionNodes.only("integer 2", Int.self).clean()
  try sessionNodes.only("text", String.self).set("a \"word\"")
  try sessionNodes.only("integer 2", Int.self).clean()
  try sessionNodes.only("integer 1", Int.self).set(31)
  try batch {
    try sessionNodes.only("limit", Optional<Int>.self).set(10)
    try sessionNodes.only("integer 1", Int.self).set(32)
    try sessionNodes.only("share", Double.self).set(0.898)
  }
  try sessionNodes.only("integer 0", Int.self).set(14)
  try sessionNodes.only("integer 2", Int.self).set(17)
  try sessionNodes.only("text", String.self).set("\\ and é 🦋")
  try sessionNodes.only("limit", Optional<Int>.self).set(24)
  try sessionNodes.only("integer 2", Int.self).clean()
  try sessionNodes.only("integer 1", Int.self).clean()
  try sessionNodes.only("integer 2", Int.self).set(35)
  try sessionNodes.only("integer 2", Int.self).set(28)
  try sessionNodes.only("integer 2", Int.self).set(26)
  try sessionNodes.only("integer 2", Int.self).clean()
  try sessionNodes.only("integer 1", Int.self).set(-11, context: "random")
  try sessionNodes.only("integer 1", Int.self).set(62)
  try sessionNodes.only("integer 1", Int.self).clean()
  try sessionNodes.only("integer 1", Int.self).set(19)
  try sessionNodes.only("text", String.self).set("\\ and é 🦋")
  try sessionNodes.only("integer 0", Int.self).clean()
  try sessionNodes.only("integer 1", Int.self).set(17)
  #expect(told["all"] == ["[\"102\"]", "[\"84\"]", "[\"81\"]", "[\"0\"]", "[\"50\"]", "[\"50\"]", "[\"8\"]", "[\"8\"]", "[\"8\"]", "[\"31\"]", "[\"112\"]", "[\"112\"]", "[\"10\"]", "[\"32\"]", "[\"89\"]", "[\"89\"]", "[\"14\"]", "[\"101\"]", "[\"17\"]", "[\"9\"]", "[\"89\"]", "[\"89\"]", "[\"136\"]", "[\"136\"]", "[\"24\"]", "[\"136\"]", "[\"35\"]", "[\"164\"]", "[\"28\"]", "[\"190\"]", "[\"26\"]", "[\"-11\"]", "[\"62\"]", "[\"19\"]", "[\"9\"]", "[\"9\"]", "[\"89\"]", "[\"89\"]", "[\"5\"]", "[\"17\"]"])
  #expect(told["is open"] == ["true"])
  #expect(told["last"] == ["102", "112", "136"])
  #expect(told["length"] == ["0", "0", "8", "9", "9"])
  #expect(told["limit or 100"] == ["100", "10", "24"])
  #expect(told["node 0"] == ["50", "50", "8", "89", "89"])
  #expect(told["node 1"] == ["1"])
  #expect(told["node 2"] == ["3", "84", "101", "136", "164", "190"])
  #expect(told["node 3"] == ["102", "112", "136"])
  #expect(told["node 4"] == ["1", "50", "8", "89", "89"])
  #expect(told["node 5"] == [])
  #expect(told["node 6"] == ["9"])
  #expect(told["node 7"] == ["5"])
  #expect(told["node 8"] == ["50", "89"])
  #expect(told["node 9"] == ["2"])
  #expect(told["open"] == ["1"])
  #expect(told["percent"] == ["50", "89"])
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
