/// What the texts of a marble line stand for.
struct MarbleReading<Value: Sendable>: Sendable {
  /// Returns nil if the text is not a value. Nil: no text is, they are only compared.
  let read: (@Sendable (String) -> Value?)?
  let write: @Sendable (Value) -> String
  let matches: @Sendable (Value, String) -> Bool
  /// For errors: `“x” is not …`. Of a table it names all values.
  let kind: @Sendable () -> String

  /// The values of a line, in its steps and places.
  func read(_ parsed: ParsedMarbles) throws(MarbleError) -> [[Value?]] {
    guard let read else { return [] }
    var steps: [[Value?]] = []
    for (step, marks) in parsed.marbles.steps.enumerated() {
      var values: [Value?] = []
      for (place, mark) in marks.enumerated() {
        guard case .value(let text) = mark else {
          values.append(nil)
          continue
        }
        guard let value = read(text) else {
          throw parsed.error("“\(text)” is not \(kind())", step: step, mark: place)
        }
        values.append(value)
      }
      steps.append(values)
    }
    return steps
  }
}

extension MarbleReading where Value: LosslessStringConvertible & Equatable {
  /// Values that can be read from their own description: numbers, texts, truth values.
  static var own: MarbleReading {
    MarbleReading(
      read: { Value($0) }, write: { $0.description }, matches: { Value($1) == $0 },
      kind: { "of type \(Value.self)" })
  }
}

extension MarbleReading {
  /// Values by a table, for an input.
  static func entry(of values: [String: Value]) -> MarbleReading {
    MarbleReading(
      read: { values[$0] }, write: { marbleText(of: $0) }, matches: { _, _ in false },
      kind: { kind(values) })
  }

  fileprivate static func kind(_ values: [String: Value]) -> String {
    "in values:, which has \(values.keys.sorted().map { "“\($0)”" }.joined(separator: " "))"
  }
}

extension MarbleReading where Value: Equatable {
  /// Values by a table. What is not in it is shown by its description.
  static func table(_ values: [String: Value]) -> MarbleReading {
    MarbleReading(
      read: { values[$0] },
      write: { value in
        values.filter { $0.value == value }.keys.min() ?? marbleText(of: value)
      },
      matches: { values[$1] == $0 },
      kind: { kind(values) })
  }
}

extension MarbleReading {
  /// Values that are only compared, by what is shown of them.
  static func shown(by show: @escaping @Sendable (Value) -> String) -> MarbleReading {
    MarbleReading(
      read: nil, write: show, matches: { show($0) == $1 }, kind: { "a value" })
  }
}

/// The text of a value in marbles and messages: its description, without the `Optional` around it.
public func marbleText<Value>(of value: Value) -> String {
  (value as? any OptionalValue)?.text ?? "\(value)"
}

private protocol OptionalValue { var text: String { get } }
extension Optional: OptionalValue {
  fileprivate var text: String { map { marbleText(of: $0) } ?? "nil" }
}
