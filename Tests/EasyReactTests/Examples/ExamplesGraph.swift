import EasyReact
import EasyReactTesting
import Foundation
import Testing

// MARK: - 26 The graph

extension Examples {
  /// a → b by two edges, b → c.
  struct Small {
    let a = MutableNode(1).named("a")
    let b = MutableNode<Int>().named("b")
    let c: Node<Int>
    let first = NodeTransform<Int, Int>()
    let second = NodeTransform<Int, Int>()

    init() {
      first.name = "first"
      second.name = "a \"quoted\" \\ name\nof two lines; 100 %"
      b.link(to: a, through: first)
      b.link(to: a, through: second)
      c = b.map { $0 }.named("c")
    }
  }

  @Test func `26 upstream and downstream nodes and transforms, names`() {
    let graph = Small()
    let (a, b, c) = (graph.a, graph.b, graph.c)
    #expect(b.upstreamNodes == [a, a])
    #expect(b.downstreamNodes == [c])
    #expect(
      b.upstreamTransforms.map(ObjectIdentifier.init)
        == [graph.first, graph.second].map(ObjectIdentifier.init))
    #expect(b.downstreamTransforms.map(\.name) == ["Map"])
    #expect(b.upstreamTransforms(from: a).count == 2)
    #expect(b.upstreamTransforms(from: c).isEmpty)
    #expect(b.downstreamTransforms(to: c).map(\.name) == ["Map"])
    #expect(b.downstreamTransforms(to: a).isEmpty)
    #expect([a, b, c].map(\.name) == ["a", "b", "c"])
    #expect(graph.first.name == "first")
    #expect(graph.first.from === a && graph.first.to === b)
  }

  @Test(arguments: [["dot", "-Tsvg"], ["circo", "-Tpdf"]])
  func `26 dot() of the graph renders without a warning`(command: [String]) throws {
    let graph = Small()
    let partner = MutableNode(2).named("ünïcode → \u{1F600}")
    graph.c.wiring.sync(with: partner)
    let recorder = Recorder(graph.c)
    for text in [graph.b.dot(), graph.b.dot(listeners: true)] {
      #expect(text.hasPrefix("digraph EasyReact {"))
      #expect(text.hasSuffix("}\n"))
      #expect(text.contains("[label=\"first\"]"))
      #expect(text.contains("ünïcode → \u{1F600}"))
      #expect(text.contains(#"[label="a \"quoted\" \\ name\nof two lines; 100 %"]"#))
      #expect(text.components(separatedBy: " -> ").count - 1 >= 5)
      guard let program = Self.find(command[0]) else { continue }
      let (output, errors, status) = try Self.run(program, Array(command.dropFirst()), input: text)
      #expect(status == 0)
      #expect(errors == "")
      #expect(output.count > 500)
    }
    #expect(graph.b.dot(listeners: true).contains("1 listening"))
    #expect(recorder.values == [2])
  }

  static func find(_ program: String) -> URL? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { URL(fileURLWithPath: "\($0)/\(program)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  static func run(
    _ program: URL, _ arguments: [String], input: String
  ) throws -> (output: Data, errors: String, status: Int32) {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("EasyReact-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appendingPathComponent("graph.dot")
    let result = folder.appendingPathComponent("result")
    try Data(input.utf8).write(to: source)
    let process = Process()
    process.executableURL = program
    process.arguments = arguments + ["-o", result.path, source.path]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let output = (try? Data(contentsOf: result)) ?? Data()
    return (output, String(decoding: text, as: UTF8.self), process.terminationStatus)
  }
}

// MARK: - 27 Ownership

extension Examples {
  @Test
  func `27 the last node of a chain keeps the whole chain; dropped, all but the source is freed`() {
    let node = MutableNode(1)
    weak var middle: Node<Int>?
    weak var last: Node<Int>?
    var filtered: Node<Int>?
    do {
      let mapped = node.map { $0 * 2 }
      middle = mapped
      filtered = mapped.filter { $0 > 0 }
      last = filtered
    }
    #expect(middle != nil)
    node.value = 2
    #expect(filtered?.value == 4)
    filtered = nil
    #expect(last == nil)
    #expect(middle == nil)
    #expect(!node.hasDownstreamNode)
    #expect(checkInvariants([node]) == [])
  }

  @Test func `27 a listener object keeps its chain; dropped, the chain is freed`() {
    final class Panel: ListeningOwner, Sendable {
      let listenings = CancelableBag()
    }
    weak var source: MutableNode<Int>?
    weak var middle: Node<Int>?
    let log = Journal<Int>()
    var panel: Panel? = Panel()
    do {
      let node = MutableNode(1)
      let mapped = node.map { $0 * 2 }
      (source, middle) = (node, mapped)
      mapped.filter { $0 > 0 }.listen(by: panel!) { _, value in log.note(value) }
    }
    source?.value = 2
    #expect(log.entries == [2, 4])
    panel = nil
    #expect(source == nil)
    #expect(middle == nil)
  }

  @Test func `27 a Listening keeps its chain; released, the chain is freed`() {
    weak var source: MutableNode<Int>?
    let log = Journal<Int>()
    var listening: Listening?
    do {
      let node = MutableNode(1)
      source = node
      listening = node.map { $0 * 2 }.listen { log.note($0) }
    }
    source?.value = 2
    #expect(log.entries == [2, 4])
    #expect(listening != nil)
    listening = nil
    #expect(source == nil)
  }
}
