import EasyReact
import Foundation
import Testing

/// The quoted strings of a line of dot text, as Graphviz reads them; nil where the quotes do not
/// match.
private func quotedStrings(_ line: String) -> [String]? {
  var strings: [String] = []
  var scalars = line.unicodeScalars.makeIterator()
  while let scalar = scalars.next() {
    if scalar != "\"" { continue }
    var text = String.UnicodeScalarView()
    while true {
      guard let next = scalars.next() else { return nil }
      if next == "\"" { break }
      if next != "\\" {
        text.append(next)
        continue
      }
      switch scalars.next() {
      case "\"": text.append("\"")
      case "\\": text.append("\\")
      case "n": text.append("\n")
      default: return nil
      }
    }
    strings.append(String(text))
  }
  return strings
}

private let hostileNames = [
  "plain", "", "with \"quotes\"", "back\\slash", "ends in \\", "\\\"", "line\nbreak", "tab\there",
  "<b>bold</b>", "a -> b; }", "] [label=x", "{record|shape}", "\\N \\G \\L", "& &amp; #35;",
  "ünïcödé 漢字 👩‍👩‍👧", "\"\u{301} quote with an accent", "\\\u{301} too", "#\u{20E3} key", "end",
  "`markdown`",
  "%% comment", "-->|x|", "price: 3 € (net)",
]

/// a ─▶ b ─▶ c, and a combine; each call makes a new one.
private func example() -> (a: MutableNode<Int>, end: Node<Int>) {
  let a = MutableNode(1).named("a")
  let b = a.map { $0 * 2 }.named("b")
  let end = a.combine(b).map { $0 + $1 }.named("sum")
  return (a, end)
}

extension `12 Looking at the graph` {
  /// Counts how often it is described.
  private struct Costly: CustomStringConvertible {
    let asked = Tally()
    var description: String {
      asked.add()
      return "dear"
    }
  }

  @Test func `12.2 pictures, which show no values, describe none; a snapshot does`() {
    let value = Costly(), node = MutableNode(value), next = node.fork()
    _ = (node.dot(), node.mermaid(listeners: true), next.dot())
    #expect(value.asked.count == 0)
    #expect(node.snapshot().nodes.map(\.value) == ["dear", "dear"])
    #expect(value.asked.count == 2)
  }

  @Suite struct Pictures {
    @Test func `12.3 dot gives Graphviz text`() {
      let (a, end) = example()
      let lines = a.dot().split(separator: "\n").map(String.init)
      #expect(lines.first == "digraph EasyReact {" && lines.last == "}")
      #expect(lines.filter { $0.contains("fillcolor=\"#fdf1d8\"") }.count == 1)
      #expect(
        lines.filter { $0.contains(" -> ") } == [
          #"  n0 -> n1 [label="Map"];"#, #"  n0 -> n2 [label="Combine"];"#,
          #"  n1 -> n2 [label="Combine"];"#, #"  n2 -> n3 [label="Map"];"#,
        ])
      #expect(lines.contains { $0.hasPrefix("  n3 [label=\"sum\"") })
      _ = end
    }

    @Test(arguments: hostileNames)
    func `12.3 dot quotes names correctly`(name: String) throws {
      let node = MutableNode(1).named(name)
      let next = node.map { $0 }
      node.downstreamTransforms[0].name = name
      let lines = node.dot().split(separator: "\n").map(String.init)
      #expect(lines.count == 8)  // the name broke no line
      let label = try #require(lines.first { $0.hasPrefix("  n0 [") })
      #expect(
        quotedStrings(label)?.first.map { Array($0.unicodeScalars) } == Array(name.unicodeScalars))
      let edge = try #require(lines.first { $0.hasPrefix("  n0 -> ") })
      #expect(
        quotedStrings(edge).map { $0.map { Array($0.unicodeScalars) } } == [
          Array(name.unicodeScalars)
        ])
      _ = next
    }

    @Test func `12.3 dot leaves no zero byte and no bare carriage return in a name`() {
      let node = MutableNode(1).named("a\0b\r\nc\rd")
      let text = node.dot()
      #expect(!text.unicodeScalars.contains("\0") && !text.unicodeScalars.contains("\r"))
      #expect(text.contains(#"label="ab\nc\nd""#))
    }

    @Test func `12.3 dot draws listeners on request`() {
      let (a, end) = example()
      let first = end.listen { _ in }
      let second = end.listen { _ in }
      #expect(!a.dot().contains("listening"))
      let lines = a.dot(listeners: true).split(separator: "\n").map(String.init)
      #expect(lines.filter { $0.contains("listening") }.count == 1)
      #expect(lines.contains { $0.hasPrefix("  ln3 [label=\"2 listening\"") })
      #expect(lines.contains("  n3 -> ln3 [style=dashed];"))
      first.cancel()
      second.cancel()
      #expect(a.dot(listeners: true) == a.dot())
    }

    @Test func `12.3 mermaid gives the same for Markdown, listeners on request`() {
      let (a, end) = example()
      let listening = end.listen { _ in }
      #expect(
        a.mermaid() == """
          flowchart LR
            n0(["a"])
            n1["b"]
            n2["(Int, Int)"]
            n3["sum"]
            n0 -->|"Map"| n1
            n0 -->|"Combine"| n2
            n1 -->|"Combine"| n2
            n2 -->|"Map"| n3

          """)
      let lines = a.mermaid(listeners: true).split(separator: "\n").map(String.init)
      #expect(lines.contains(#"  ln3(("1 listening"))"#))
      #expect(lines.contains("  n3 -.-> ln3"))
      listening.cancel()
      #expect(a.mermaid(listeners: true) == a.mermaid())
    }

    @Test(arguments: hostileNames)
    func `12.3 mermaid escapes names`(name: String) throws {
      let node = MutableNode(1).named(name)
      let next = node.map { $0 }
      node.downstreamTransforms[0].name = name
      let lines = node.mermaid().split(separator: "\n").map(String.init)
      #expect(lines.count == 4)
      for line in [lines[1], lines[3]] {
        let scalars = Array(line.unicodeScalars)
        #expect(scalars.count { $0 == "\"" } == 2)
        let first = try #require(scalars.firstIndex(of: "\""))
        let last = try #require(scalars.lastIndex(of: "\""))
        let inner = scalars[(first + 1)..<last]
        #expect(inner.first != "`")
        // Every number sign begins an entity.
        let text = String(String.UnicodeScalarView(inner))
        let entity = /#(quot|lt|gt|amp|35|96);/.matchingSemantics(.unicodeScalar)
        let rest = text.replacing(entity, with: "")
        #expect(!rest.unicodeScalars.contains("#"))
      }
      _ = next
    }

    @Test func `12.3 the text of like graphs, and of one graph twice, is the same`() {
      let (a, end) = example()
      let (other, otherEnd) = example()
      #expect(a.dot() == a.dot() && a.mermaid() == a.mermaid())
      #expect(a.dot() == other.dot() && a.mermaid() == other.mermaid())
      #expect(a.dot(listeners: true) == other.dot(listeners: true))
      a.value = 7
      #expect(a.dot() == other.dot())  // values are not shown
      _ = (end, otherEnd)
    }

    @Test func `12.3 snapshot: nodes with id, name, type, value's description, file and line`()
      throws
    {
      let line = #line + 1
      let a = MutableNode(1).named("a")
      let b = a.map { "<\($0)>" }
      let empty = b.filter { $0.isEmpty }.named("empty")
      let nodes = a.snapshot().nodes
      #expect(nodes.map(\.id) == [a.id, b.id, empty.id])
      #expect(nodes.map(\.name) == ["a", nil, "empty"])
      #expect(nodes.map(\.type) == ["Int", "String", "String"])
      #expect(nodes.map(\.value) == ["1", "<1>", nil])
      #expect(nodes.map(\.isMutable) == [true, false, false])
      #expect(nodes.map(\.depth) == [0, 1, 2])
      #expect(nodes.map(\.line) == [line, line + 1, line + 2])
      #expect(nodes.allSatisfy { $0.file == "EasyReactTests/Section12Pictures.swift" })
    }

    @Test func `12.3 snapshot: every operator says where it was called`() {
      let a = MutableNode(1)
      let others: [AnyNode] = [
        a.fork(), a.mapReplace(1), a.compactMap { $0 }, a.filter { _ in true }, a.ignore(1),
        a.select(1), a.distinctUntilChanged(), a.distinctUntilChanged { $0 == $1 }, a.skip(1),
        a.take(1), a.scan(0) { $0 + $1 }, a.scanIndexed(0) { $0 + $1 + $2 },
        a.deliver(on: .immediate), a.delay(.seconds(1), on: .main),
        a.debounce(.seconds(1), on: .main),
        a.flattenMap { _ in a }, a.combine(a), a.combine(a, a), Node.combine([a, a]),
        Node<Int>.combine([]), a.zip(a), Node.zip([a]), a.merge(a), Node.merge([a]),
        a.switch { _ in 1 }.node, a.switch { _ in 1 }.case(1), a.switch { _ in 1 }.default,
        a.switch { _ in 1 }.unmatched, a.if { $0 > 0 }.thenNode, a.if { $0 > 0 }.elseNode,
        Node(1), Node<Int>(), MutableNode<Int>(), Node(Node(1)).flatten(),
      ]
      for node in others {
        #expect(node.created.file == "EasyReactTests/Section12Pictures.swift", "\(node)")
      }
    }

    @Test func `12.3 snapshot: edges and listeners`() {
      let (a, end) = example()
      let listenings = [a.listen { _ in }, end.listen { _ in }, end.listen { _ in }]
      let graph = a.snapshot()
      let names = Dictionary(uniqueKeysWithValues: graph.nodes.map { ($0.id, $0.name ?? $0.type) })
      #expect(
        graph.edges.map { "\(names[$0.from]!) \($0.name) \(names[$0.to]!)" }
          == ["a Map b", "a Combine (Int, Int)", "b Combine (Int, Int)", "(Int, Int) Map sum"])
      #expect(graph.nodes.map(\.listeners) == [1, 0, 0, 2])
      for listening in listenings { listening.cancel() }
      #expect(a.snapshot().nodes.map(\.listeners) == [0, 0, 0, 0])
    }

    @Test func `12.3 snapshot is a Codable value and comes back equal from JSON`() throws {
      let (a, end) = example()
      let listening = end.listen { _ in }
      for name in hostileNames {
        a.name = name
        let graph = a.snapshot()
        let data = try JSONEncoder().encode(graph)
        #expect(try JSONDecoder().decode(GraphSnapshot.self, from: data) == graph)
      }
      listening.cancel()
    }

    @Test func `12.3 snapshot is of one moment: later sets and links do not change it`() {
      let (a, end) = example()
      let before = a.snapshot()
      a.value = 10
      end.wiring.removeUpstreamNodes()
      #expect(before.nodes.map(\.value) == ["1", "2", "(1, 2)", "3"])
      #expect(before.edges.count == 4)
      #expect(a.snapshot().nodes.map(\.value) == ["10"])  // the others had no consumer left
    }

    @Test func `12.3 snapshot: a long description of a value is cut`() {
      let node = MutableNode(String(repeating: "x", count: 1000))
      #expect(node.snapshot().nodes[0].value?.count == 200)
    }
  }

  @Suite struct Leaks {
    /// Only the reports that name these nodes: other tests leave rings of their own.
    private func reports(naming name: String) -> [LeakedRing] {
      leakReport().filter { $0.description.contains("“\(name)") }
    }

    @Test func `12.5 leakReport names rings that nothing outside holds, in order round the ring`()
      throws
    {
      weak var first: MutableNode<Int>?
      do {
        let a = MutableNode(1).named("lost ring a")
        let b = Node<Int>().named("lost ring b")
        let c = Node<Int>().named("lost ring c")
        first = a
        b.wiring.link(to: a)
        c.wiring.link(to: b)
        a.link(to: c)
        #expect(reports(naming: "lost ring").isEmpty)  // still held
      }
      let report = try #require(reports(naming: "lost ring").first)
      #expect(reports(naming: "lost ring").count == 1)
      #expect(report.nodes.count == 3)
      let order = report.nodes.map {
        $0.contains("ring a") ? "a" : $0.contains("ring b") ? "b" : "c"
      }
      #expect(["abc", "bca", "cab"].contains(order.joined()))
      for name in ["a", "b", "c"] { #expect(report.description.contains("“lost ring \(name)”")) }
      #expect(report.description.contains("EasyReactTests/Section12Pictures.swift:"))
      withoutLeakReports {
        first?.wiring.removeUpstreamNodes()
        #expect(first == nil)
      }
      #expect(reports(naming: "lost ring").isEmpty)
    }

    @Test
    func
      `12.5 leakReport: not a ring that one holder outside still holds, nor one that a listening holds`()
    {
      weak var first: Node<Int>?
      var listening: Listening?
      do {
        let a = MutableNode(1).named("heard ring")
        let b = Node<Int>()
        b.wiring.link(to: a)
        a.link(to: b)
        listening = b.listen { _ in }
        first = a
      }
      #expect(reports(naming: "heard ring").isEmpty)
      listening?.cancel()
      listening = nil
      #expect(reports(naming: "heard ring").count == 1)
      let held = first
      #expect(reports(naming: "heard ring").isEmpty)
      held?.wiring.removeUpstreamNodes()
    }

    @Test func `12.5 leakReport: not a ring of syncs, which keeps nothing alive`() {
      weak var gone: MutableNode<Int>?
      do {
        let a = MutableNode(1).named("synced ring")
        let b = MutableNode(1)
        a.sync(with: b)
        gone = a
        #expect(reports(naming: "synced ring").isEmpty)
      }
      withoutLeakReports { #expect(gone == nil) }
      #expect(reports(naming: "synced ring").isEmpty)
    }

    @Test
    func
      `12.5 leakReport: not a ring that was cut, and what hangs on a lost ring is not among its nodes`()
      throws
    {
      weak var first: MutableNode<Int>?
      do {
        let a = MutableNode(1).named("burdened ring")
        let b = Node<Int>()
        b.wiring.link(to: a)
        a.link(to: b)
        a.link(to: MutableNode(5).named("feeder"))
        first = a
      }
      let report = try #require(reports(naming: "burdened ring").first)
      #expect(report.nodes.count == 2)
      #expect(!report.description.contains("feeder"))
      withoutLeakReports {
        first?.wiring.removeUpstreamNodes()
        #expect(first == nil)
      }
      #expect(reports(naming: "burdened ring").isEmpty)
    }
  }
}
