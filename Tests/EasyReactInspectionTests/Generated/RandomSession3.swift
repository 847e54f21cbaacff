// swift-format-ignore-file
// Made by EasyReact of a session of random. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@Test(.alone) func `a random graph of seed 3`() throws {
  let random = RandomGraph(seed: 3)
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
  try sessionNodes.only("integer 2", Int.self).set(33)
  try batch {
    try sessionNodes.only("text", String.self).set("")
    try sessionNodes.only("share", Double.self).set(0.875)
  }
  try sessionNodes.only("integer 2", Int.self).set(-38, context: "random")
  try sessionNodes.only("integer 2", Int.self).set(56)
  try sessionNodes.only("text", String.self).set("a \"word\"")
  try sessionNodes.only("integer 2", Int.self).clean()
  try sessionNodes.only("integer 0", Int.self).clean()
  try sessionNodes.only("integer 2", Int.self).set(83)
  try sessionNodes.only("integer 2", Int.self).clean()
  try sessionNodes.only("share", Double.self).set(0.56)
  try sessionNodes.only("integer 2", Int.self).set(20)
  try sessionNodes.only("integer 2", Int.self).set(99)
  try sessionNodes.only("text", String.self).set("two\nlines")
  try sessionNodes.only("integer 2", Int.self).set(-7, context: "random")
  try sessionNodes.only("integer 2", Int.self).set(99)
  try sessionNodes.only("share", Double.self).set(0.363)
  try sessionNodes.only("integer 2", Int.self).set(-49, context: "random")
  try sessionNodes.only("integer 2", Int.self).clean()
  try sessionNodes.only("integer 0", Int.self).set(-48, context: "random")
  try sessionNodes.only("share", Double.self).set(0.607)
  try batch {
    try sessionNodes.only("limit", Optional<Int>.self).set(nil)
    try sessionNodes.only("integer 1", Int.self).set(87)
  }
  try sessionNodes.only("integer 1", Int.self).set(18)
  try sessionNodes.only("share", Double.self).set(0.021)
  try sessionNodes.only("text", String.self).set("")
  try sessionNodes.only("integer 1", Int.self).clean()
  #expect(told["all"] == ["[\"0\"]", "[\"35\"]", "[\"33\"]", "[\"0\"]", "[\"0\"]", "[\"0\"]", "[\"87\"]", "[\"-3\"]", "[\"-38\"]", "[\"53\"]", "[\"56\"]", "[\"8\"]", "[\"8\"]", "[\"8\"]", "[\"8\"]", "[\"8\"]", "[\"8\"]", "[\"136\"]", "[\"83\"]", "[\"56\"]", "[\"156\"]", "[\"20\"]", "[\"255\"]", "[\"99\"]", "[\"9\"]", "[\"9\"]", "[\"9\"]", "[\"248\"]", "[\"-7\"]", "[\"347\"]", "[\"99\"]", "[\"36\"]", "[\"298\"]", "[\"-49\"]", "[\"-48\"]", "[\"-148\"]", "[\"-148\"]", "[\"-148\"]", "[\"-245\"]", "[\"-148\"]", "[\"60\"]", "[\"100\"]", "[\"100\"]", "[\"100\"]", "[\"100\"]", "[\"100\"]", "[\"100\"]", "[\"87\"]", "[\"87\"]", "[\"87\"]", "[\"87\"]", "[\"-148\"]", "[\"-148\"]", "[\"-148\"]", "[\"-393\"]", "[\"-148\"]", "[\"18\"]", "[\"18\"]", "[\"18\"]", "[\"2\"]", "[\"0\"]", "[\"0\"]", "[\"0\"]"])
  #expect(told["is open"] == ["true"])
  #expect(told["last"] == ["0", "0", "8", "9", "100", "0"])
  #expect(told["length"] == ["0", "0", "8", "9", "0"])
  #expect(told["limit or 100"] == ["100", "100"])
  #expect(told["node 0"] == ["-100", "-148", "-148"])
  #expect(told["node 1"] == ["87", "18"])
  #expect(told["node 2"] == ["-100", "-148", "100", "-148"])
  #expect(told["node 3"] == ["0", "0", "8", "9", "100", "0"])
  #expect(told["node 4"] == ["8"])
  #expect(told["node 5"] == ["-100", "8", "-148", "100", "-148"])
  #expect(told["node 6"] == ["87"])
  #expect(told["node 7"] == ["-100", "8", "-148", "100", "87", "-148", "18"])
  #expect(told["node 8"] == ["2", "35", "-3", "53", "136", "156", "255", "248", "347", "298"])
  #expect(told["node 9"] == ["-97", "-245", "-393"])
  #expect(told["open"] == ["1"])
  #expect(told["percent"] == ["50", "87", "56", "36", "60", "2"])
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
