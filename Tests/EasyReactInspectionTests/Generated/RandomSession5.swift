// swift-format-ignore-file
// Made by EasyReact of a session of random. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@Test(.alone) func `a random graph of seed 5`() throws {
  let random = RandomGraph(seed: 5)
  let graph = random.all
  let sessionNodes = SessionNodes(graph)
  let told = SessionTold()
  let listenings = [
    try sessionNodes.only("all", Array<String>.self).listen { told.add("all", $0) },
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
  try sessionNodes.only("integer 2", Int.self).clean()
  try sessionNodes.only("integer 1", Int.self).set(-24, context: "random")
  try sessionNodes.only("integer 2", Int.self).set(-13, context: "random")
  try sessionNodes.only("integer 2", Int.self).set(60)
  try batch {
    try sessionNodes.only("limit", Optional<Int>.self).set(48)
    try sessionNodes.only("integer 1", Int.self).set(76)
    try sessionNodes.only("text", String.self).set("")
  }
  try sessionNodes.only("text", String.self).set("two\nlines")
  try sessionNodes.only("integer 2", Int.self).set(-6, context: "random")
  try sessionNodes.only("is open", Bool.self).set(false)
  try sessionNodes.only("integer 2", Int.self).set(77)
  try sessionNodes.only("limit", Optional<Int>.self).set(4)
  try sessionNodes.only("integer 0", Int.self).set(13)
  try sessionNodes.only("integer 0", Int.self).clean()
  try sessionNodes.only("integer 1", Int.self).set(18)
  try sessionNodes.only("limit", Optional<Int>.self).set(28)
  try sessionNodes.only("integer 1", Int.self).set(82)
  try sessionNodes.only("integer 1", Int.self).clean()
  try sessionNodes.only("integer 1", Int.self).set(84)
  try sessionNodes.only("limit", Optional<Int>.self).set(26)
  try sessionNodes.only("is open", Bool.self).set(false)
  try sessionNodes.only("integer 0", Int.self).clean()
  try sessionNodes.only("share", Double.self).set(0.266)
  try sessionNodes.only("integer 0", Int.self).set(71)
  try sessionNodes.only("text", String.self).set("a \"word\"")
  try sessionNodes.only("integer 0", Int.self).set(40)
  try batch {
    try sessionNodes.only("integer 2", Int.self).set(23)
    try sessionNodes.only("integer 0", Int.self).set(50)
  }
  #expect(told["all"] == ["[\"100\"]", "[\"-24\"]", "[\"0\"]", "[\"100\"]", "[\"100\"]", "[\"-13\"]", "[\"-13\"]", "[\"-13\"]", "[\"60\"]", "[\"60\"]", "[\"48\"]", "[\"76\"]", "[\"0\"]", "[\"76\"]", "[\"48\"]", "[\"48\"]", "[\"9\"]", "[\"9\"]", "[\"9\"]", "[\"-6\"]", "[\"-6\"]", "[\"9\"]", "[\"0\"]", "[\"0\"]", "[\"50\"]", "[\"77\"]", "[\"77\"]", "[\"77\"]", "[\"4\"]", "[\"4\"]", "[\"4\"]", "[\"13\"]", "[\"18\"]", "[\"18\"]", "[\"9\"]", "[\"9\"]", "[\"9\"]", "[\"28\"]", "[\"82\"]", "[\"82\"]", "[\"82\"]", "[\"82\"]", "[\"82\"]", "[\"84\"]", "[\"9\"]", "[\"9\"]", "[\"9\"]", "[\"26\"]", "[\"0\"]", "[\"26\"]", "[\"26\"]", "[\"71\"]", "[\"8\"]", "[\"8\"]", "[\"8\"]", "[\"8\"]", "[\"26\"]", "[\"26\"]", "[\"40\"]", "[\"23\"]", "[\"23\"]", "[\"50\"]", "[\"23\"]"])
  #expect(told["last"] == ["100", "100", "48", "4", "9", "82", "9", "26"])
  #expect(told["length"] == ["0", "0", "9", "8"])
  #expect(told["limit or 100"] == ["100", "48", "4", "28", "26"])
  #expect(told["node 0"] == ["0", "-13", "60", "-6", "77", "23"])
  #expect(told["node 1"] == ["0", "0", "76", "9", "82", "9", "8"])
  #expect(told["node 2"] == ["9", "8"])
  #expect(told["node 3"] == ["100", "100", "48", "4", "9", "82", "9", "26"])
  #expect(told["node 4"] == ["8"])
  #expect(told["node 5"] == ["18", "82"])
  #expect(told["node 6"] == ["-13", "9", "9", "77", "23"])
  #expect(told["node 7"] == ["1", "0"])
  #expect(told["node 8"] == ["1", "50", "26"])
  #expect(told["node 9"] == [])
  #expect(told["open"] == ["1", "0", "0"])
  #expect(told["percent"] == ["50", "26"])
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
