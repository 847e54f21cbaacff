enum Command {
  case nothing, help, undo, quit
  case show([Place]?), graph([Place]), set(Place, Formula)
}

/// Where a line is not understood, and what could stand there.
struct SyntaxError: Error {
  let column: Int
  let message: String
}

/// Reads a line by recursive descent: `A1 = -(B2 + 1) * SUM(C1:C5)`.
struct Parser {
  private let line: String
  private var rest: ArraySlice<Substring>
  /// The cells that the formula reads, as far as it is known.
  private var inputs: Set<Place> = []

  init(_ line: String) throws(SyntaxError) {
    self.line = line
    rest = line.matches(of: /"[^"]*"|[\w.]+|\S/).map(\.output)[...]
    // What is as deep as it is long must fit the stack.
    if rest.count > 500 {
      rest = rest.dropFirst(500)
      throw expected("the end of the line, after 500 words and signs")
    }
  }

  mutating func command() throws(SyntaxError) -> Command {
    if rest.isEmpty { return .nothing }
    let command: Command =
      switch take("help", "undo", "quit", "show", "graph") {
      case "help": .help
      case "undo": .undo
      case "quit": .quit
      case "show": .show(rest.isEmpty ? nil : try range())
      case "graph": .graph(try range())
      default: try assignment()
      }
    if !rest.isEmpty { throw expected("the end of the line") }
    return command
  }

  private mutating func assignment() throws(SyntaxError) -> Command {
    let target = try place()
    try require("=")
    if rest.isEmpty { return .set(target, Formula()) }
    let step = try operation()
    return .set(target, Formula(inputs: inputs, step: step))
  }

  private typealias Operator = @Sendable (Double, Double) -> Double
  private static let levels: [[Substring: Operator]] = [
    ["+": { $0 + $1 }, "-": { $0 - $1 }], ["*": { $0 * $1 }, "/": { $0 / $1 }],
  ]

  private mutating func operation(level: Int = 0) throws(SyntaxError) -> Formula.Step {
    if level == Parser.levels.count { return try factor() }
    var left = try operation(level: level + 1)
    while let sign = rest.first, let compute = Parser.levels[level][sign] {
      rest.removeFirst()
      left = join(left, try operation(level: level + 1), by: compute)
    }
    return left
  }

  private func join(
    _ left: @escaping Formula.Step, _ right: @escaping Formula.Step, by compute: @escaping Operator
  ) -> Formula.Step {
    { cells throws(Value) in
      try Value(finite: compute(try left(cells).asNumber(), try right(cells).asNumber()))
    }
  }

  private mutating func factor() throws(SyntaxError) -> Formula.Step {
    if take("-") != nil { return join({ _ in .number(0) }, try factor(), by: { $0 - $1 }) }
    if take("(") != nil {
      let inner = try operation()
      try require(")")
      return inner
    }
    if take("SUM", "sum") != nil { return try sum() }
    let word = rest.first ?? ""
    if word.first?.isLetter == true {
      let place = try place()
      inputs.insert(place)
      return { $0[place] ?? .empty }
    }
    if word.count > 1, word.first == "\"" {
      rest.removeFirst()
      return { _ in .text(String(word.dropFirst().dropLast())) }
    }
    guard let number = Double(word), number.isFinite else {
      throw expected("a number like 0.5, a cell, SUM, \"text\" or (")
    }
    rest.removeFirst()
    return { _ in .number(number) }
  }

  /// Of the numbers of a range; texts do not count.
  private mutating func sum() throws(SyntaxError) -> Formula.Step {
    try require("(")
    let places = try range()
    try require(")")
    inputs.formUnion(places)
    return { cells throws(Value) in
      var total = 0.0
      for case let value? in places.map({ cells[$0] }) {
        if case .text = value { continue }
        total += try value.asNumber()
      }
      return try Value(finite: total)
    }
  }

  /// `A1:C3`, or one cell.
  private mutating func range() throws(SyntaxError) -> [Place] {
    let first = try place()
    return Place.rectangle(first, take(":") == nil ? first : try place())
  }

  private mutating func place() throws(SyntaxError) -> Place {
    guard let place = rest.first.flatMap(Place.init) else {
      throw expected("a cell from A1 to T10")
    }
    rest.removeFirst()
    return place
  }

  private mutating func take(_ any: Substring...) -> Substring? {
    guard let word = rest.first, any.contains(word) else { return nil }
    return rest.removeFirst()
  }

  private mutating func require(_ sign: Substring) throws(SyntaxError) {
    if take(sign) == nil { throw expected("\(sign)") }
  }

  private func expected(_ what: String) -> SyntaxError {
    let place = rest.first?.startIndex ?? line.endIndex
    return SyntaxError(
      column: line.distance(from: line.startIndex, to: place) + 1,
      message: "expected \(what), found \(rest.first ?? "the end of the line")")
  }
}
