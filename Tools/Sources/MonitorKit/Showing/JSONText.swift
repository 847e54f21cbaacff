/// A JSON value whose keys keep their order, so that each line of output has the same shape.
enum JSONText {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case list([JSONText])
  case object([(key: String, value: JSONText)])

  /// A number with at most three decimals; `null` for what JSON cannot write.
  static func number(_ value: Double?) -> JSONText {
    guard let value, value.isFinite, value.magnitude < 1e15 else { return .null }
    return .number(value.atMost(3))
  }

  static func number(_ value: some BinaryInteger) -> JSONText { .number(String(value)) }

  /// The value on one line.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let digits): digits
    case .string(let text): Self.quoted(text)
    case .list(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Self.quoted($0.key) + ":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
