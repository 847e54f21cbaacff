import EasyReact
import Foundation

/// A session as a test: Swift Testing source that sets what was set and expects what the named nodes told.
///
///     var test = SessionTest(session, name: "two pieces cost twice as much")
///     test.imports = ["@testable import Shop"]
///     test.setUp = "let shop = Shop()"
///     test.expressions = ["count": "shop.count", "total": "shop.total"]
///     print(try test.source())              // import EasyReact … @Test func …
///
/// Without ``setUp`` the source calls `makeGraph()`, which is yours: it builds a fresh graph and gives any node of it.
/// A node without an expression is looked for in that graph by its name.
public struct SessionTest {
  public var name: String
  /// Whole lines; `EasyReact`, `Synchronization` and `Testing` are there anyway.
  public var imports: [String] = []
  /// Traits of the test, as they stand after `@Test`: `.tags(.session)`.
  public var traits: [String] = []
  /// Lines that build a fresh graph in which nothing has been set. `told`, `listenings` and `sessionNodes` are the test's own names.
  public var setUp = "let graph = makeGraph()"
  /// How a node is written, by its recorded name, or without one by its label. Others are found by their name among those that `graph` reaches.
  public var expressions: [String: String] = [:]
  /// The nodes whose values are expected, by name; nil: all named ones that are not private, that nothing sets, and that nothing
  /// makes late.
  public var outputs: [String]?
  /// How a value is written, given its type and its description; nil: as a number, text, Boolean or optional of those.
  public var literal: @Sendable (_ type: String, _ text: String) -> String? = {
    Self.literal($0, $1)
  }
  /// How a whole turn is played, by its number from zero; nil: by setting its nodes.
  public var statement: @Sendable (_ number: Int, SessionTurn) -> String? = { _, _ in nil }

  private let session: GraphSession
  private let names: SessionNames

  public init(_ session: GraphSession, name: String) {
    self.session = session
    names = SessionNames(session.records)
    self.name = name
  }

  /// The source.
  ///
  /// - Complexity: O(what is kept).
  /// - Throws: ``SessionError`` if events were dropped, so that the beginning is unknown, or a value cannot be
  ///   written: with the node and the remedy.
  public func source() throws(SessionError) -> String {
    guard session.records.dropped == 0 else {
      throw SessionError(
        code: .incomplete,
        description:
          "\(session.records.dropped) events of the session were dropped, so nobody knows from what the graph "
          + "began. Record with a larger GraphRecorder(events:).")
    }
    let turns = session.turns, told = session.told
    let inputs = Set(turns.flatMap(\.inputs).compactMap(\.name))
    let outputs =
      self.outputs ?? told.keys.filter { !inputs.contains($0) && !names.isLate($0) }.sorted()
    var body = ["let told = SessionTold()"]
    body += outputs.isEmpty ? [] : ["let listenings = ["]
    for name in outputs {
      let node = expressions[name] ?? search(for: name, names.type(of: name) ?? "Never")
      body.append("  \(node).listen { told.add(\(quoted(name)), $0) },")
    }
    body += outputs.isEmpty ? [] : ["]"]
    for (number, turn) in turns.enumerated() { body += try lines(for: turn, number) }
    for name in outputs {
      if told[name] == nil, names.isPrivate(name) { throw hidden(name) }
      let list = try (told[name] ?? []).map { text throws(SessionError) in
        if text.isCut(at: session.records.descriptionLength) { throw tooLong(name) }
        return quoted(text)
      }
      body.append("#expect(told[\(quoted(name))] == [\(list.joined(separator: ", "))])")
    }
    body += outputs.isEmpty ? [] : ["withExtendedLifetime(listenings) {}"]
    return file(begin(body) + body)
  }

  /// The graph, and what finds nodes in it where any line looks for one: else nothing need be called `graph`.
  private func begin(_ body: [String]) -> [String] {
    let searches = body.contains { $0.drop { $0 == " " }.hasPrefix("try sessionNodes.") }
    return setUp.components(separatedBy: "\n")
      + (searches ? ["let sessionNodes = SessionNodes(graph)"] : [])
  }

  private func file(_ body: [String]) -> String {
    let imported = Set(["import EasyReact", "import Synchronization", "import Testing"] + imports)
    let plain = imported.filter { !$0.hasPrefix("@") }.sorted(),
      attributed = imported.filter { $0.hasPrefix("@") }.sorted()
    let head =
      [
        "// swift-format-ignore-file",
        "// Made by EasyReact of a session of \(session.program.singleLine). It plays what was set, and expects what was told.",
      ]
      + plain + (attributed.isEmpty ? [] : [""]) + attributed
    let traits = traits.isEmpty ? "" : "(\(traits.joined(separator: ", ")))"
    let test =
      ["", "@Test\(traits) func `\(title)`() throws {"] + body.map { $0.isEmpty ? "" : "  \($0)" }
      + [
        "}", "",
      ]
    return (head + test).joined(separator: "\n") + Self.helpers
  }

  /// The name as far as it can be one of Swift's between backticks: not of spaces or operators alone, nor `$0`.
  private var title: String {
    let plain = String(
      String.UnicodeScalarView(
        name.unicodeScalars.filter { !"`\\".unicodeScalars.contains($0) && !$0.isUnprintable }))
    return plain.first?.isLetter == true ? plain : plain.isEmpty ? "session" : "session \(plain)"
  }

  /// What every such test needs.
  private static let helpers = """

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

    """

  private func lines(for turn: SessionTurn, _ number: Int) throws(SessionError) -> [String] {
    if let statement = statement(number, turn) { return statement.components(separatedBy: "\n") }
    var sets: [String] = []
    for input in turn.inputs {
      let node = try expression(for: input)
      if input.value.form == .empty {
        sets.append("\(node).clean()")
        continue
      }
      guard input.value.form == .value, let text = input.value.text else { throw unwritable(input) }
      if input.value.isCut(at: session.records.descriptionLength) { throw tooLong(input.label) }
      guard let value = literal(input.type, text) else { throw unwritable(input) }
      let context = input.context.map { ", context: \(quoted($0))" } ?? ""
      sets.append("\(node).set(\(value)\(context))")
    }
    if sets.count == 1 { return sets }
    let isTried = sets.contains { $0.hasPrefix("try ") }
    return [isTried ? "try batch {" : "batch {"] + sets.map { "  \($0)" } + ["}"]
  }

  private func expression(for input: SessionTurn.Input) throws(SessionError) -> String {
    if let expression = expressions[input.name ?? input.label] { return expression }
    guard let name = input.name else { throw unnamed(input) }
    return search(for: name, input.type)
  }

  private func search(for name: String, _ type: String) -> String {
    // Of several with one name not always the same one may be there.
    let search = names.areSeveral(name) ? "first" : "only"
    return "try sessionNodes.\(search)(\(quoted(name)), \(type).self)"
  }

  // MARK: - What cannot be written

  private func hidden(_ name: String) -> SessionError {
    SessionError(
      code: .incomplete,
      description: "“\(name)” is private: nobody knows what it told. Leave it out.")
  }

  private func unnamed(_ input: SessionTurn.Input) -> SessionError {
    SessionError(
      code: .incomplete,
      description:
        "“\(input.label)” was set and has no name by which a test finds it. Name it, or say how it is written, by "
        + "`expressions` of this label.")
  }

  private func tooLong(_ label: String) -> SessionError {
    SessionError(
      code: .incomplete,
      description:
        "A value of “\(label)” was cut. Record with a greater GraphRecorder(descriptionLength:), or leave the node out."
    )
  }

  private func unwritable(_ input: SessionTurn.Input) -> SessionError {
    SessionError(
      code: .incomplete,
      description:
        "“\(input.label)” was set to a value of \(input.type) that its description does not give: \(input.value). "
        + "Say how to write it, by `literal`, or how to play the turn, by `statement`.")
  }

  // MARK: - Literals

  /// For a number, text, Boolean, or optional of those; nil for anything else.
  public static func literal(_ type: String, _ text: String) -> String? {
    if type.hasPrefix("Optional<"), type.hasSuffix(">") {
      if text == "nil" { return "nil" }
      let wrapped = String(type.dropFirst(9).dropLast())
      guard text.hasPrefix("Optional("), text.hasSuffix(")") else { return nil }
      let inner = String(text.dropFirst(9).dropLast())
      // In an optional a text is described with its quotes.
      return wrapped == "String" ? inner : literal(wrapped, inner)
    }
    switch type {
    case "Int", "Int8", "Int16", "Int32", "Int64": return Int(text).map { "\($0)" }
    case "UInt", "UInt8", "UInt16", "UInt32", "UInt64": return UInt(text).map { "\($0)" }
    case "Bool": return Bool(text).map { "\($0)" }
    case "Double", "Float":
      guard let number = Double(text) else { return nil }
      if number.isNaN { return ".nan" }
      return number.isInfinite ? (number < 0 ? "-.infinity" : ".infinity") : text
    case "String": return quoted(text)
    default: return nil
    }
  }
}

/// A text as a literal of Swift, on one line.
private func quoted(_ text: String) -> String {
  "\""
    + text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      case _ where scalar.isUnprintable:
        "\\u{\(String(scalar.value, radix: 16))}"
      default: String(scalar)
      }
    }.joined() + "\""
}

extension Unicode.Scalar {
  /// Swift's sources do not take it, or show it as something else.
  fileprivate var isUnprintable: Bool {
    value < 0x20 || value == 0x7F || value == 0x2028 || value == 0x2029 || properties.isBidiControl
  }
}

extension String {
  fileprivate var singleLine: String { filter { !$0.isNewline } }
}
