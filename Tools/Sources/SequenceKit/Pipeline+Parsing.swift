/// What is wrong with the text of a pipeline, and what would be right.
public struct PipelineProblem: Error, CustomStringConvertible, Equatable {
  public let description: String
  init(_ description: String) { self.description = description }
}

extension Pipeline {
  /// Reads a pipeline from text; throws a ``PipelineProblem`` that names the part which is wrong.
  public init(text: String) throws {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(words)
    guard let first = parts.first, first.count == 1 else {
      throw PipelineProblem(
        "a pipeline begins with a source: 1..., 1...9, 3,1,2 or fibonacci, not '\(parts.first?.joined(separator: " ") ?? "")'"
      )
    }
    source = try Source(text: first[0])
    operators = try parts.dropFirst().map(Operator.init(words:))
  }
}

private func words(_ text: Substring) -> [String] {
  text.split(whereSeparator: \.isWhitespace).map(String.init)
}

extension Pipeline.Source {
  fileprivate init(text: String) throws {
    if text == "fibonacci" {
      self = .fibonacci
    } else if let dots = text.firstRange(of: "...") {
      let (first, last) = (Int(text[..<dots.lowerBound]), text[dots.upperBound...])
      guard let first, last.isEmpty || Int(last).map({ $0 >= first }) == true else {
        throw PipelineProblem("'\(text)' is no range; expected 1... or 1...9")
      }
      self = .numbers(from: first, through: Int(last))
    } else {
      self = .list(
        try text.split(separator: ",", omittingEmptySubsequences: false).map { number in
          guard let number = Int(number) else {
            throw PipelineProblem(
              "'\(text)' is no source; expected 1..., 1...9, 3,1,2 or fibonacci")
          }
          return number
        })
    }
  }
}

extension Pipeline.Operator {
  static let names = "map, filter, scan, prefix, prefixWhile, dropWhile or removeDuplicates"

  fileprivate init(words: [String]) throws {
    let argument = words.dropFirst().joined()
    switch words.first {
    case "map": self = .map(try Function(text: argument, of: "map", isUnary: true))
    case "scan": self = .scan(try Function(text: argument, of: "scan", isUnary: false))
    case "filter": self = .filter(try Test(text: argument, of: "filter"))
    case "prefixWhile": self = .prefixWhile(try Test(text: argument, of: "prefixWhile"))
    case "dropWhile": self = .dropWhile(try Test(text: argument, of: "dropWhile"))
    case "prefix":
      guard let count = Int(argument), count >= 0 else {
        throw PipelineProblem("prefix needs a count, as in 'prefix 3', not '\(argument)'")
      }
      self = .prefix(count)
    case "removeDuplicates":
      guard argument.isEmpty else {
        throw PipelineProblem("removeDuplicates takes nothing, not '\(argument)'")
      }
      self = .removeDuplicates
    case let name:
      throw PipelineProblem("there is no operator '\(name ?? "")'; expected \(Self.names)")
    }
  }
}

extension Function {
  fileprivate init(text: String, of name: String, isUnary: Bool) throws {
    if isUnary, text == "square" {
      self.init(kind: .multiply)
      return
    }
    let rest = text.dropFirst()
    guard let kind = text.first.flatMap(Kind.init(rawValue:)),
      isUnary ? Int(rest) != nil : rest.isEmpty
    else {
      let examples = isUnary ? "'map +1', 'map *2' or 'map square'" : "'scan +' or 'scan *'"
      throw PipelineProblem("\(name) needs a function, as in \(examples), not '\(text)'")
    }
    self.init(kind: kind, operand: Int(rest))
  }
}

extension Test {
  fileprivate init(text: String, of name: String) throws {
    if let kind = Kind(rawValue: text), kind == .even || kind == .odd {
      self.init(kind: kind)
    } else if let kind = Kind(rawValue: String(text.prefix(1))),
      let operand = Int(text.dropFirst()), kind != .divisible || operand != 0
    {
      self.init(kind: kind, operand: operand)
    } else {
      throw PipelineProblem(
        "\(name) needs a test, as in '\(name) odd', '\(name) <5', '\(name) >5' or '\(name) /3', not '\(text)'"
      )
    }
  }
}
