// swift-format-ignore-file
// Made by EasyReact of a session of random. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@Test(.alone) func `a random graph of seed 3`() throws {
  let random = RandomGraph(seed: 3)
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
  try sessionNode("integer 2", Int.self, in: graph).set(33)
  try batch {
    try sessionNode("text", String.self, in: graph).set("")
    try sessionNode("share", Double.self, in: graph).set(0.875)
  }
  try sessionNode("integer 2", Int.self, in: graph).set(-38, context: "random")
  try sessionNode("integer 2", Int.self, in: graph).set(56)
  try sessionNode("text", String.self, in: graph).set("a \"word\"")
  try sessionNode("integer 2", Int.self, in: graph).clean()
  try sessionNode("integer 0", Int.self, in: graph).clean()
  try sessionNode("integer 2", Int.self, in: graph).set(83)
  try sessionNode("integer 2", Int.self, in: graph).clean()
  try sessionNode("share", Double.self, in: graph).set(0.56)
  try sessionNode("integer 2", Int.self, in: graph).set(20)
  try sessionNode("integer 2", Int.self, in: graph).set(99)
  try sessionNode("text", String.self, in: graph).set("two\nlines")
  try sessionNode("integer 2", Int.self, in: graph).set(-7, context: "random")
  try sessionNode("integer 2", Int.self, in: graph).set(99)
  try sessionNode("share", Double.self, in: graph).set(0.363)
  try sessionNode("integer 2", Int.self, in: graph).set(-49, context: "random")
  try sessionNode("integer 2", Int.self, in: graph).clean()
  try sessionNode("integer 0", Int.self, in: graph).set(-48, context: "random")
  try sessionNode("share", Double.self, in: graph).set(0.607)
  try batch {
    try sessionNode("limit", Optional<Int>.self, in: graph).set(nil)
    try sessionNode("integer 1", Int.self, in: graph).set(87)
  }
  try sessionNode("integer 1", Int.self, in: graph).set(18)
  try sessionNode("share", Double.self, in: graph).set(0.021)
  try sessionNode("text", String.self, in: graph).set("")
  try sessionNode("integer 1", Int.self, in: graph).clean()
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

/// The node of a name and type, among those that `graph` is joined to.
private func sessionNode<Value: Sendable>(_ name: String, _ type: Value.Type, in graph: AnyNode) throws -> MutableNode<Value> {
  try #require(graph.reachable.lazy.compactMap { $0.node.name == name ? $0.node as? MutableNode<Value> : nil }.first)
}
