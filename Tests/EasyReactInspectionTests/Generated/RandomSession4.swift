// swift-format-ignore-file
// Made by EasyReact of a session of random. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@Test(.alone) func `a random graph of seed 4`() throws {
  let random = RandomGraph(seed: 4)
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
  try sessionNodes.only("integer 0", Int.self).set(-44, context: "random")
  try sessionNodes.only("integer 2", Int.self).set(13)
  try sessionNodes.only("integer 0", Int.self).clean()
  try sessionNodes.only("integer 1", Int.self).set(11)
  try sessionNodes.only("integer 0", Int.self).set(95)
  try sessionNodes.only("is open", Bool.self).set(true)
  try batch {
    try sessionNodes.only("integer 1", Int.self).set(34)
    try sessionNodes.only("integer 2", Int.self).clean()
  }
  try sessionNodes.only("integer 0", Int.self).set(63)
  try sessionNodes.only("integer 2", Int.self).set(-41, context: "random")
  try sessionNodes.only("integer 0", Int.self).set(22)
  try sessionNodes.only("share", Double.self).set(0.548)
  try sessionNodes.only("integer 0", Int.self).set(-12, context: "random")
  try sessionNodes.only("text", String.self).set("")
  try sessionNodes.only("integer 1", Int.self).set(-12, context: "random")
  try sessionNodes.only("integer 0", Int.self).set(-11, context: "random")
  try batch {
    try sessionNodes.only("share", Double.self).set(0.087)
    try sessionNodes.only("limit", Optional<Int>.self).set(nil)
    try sessionNodes.only("integer 0", Int.self).set(-41, context: "random")
  }
  try sessionNodes.only("is open", Bool.self).set(false)
  try sessionNodes.only("text", String.self).set("\\ and é 🦋")
  try sessionNodes.only("integer 2", Int.self).set(15)
  try sessionNodes.only("text", String.self).set("a \"word\"")
  try sessionNodes.only("limit", Optional<Int>.self).set(nil)
  try sessionNodes.only("integer 0", Int.self).set(83)
  try sessionNodes.only("limit", Optional<Int>.self).set(11)
  try batch {
    try sessionNodes.only("is open", Bool.self).set(false)
    try sessionNodes.only("integer 1", Int.self).set(50)
    try sessionNodes.only("text", String.self).set("\\ and é 🦋")
  }
  try sessionNodes.only("share", Double.self).set(0.94)
  #expect(told["all"] == ["[\"51\"]", "[\"-44\"]", "[\"144\"]", "[\"13\"]", "[\"11\"]", "[\"11\"]", "[\"-10\"]", "[\"95\"]", "[\"5\"]", "[\"1\"]", "[\"1\"]", "[\"0\"]", "[\"34\"]", "[\"34\"]", "[\"-33\"]", "[\"63\"]", "[\"37\"]", "[\"-41\"]", "[\"22\"]", "[\"78\"]", "[\"55\"]", "[\"55\"]", "[\"54\"]", "[\"-12\"]", "[\"112\"]", "[\"1\"]", "[\"0\"]", "[\"100\"]", "[\"100\"]", "[\"-12\"]", "[\"-12\"]", "[\"13\"]", "[\"-11\"]", "[\"111\"]", "[\"8\"]", "[\"111\"]", "[\"224\"]", "[\"113\"]", "[\"100\"]", "[\"-41\"]", "[\"100\"]", "[\"141\"]", "[\"111\"]", "[\"8\"]", "[\"8\"]", "[\"0\"]", "[\"0\"]", "[\"0\"]", "[\"9\"]", "[\"9\"]", "[\"100\"]", "[\"9\"]", "[\"15\"]", "[\"8\"]", "[\"8\"]", "[\"111\"]", "[\"134\"]", "[\"193\"]", "[\"59\"]", "[\"100\"]", "[\"141\"]", "[\"134\"]", "[\"83\"]", "[\"17\"]", "[\"-1\"]", "[\"25\"]", "[\"26\"]", "[\"11\"]", "[\"-72\"]", "[\"-1\"]", "[\"8\"]", "[\"0\"]", "[\"0\"]", "[\"50\"]", "[\"50\"]", "[\"9\"]", "[\"11\"]", "[\"-50\"]", "[\"9\"]", "[\"94\"]", "[\"94\"]", "[\"94\"]"])
  #expect(told["last"] == ["51", "55", "8", "94"])
  #expect(told["length"] == ["0", "0", "9", "8", "9"])
  #expect(told["limit or 100"] == ["100", "100", "100", "11"])
  #expect(told["node 0"] == ["1", "1", "9", "8"])
  #expect(told["node 1"] == ["100", "100", "100", "100", "8", "11"])
  #expect(told["node 2"] == ["100", "111", "134", "-1"])
  #expect(told["node 3"] == ["51", "55", "8", "94"])
  #expect(told["node 4"] == ["0", "11", "1", "34", "-12", "0", "0", "50"])
  #expect(told["node 5"] == ["100", "144", "5", "37", "78", "112", "111", "141", "141", "17", "-72"])
  #expect(told["node 6"] == ["1", "-10", "0", "-33", "13", "0", "-50"])
  #expect(told["node 7"] == ["100", "100", "111", "9", "111", "134", "-1", "9"])
  #expect(told["node 8"] == ["100", "113", "59", "26"])
  #expect(told["node 9"] == ["200", "224", "193", "25"])
  #expect(told["open"] == ["1", "1", "0", "0"])
  #expect(told["percent"] == ["50", "54", "8", "94"])
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
