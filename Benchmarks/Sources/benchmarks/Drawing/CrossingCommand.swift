import ArgumentParser
import Foundation

/// The inspector's layout beside Graphviz's: how often lines cross.
struct CrossingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crossings",
    abstract:
      "Draws graphs of ten shapes, and has `dot` draw the same; prints who crosses how often.")

  @Option(help: "Numbers of nodes, with commas.")
  var sizes = "30,60,100,200"

  @Option(help: "How many graphs of each shape and size.")
  var seeds: UInt64 = 10

  @Flag(
    help: "Fails where one graph has more than one and a half times as many crossings as dot's.")
  var check = false

  func run() throws {
    var all = Total()
    for shape in LayoutShape.allCases {
      for size in sizes.split(separator: ",").compactMap({ Int($0) }) {
        var total = Total()
        for seed in 1...seeds { try total.add(shape.graph(size, seed: seed), "seed \(seed)") }
        print(
          "\(shape.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0)) \(size): \(total)")
        all.add(total)
      }
    }
    print("crossings: \(all)")
    if check, !all.over.isEmpty { throw ExitCode.failure }
  }
}

/// Of some graphs.
private struct Total: CustomStringConvertible {
  private var graphs = 0, ours = 0, theirs = 0, milliseconds = 0.0
  private(set) var over: [String] = []

  mutating func add(_ graph: LayoutGraph, _ name: String) throws {
    let start = clock()
    let drawing = Drawing(of: graph)
    milliseconds += Double(clock() - start) * 1_000 / Double(CLOCKS_PER_SEC)
    let other = try Dot.crossings(of: graph, drawing)
    graphs += 1
    ours += drawing.crossings
    theirs += other
    if 2 * drawing.crossings > 3 * other {
      over.append("\(name): \(drawing.crossings) to \(other)")
    }
  }

  mutating func add(_ total: Total) {
    graphs += total.graphs
    ours += total.ours
    theirs += total.theirs
    milliseconds += total.milliseconds
    over += total.over
  }

  var description: String {
    let ratio = String(format: "%.2f", Double(ours) / Double(max(1, theirs)))
    let each = String(format: "%.1f", milliseconds / Double(max(1, graphs)))
    return "\(graphs) graphs, ours \(ours), dot's \(theirs), ratio \(ratio), \(each) ms each"
      + ", more than 1.5 times: \(over.count) \(over.joined(separator: "; "))"
  }
}

private enum Dot {
  /// Edges that are drawn backwards are told as such (`dir=back`), as the graph tells them: else `dot` would choose which
  /// edges of a cycle lead back, and draw another graph.
  static func crossings(of graph: LayoutGraph, _ drawing: Drawing) throws -> Int {
    var text = "digraph { rankdir=LR\n"
    for node in graph.nodes { text += "\(node.id);\n" }
    for (edge, isReversed) in zip(graph.edges, drawing.isReversed) {
      text += isReversed ? "\(edge.to)->\(edge.from) [dir=back];\n" : "\(edge.from)->\(edge.to);\n"
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).dot")
    try (text + "}\n").write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process(), errors = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["dot", "-v", "-Tplain", "-o/dev/null", file.path]
    process.standardError = errors
    try process.run()
    let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    // mincross %3: 26 crossings, 0.00 secs.
    for line in told.split(separator: "\n") where line.hasPrefix("mincross ") {
      let words = line.split(separator: " ")
      if let place = words.firstIndex(of: "crossings,"), let count = Int(words[place - 1]) {
        return count
      }
    }
    throw ValidationError("dot tells no crossings; is Graphviz installed (Scripts/setup.sh)?")
  }
}
