// swift-format-ignore-file
// Made by EasyReact of a session of random. It plays what was set, and expects what was told.
import EasyReact
import Synchronization
import Testing

@Test(.alone) func `a random graph of seed 2`() throws {
  let random = RandomGraph(seed: 2)
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
  try batch {
    try sessionNode("limit", Optional<Int>.self, in: graph).set(nil)
    try sessionNode("integer 1", Int.self, in: graph).set(31)
    try sessionNode("is open", Bool.self, in: graph).set(false)
  }
  try sessionNode("is open", Bool.self, in: graph).set(false)
  try sessionNode("is open", Bool.self, in: graph).set(true)
  try sessionNode("integer 0", Int.self, in: graph).set(92)
  try sessionNode("integer 1", Int.self, in: graph).set(-46, context: "random")
  try sessionNode("text", String.self, in: graph).set("\\ and é 🦋")
  try sessionNode("integer 1", Int.self, in: graph).clean()
  try sessionNode("integer 2", Int.self, in: graph).set(71)
  try sessionNode("is open", Bool.self, in: graph).set(true)
  try sessionNode("limit", Optional<Int>.self, in: graph).set(28)
  try sessionNode("share", Double.self, in: graph).set(0.231)
  try batch {
    try sessionNode("text", String.self, in: graph).set("\\ and é 🦋")
    try sessionNode("integer 2", Int.self, in: graph).set(35)
  }
  try sessionNode("text", String.self, in: graph).set("")
  try sessionNode("text", String.self, in: graph).set("two\nlines")
  try sessionNode("text", String.self, in: graph).set("two\nlines")
  try sessionNode("integer 1", Int.self, in: graph).set(-12, context: "random")
  try sessionNode("integer 2", Int.self, in: graph).set(-25, context: "random")
  try sessionNode("integer 1", Int.self, in: graph).set(20)
  try sessionNode("share", Double.self, in: graph).set(0.51)
  try sessionNode("limit", Optional<Int>.self, in: graph).set(9)
  try sessionNode("integer 0", Int.self, in: graph).clean()
  try sessionNode("share", Double.self, in: graph).set(0.863)
  try sessionNode("share", Double.self, in: graph).set(0.79)
  try sessionNode("integer 1", Int.self, in: graph).clean()
  try sessionNode("limit", Optional<Int>.self, in: graph).set(9)
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

/// The node of a name and type, among those that `graph` is joined to.
private func sessionNode<Value: Sendable>(_ name: String, _ type: Value.Type, in graph: AnyNode) throws -> MutableNode<Value> {
  try #require(graph.reachable.lazy.compactMap { $0.node.name == name ? $0.node as? MutableNode<Value> : nil }.first)
}
