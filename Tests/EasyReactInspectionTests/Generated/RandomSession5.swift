// swift-format-ignore-file
// Made by EasyReact of a session of random. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@Test(.alone) func `a random graph of seed 5`() throws {
  let random = RandomGraph(seed: 5)
  let graph = random.all
  let told = SessionTold()
  let listenings = [
    try sessionNode("all", Array<String>.self, in: graph).listen { told.add("all", $0) },
    try sessionNode("last", Int.self, in: graph).listen { told.add("last", $0) },
    try sessionNode("length", Int.self, in: graph).listen { told.add("length", $0) },
    try sessionNode("limit or 100", Int.self, in: graph).listen { told.add("limit or 100", $0) },
    try sessionNode("node 0", Int.self, in: graph).listen { told.add("node 0", $0) },
    try sessionNode("node 1", Int.self, in: graph).listen { told.add("node 1", $0) },
    try sessionNode("node 2", Int.self, in: graph).listen { told.add("node 2", $0) },
    try sessionNode("node 3", Int.self, in: graph).listen { told.add("node 3", $0) },
    try sessionNode("node 4", Int.self, in: graph).listen { told.add("node 4", $0) },
    try sessionNode("node 5", Int.self, in: graph).listen { told.add("node 5", $0) },
    try sessionNode("node 6", Int.self, in: graph).listen { told.add("node 6", $0) },
    try sessionNode("node 7", Int.self, in: graph).listen { told.add("node 7", $0) },
    try sessionNode("node 8", Int.self, in: graph).listen { told.add("node 8", $0) },
    try sessionNode("node 9", Int.self, in: graph).listen { told.add("node 9", $0) },
    try sessionNode("open", Int.self, in: graph).listen { told.add("open", $0) },
    try sessionNode("percent", Int.self, in: graph).listen { told.add("percent", $0) },
  ]
  try sessionNode("integer 2", Int.self, in: graph).clean()
  try sessionNode("integer 1", Int.self, in: graph).set(-24, context: "random")
  try sessionNode("integer 2", Int.self, in: graph).set(-13, context: "random")
  try sessionNode("integer 2", Int.self, in: graph).set(60)
  try batch {
    try sessionNode("limit", Optional<Int>.self, in: graph).set(48)
    try sessionNode("integer 1", Int.self, in: graph).set(76)
    try sessionNode("text", String.self, in: graph).set("")
  }
  try sessionNode("text", String.self, in: graph).set("two\nlines")
  try sessionNode("integer 2", Int.self, in: graph).set(-6, context: "random")
  try sessionNode("is open", Bool.self, in: graph).set(false)
  try sessionNode("integer 2", Int.self, in: graph).set(77)
  try sessionNode("limit", Optional<Int>.self, in: graph).set(4)
  try sessionNode("integer 0", Int.self, in: graph).set(13)
  try sessionNode("integer 0", Int.self, in: graph).clean()
  try sessionNode("integer 1", Int.self, in: graph).set(18)
  try sessionNode("limit", Optional<Int>.self, in: graph).set(28)
  try sessionNode("integer 1", Int.self, in: graph).set(82)
  try sessionNode("integer 1", Int.self, in: graph).clean()
  try sessionNode("integer 1", Int.self, in: graph).set(84)
  try sessionNode("limit", Optional<Int>.self, in: graph).set(26)
  try sessionNode("is open", Bool.self, in: graph).set(false)
  try sessionNode("integer 0", Int.self, in: graph).clean()
  try sessionNode("share", Double.self, in: graph).set(0.266)
  try sessionNode("integer 0", Int.self, in: graph).set(71)
  try sessionNode("text", String.self, in: graph).set("a \"word\"")
  try sessionNode("integer 0", Int.self, in: graph).set(40)
  try batch {
    try sessionNode("integer 2", Int.self, in: graph).set(23)
    try sessionNode("integer 0", Int.self, in: graph).set(50)
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

/// The node of a name and type, among those that `graph` is joined to.
private func sessionNode<Value: Sendable>(_ name: String, _ type: Value.Type, in graph: AnyNode) throws -> MutableNode<Value> {
  try #require(graph.reachable.lazy.compactMap { $0.node.name == name ? $0.node as? MutableNode<Value> : nil }.first)
}
