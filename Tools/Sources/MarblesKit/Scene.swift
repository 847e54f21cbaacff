import EasyReact
import EasyReactTesting

/// What an entry of the catalogue computes with: its inputs by name, and a clock.
///
/// Inputs named `a`, `b`, `c` hold numbers, `x`, `y` hold texts, and `outer` holds the nodes that its
/// values name, and `set` arrays of them: `'ab'` is `[a, b]`. What has another name is for the
/// entry's own use: see ``Drawing``.
struct Inputs: Sendable {
  fileprivate(set) var numbers: [String: MutableNode<Int>] = [:]
  fileprivate(set) var texts: [String: MutableNode<String>] = [:]
  fileprivate(set) var nodes: [String: MutableNode<Node<Int>>] = [:]
  fileprivate(set) var sets: [String: MutableNode<[Node<Int>]>] = [:]
  /// Virtual time, a second a step.
  let clock: VirtualScheduler

  /// Another one, which gets to its work a second later.
  var queue: some NodeScheduler { LateQueue(clock: clock) }

  var a: MutableNode<Int> { input("a", numbers) }
  var b: MutableNode<Int> { input("b", numbers) }
  var c: MutableNode<Int> { input("c", numbers) }
  var x: MutableNode<String> { input("x", texts) }
  var y: MutableNode<String> { input("y", texts) }
  var outer: MutableNode<Node<Int>> { input("outer", nodes) }
  var set: MutableNode<[Node<Int>]> { input("set", sets) }

  private func input<Input>(_ name: String, _ inputs: [String: Input]) -> Input {
    guard let input = inputs[name] else {
      fatalError("Catalogue: an entry uses \(name) and has no line for it. Add one.")
    }
    return input
  }
}

extension Inputs {
  /// `a`, `b`, `ab` and so on: the numbers' nodes in sets, in order of their names.
  fileprivate var everySet: [String: [Node<Int>]] {
    numbers.keys.sorted().reduce(into: ["": []]) { sets, name in
      for (names, nodes) in sets { sets[names + name] = nodes + [numbers[name]!] }
    }
  }
}

private struct LateQueue: NodeScheduler {
  let clock: VirtualScheduler
  var now: Duration { clock.now }
  func schedule(_ work: @escaping @Sendable () -> Void) { clock.schedule(after: .seconds(1), work) }
  @discardableResult
  func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Cancelable {
    clock.schedule(after: delay + .seconds(1), work)
  }
}

/// Takes down what an entry shows: its code, and the lines of nodes.
final class Drawing {
  private let test: MarbleTest
  private let others: [String: String]
  fileprivate var code: [String] = []
  fileprivate var isTimed = false
  private var kept: [any Sendable] = []
  fileprivate var outputs: [(name: String, marbles: () -> Marbles)] = []

  fileprivate init(_ test: MarbleTest, others: [String: String]) {
    self.test = test
    self.others = others
  }

  /// Shows code, which is what runs: the second argument is the same in Swift.
  @discardableResult
  func code<Result>(_ text: String, _ result: Result) -> Result {
    code.append(text)
    return result
  }

  /// Shows code and the line of the node that it makes.
  func result<Value: Sendable>(
    _ text: String, _ node: Node<Value>,
    as show: @escaping @Sendable (Value) -> String = { marbleText(of: $0) }
  ) {
    line("", code(text, node), as: show)
  }

  /// Shows the line of a node.
  func line<Value: Sendable>(
    _ name: String, _ node: Node<Value>,
    as show: @escaping @Sendable (Value) -> String = { marbleText(of: $0) }
  ) {
    let recording = test.watch(node, named: name, show: show)
    outputs.append((name, { recording.marbles }))
  }

  /// Shows the line of somebody who begins to listen at this step.
  func lateLine(_ name: String, _ node: Node<String>, from step: Int, _ clock: VirtualScheduler) {
    isTimed = true
    let heard = MutableNode<String>()
    line(name, heard)
    clock.schedule(after: .seconds(step)) { [node] in heard.link(to: node) }
  }

  /// Shows code that makes something which the input of this name ends.
  func code(_ text: String, _ cancelable: any Cancelable, endedBy name: String) throws {
    code.append(text)
    try end(cancelable, by: name)
  }

  /// Cancels something of the entry's own as the input of this name says.
  func end(_ cancelable: any Cancelable, by name: String) throws {
    try test.cancel(cancelable, other(name), named: name)
  }

  /// Keeps something to the end of the run.
  func keep(_ something: some Sendable) { kept.append(something) }

  /// Sets a node of the entry's own as the input of this name says.
  func set(_ node: MutableNode<String>, by name: String) throws {
    try test.set(node, other(name), named: name)
  }

  /// The same with values by a table.
  func set<Value: Sendable>(
    _ node: MutableNode<Value>, by name: String, values: [String: Value]
  ) throws {
    try test.set(node, other(name), values: values, named: name)
  }

  private func other(_ name: String) -> String {
    guard let marbles = others[name] else {
      fatalError("Catalogue: an entry uses \(name) and has no line for it. Add one.")
    }
    return marbles
  }
}

extension Entry {
  /// Runs the operator in virtual time, and waits for the end of the longest input.
  func run(_ lines: [InputLine]) throws -> Diagram {
    let test = MarbleTest()
    var inputs = Inputs(clock: test.clock)
    var others: [String: String] = [:]
    for line in lines {
      switch line.name {
      case "a", "b", "c":
        inputs.numbers[line.name] = try test.node(line.marbles, as: Int.self, named: line.name)
      case "x", "y": inputs.texts[line.name] = try test.node(line.marbles, named: line.name)
      case "outer":
        inputs.nodes["outer"] = try test.node(
          line.marbles, values: inputs.numbers.mapValues { $0 as Node }, named: line.name)
      case "set":
        inputs.sets["set"] = try test.node(
          line.marbles, values: inputs.everySet, named: line.name)
      default: others[line.name] = line.marbles
      }
    }
    if steps > 0 { _ = try test.node(String(repeating: "-", count: steps)) }
    let drawing = Drawing(test, others: others)
    try body(drawing, inputs)
    test.run()
    let shown = try lines.map { Diagram.Row(name: $0.name, marbles: try Marbles($0.marbles)) }
    let length = shown.map(\.marbles.steps.count).max() ?? steps
    return Diagram(
      name: name, sentence: sentence, code: drawing.code,
      inputs: shown.map { $0.filled(to: length) },
      outputs: drawing.outputs.map {
        Diagram.Row(name: $0.name, marbles: $0.marbles()).filled(to: length)
      },
      isTimed: drawing.isTimed
        || drawing.code.contains { $0.contains("clock") || $0.contains("queue") })
  }
}

extension Diagram.Row {
  fileprivate func filled(to length: Int) -> Diagram.Row {
    let missing = max(0, length - marbles.steps.count)
    return Diagram.Row(
      name: name, marbles: Marbles(steps: marbles.steps + Array(repeating: [], count: missing)))
  }
}
