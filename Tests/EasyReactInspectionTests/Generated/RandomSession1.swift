// swift-format-ignore-file
// Made by EasyReact of a session of random. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@Test(.alone) func `a random graph of seed 1`() throws {
  let random = RandomGraph(seed: 1)
  let graph = random.all
  let told = SessionTold()
  let listenings = [
    try sessionNode("all", Array<String>.self, in: graph).listen { told.add("all", $0) },
    try sessionNode("is open", Bool.self, in: graph).listen { told.add("is open", $0) },
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
  try sessionNode("integer 2", Int.self, in: graph).set(81)
  try sessionNode("integer 0", Int.self, in: graph).clean()
  try sessionNode("text", String.self, in: graph).set("")
  try sessionNode("integer 2", Int.self, in: graph).clean()
  try sessionNode("text", String.self, in: graph).set("a \"word\"")
  try sessionNode("integer 2", Int.self, in: graph).clean()
  try sessionNode("integer 1", Int.self, in: graph).set(31)
  try batch {
    try sessionNode("limit", Optional<Int>.self, in: graph).set(10)
    try sessionNode("integer 1", Int.self, in: graph).set(32)
    try sessionNode("share", Double.self, in: graph).set(0.898)
  }
  try sessionNode("integer 0", Int.self, in: graph).set(14)
  try sessionNode("integer 2", Int.self, in: graph).set(17)
  try sessionNode("text", String.self, in: graph).set("\\ and é 🦋")
  try sessionNode("limit", Optional<Int>.self, in: graph).set(24)
  try sessionNode("integer 2", Int.self, in: graph).clean()
  try sessionNode("integer 1", Int.self, in: graph).clean()
  try sessionNode("integer 2", Int.self, in: graph).set(35)
  try sessionNode("integer 2", Int.self, in: graph).set(28)
  try sessionNode("integer 2", Int.self, in: graph).set(26)
  try sessionNode("integer 2", Int.self, in: graph).clean()
  try sessionNode("integer 1", Int.self, in: graph).set(-11, context: "random")
  try sessionNode("integer 1", Int.self, in: graph).set(62)
  try sessionNode("integer 1", Int.self, in: graph).clean()
  try sessionNode("integer 1", Int.self, in: graph).set(19)
  try sessionNode("text", String.self, in: graph).set("\\ and é 🦋")
  try sessionNode("integer 0", Int.self, in: graph).clean()
  try sessionNode("integer 1", Int.self, in: graph).set(17)
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

/// The node of a name and type, among those that `graph` is joined to.
private func sessionNode<Value: Sendable>(_ name: String, _ type: Value.Type, in graph: AnyNode) throws -> MutableNode<Value> {
  try #require(graph.reachable.lazy.compactMap { $0.node.name == name ? $0.node as? MutableNode<Value> : nil }.first)
}
