// swift-format-ignore-file
// Made by EasyReact of a session of random. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@Test(.alone) func `a random graph of seed 2`() throws {
  let random = RandomGraph(seed: 2)
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
  try batch {
    try sessionNodes.only("limit", Optional<Int>.self).set(nil)
    try sessionNodes.only("integer 1", Int.self).set(31)
    try sessionNodes.only("is open", Bool.self).set(false)
  }
  try sessionNodes.only("is open", Bool.self).set(false)
  try sessionNodes.only("is open", Bool.self).set(true)
  try sessionNodes.only("integer 0", Int.self).set(92)
  try sessionNodes.only("integer 1", Int.self).set(-46, context: "random")
  try sessionNodes.only("text", String.self).set("\\ and é 🦋")
  try sessionNodes.only("integer 1", Int.self).clean()
  try sessionNodes.only("integer 2", Int.self).set(71)
  try sessionNodes.only("is open", Bool.self).set(true)
  try sessionNodes.only("limit", Optional<Int>.self).set(28)
  try sessionNodes.only("share", Double.self).set(0.231)
  try batch {
    try sessionNodes.only("text", String.self).set("\\ and é 🦋")
    try sessionNodes.only("integer 2", Int.self).set(35)
  }
  try sessionNodes.only("text", String.self).set("")
  try sessionNodes.only("text", String.self).set("two\nlines")
  try sessionNodes.only("text", String.self).set("two\nlines")
  try sessionNodes.only("integer 1", Int.self).set(-12, context: "random")
  try sessionNodes.only("integer 2", Int.self).set(-25, context: "random")
  try sessionNodes.only("integer 1", Int.self).set(20)
  try sessionNodes.only("share", Double.self).set(0.51)
  try sessionNodes.only("limit", Optional<Int>.self).set(9)
  try sessionNodes.only("integer 0", Int.self).clean()
  try sessionNodes.only("share", Double.self).set(0.863)
  try sessionNodes.only("share", Double.self).set(0.79)
  try sessionNodes.only("integer 1", Int.self).clean()
  try sessionNodes.only("limit", Optional<Int>.self).set(9)
  #expect(told["all"] == ["[\"0\"]", "[\"100\"]", "[\"31\"]", "[\"0\"]", "[\"50\"]", "[\"0\"]", "[\"0\"]", "[\"1\"]", "[\"94\"]", "[\"192\"]", "[\"92\"]", "[\"92\"]", "[\"-46\"]", "[\"9\"]", "[\"9\"]", "[\"9\"]", "[\"71\"]", "[\"71\"]", "[\"74\"]", "[\"73\"]", "[\"71\"]", "[\"1\"]", "[\"28\"]", "[\"-22\"]", "[\"92\"]", "[\"123\"]", "[\"23\"]", "[\"5\"]", "[\"23\"]", "[\"23\"]", "[\"9\"]", "[\"35\"]", "[\"35\"]", "[\"109\"]", "[\"108\"]", "[\"35\"]", "[\"0\"]", "[\"9\"]", "[\"9\"]", "[\"-12\"]", "[\"-25\"]", "[\"-25\"]", "[\"84\"]", "[\"83\"]", "[\"83\"]", "[\"-25\"]", "[\"20\"]", "[\"79\"]", "[\"51\"]", "[\"-23\"]", "[\"51\"]", "[\"51\"]", "[\"9\"]", "[\"-42\"]", "[\"9\"]", "[\"95\"]", "[\"86\"]", "[\"-77\"]", "[\"9\"]", "[\"9\"]", "[\"79\"]", "[\"-70\"]", "[\"79\"]", "[\"79\"]", "[\"88\"]", "[\"9\"]", "[\"-70\"]", "[\"9\"]"])
  #expect(told["last"] == ["0", "9", "23", "51", "9", "79"])
  #expect(told["length"] == ["0", "9", "9", "0", "9", "9"])
  #expect(told["limit or 100"] == ["100", "100", "28", "9", "9"])
  #expect(told["node 0"] == ["50", "50", "-22", "5", "-23", "-42", "-77", "-70", "-70"])
  #expect(told["node 1"] == ["0", "71", "71", "35", "35", "-25", "-25"])
  #expect(told["node 2"] == ["3", "74", "109", "84"])
  #expect(told["node 3"] == ["0", "9", "23", "51", "9", "79"])
  #expect(told["node 4"] == ["2", "73", "108", "83"])
  #expect(told["node 5"] == ["2", "94"])
  #expect(told["node 6"] == ["83"])
  #expect(told["node 7"] == ["100", "192"])
  #expect(told["node 8"] == ["150", "123", "79", "95", "88"])
  #expect(told["node 9"] == ["0", "0", "92", "92", "9", "9"])
  #expect(told["open"] == ["1", "0", "0", "1", "1"])
  #expect(told["percent"] == ["50", "23", "51", "86", "79"])
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
