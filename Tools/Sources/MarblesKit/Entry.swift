import EasyReactTesting

/// One operator in the catalogue: a name, a sentence, the usual inputs, and what runs.
///
///     Entry("map", "Each value becomes what the closure makes of it.", ["a: 1-2--3-"]) { draw, s in
///       draw.result("a.map { $0 * 10 }", s.a.map { $0 * 10 })
///     }
public struct Entry: Sendable {
  public let name: String
  public let sentence: String
  public let inputs: [InputLine]
  /// What other libraries call it, for the search.
  public let relatives: [String]
  let body: @Sendable (Drawing, Inputs) throws -> Void

  init(
    _ name: String, _ sentence: String, _ inputs: [InputLine], known relatives: [String] = [],
    _ body: @escaping @Sendable (Drawing, Inputs) throws -> Void
  ) {
    self.name = name
    self.sentence = sentence
    self.inputs = inputs
    self.relatives = relatives
    self.body = body
  }

  /// Runs the operator in virtual time.
  /// - Parameter changes: Lines in place of the usual ones.
  /// - Throws: An ``InputError`` for a line that the operator has not; a ``MarbleError`` for one
  ///   that cannot be read.
  public func diagram(changing changes: [InputLine] = []) throws -> Diagram {
    for change in changes where !inputs.contains(where: { $0.name == change.name }) {
      let names = inputs.map(\.name).joined(separator: ", ")
      throw InputError("\(name) has no input '\(change.name)', but: \(names)")
    }
    let lines = inputs.map { usual in changes.last { $0.name == usual.name } ?? usual }
    return try run(lines)
  }
}

/// A line with its name: `a: 1--2-3`.
public struct InputLine: Equatable, Sendable, ExpressibleByStringLiteral {
  public let name: String
  public let marbles: String

  public init(reading text: String) throws {
    guard let colon = text.firstIndex(of: ":") else {
      throw InputError("an input is a name, a colon and marbles: 'a: 1--2-3', not '\(text)'")
    }
    name = text[..<colon].filter { !$0.isWhitespace }
    marbles = String(text[text.index(after: colon)...].drop(while: \.isWhitespace))
  }

  /// Of the catalogue: a mistake stops.
  public init(stringLiteral text: String) {
    do { try self.init(reading: text) } catch { fatalError("\(error)") }
  }
}

public struct InputError: Error, Equatable, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}
