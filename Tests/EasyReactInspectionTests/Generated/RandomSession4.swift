// swift-format-ignore-file
// Made by EasyReact of a session of random. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@Test(.alone) func `a random graph of seed 4`() throws {
  let random = RandomGraph(seed: 4)
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
  try sessionNode("integer 0", Int.self, in: graph).set(-44, context: "random")
  try sessionNode("integer 2", Int.self, in: graph).set(13)
  try sessionNode("integer 0", Int.self, in: graph).clean()
  try sessionNode("integer 1", Int.self, in: graph).set(11)
  try sessionNode("integer 0", Int.self, in: graph).set(95)
  try sessionNode("is open", Bool.self, in: graph).set(true)
  try batch {
    try sessionNode("integer 1", Int.self, in: graph).set(34)
    try sessionNode("integer 2", Int.self, in: graph).clean()
  }
  try sessionNode("integer 0", Int.self, in: graph).set(63)
  try sessionNode("integer 2", Int.self, in: graph).set(-41, context: "random")
  try sessionNode("integer 0", Int.self, in: graph).set(22)
  try sessionNode("share", Double.self, in: graph).set(0.548)
  try sessionNode("integer 0", Int.self, in: graph).set(-12, context: "random")
  try sessionNode("text", String.self, in: graph).set("")
  try sessionNode("integer 1", Int.self, in: graph).set(-12, context: "random")
  try sessionNode("integer 0", Int.self, in: graph).set(-11, context: "random")
  try batch {
    try sessionNode("share", Double.self, in: graph).set(0.087)
    try sessionNode("limit", Optional<Int>.self, in: graph).set(nil)
    try sessionNode("integer 0", Int.self, in: graph).set(-41, context: "random")
  }
  try sessionNode("is open", Bool.self, in: graph).set(false)
  try sessionNode("text", String.self, in: graph).set("\\ and é 🦋")
  try sessionNode("integer 2", Int.self, in: graph).set(15)
  try sessionNode("text", String.self, in: graph).set("a \"word\"")
  try sessionNode("limit", Optional<Int>.self, in: graph).set(nil)
  try sessionNode("integer 0", Int.self, in: graph).set(83)
  try sessionNode("limit", Optional<Int>.self, in: graph).set(11)
  try batch {
    try sessionNode("is open", Bool.self, in: graph).set(false)
    try sessionNode("integer 1", Int.self, in: graph).set(50)
    try sessionNode("text", String.self, in: graph).set("\\ and é 🦋")
  }
  try sessionNode("share", Double.self, in: graph).set(0.94)
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

/// The node of a name and type, among those that `graph` is joined to.
private func sessionNode<Value: Sendable>(_ name: String, _ type: Value.Type, in graph: AnyNode) throws -> MutableNode<Value> {
  try #require(graph.reachable.lazy.compactMap { $0.node.name == name ? $0.node as? MutableNode<Value> : nil }.first)
}
