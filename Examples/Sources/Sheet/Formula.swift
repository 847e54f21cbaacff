/// What a cell shows. Who reads an error throws it, so it is what the whole formula shows.
enum Value: Error, Equatable, CustomStringConvertible {
  case empty, number(Double), text(String), error(String)

  init(finite number: Double) throws(Value) {
    if !number.isFinite { throw .error("#NUM") }
    self = .number(number)
  }

  func asNumber() throws(Value) -> Double {
    switch self {
    case .empty: return 0
    case .number(let number): return number
    case .text: throw .error("#TYPE")
    case .error: throw self
    }
  }

  var description: String {
    switch self {
    case .empty: "·"
    case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
    case .text(let text), .error(let text): text
    }
  }
}

/// What a cell computes: from which cells, and how.
struct Formula: Sendable {
  typealias Step = @Sendable ([Place: Value]) throws(Value) -> Value

  var inputs: Set<Place> = []
  var step: Step = { _ in .empty }

  func value(_ cells: [Place: Value]) -> Value {
    do throws(Value) { return try step(cells) } catch { return error }
  }
}
