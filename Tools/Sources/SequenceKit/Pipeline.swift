/// A stream written as text: a source, then operators, each after a bar: `1... | map square | filter odd | prefix 3`.
public struct Pipeline: Sendable, Hashable {
  public enum Source: Sendable, Hashable {
    /// Whole numbers from the first on, to the last if there is one.
    case numbers(from: Int, through: Int?)
    case list([Int])
    /// The Fibonacci numbers, defined by themselves.
    case fibonacci
  }

  public enum Operator: Sendable, Hashable {
    case map(Function)
    case filter(Test)
    case scan(Function)
    case prefix(Int)
    case prefixWhile(Test)
    case dropWhile(Test)
    case removeDuplicates
  }

  public var source: Source
  public var operators: [Operator]

  /// The odd squares, three of them.
  public static let example = Pipeline(
    source: .numbers(from: 1, through: nil),
    operators: [.map(Function(kind: .multiply)), .filter(Test(kind: .odd)), .prefix(3)])
}

/// What `map` and `scan` do to a number.
public struct Function: Sendable, Hashable {
  public enum Kind: Character, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
  }
  var kind: Kind
  /// The second number; nil for the number itself, a square, and for `scan`, which has two.
  var operand: Int?

  func callAsFunction(_ first: Int, _ second: Int) -> Int {
    switch kind {
    case .add: first &+ second
    case .subtract: first &- second
    case .multiply: first &* second
    }
  }

  func callAsFunction(_ number: Int) -> Int { self(number, operand ?? number) }

  func call(_ first: Int, _ second: Int) -> String {
    "\(first) \(kind.rawValue) \(second) = \(self(first, second))"
  }
}

/// What `filter`, `prefixWhile` and `dropWhile` ask of a number.
public struct Test: Sendable, Hashable {
  public enum Kind: String, Sendable, CaseIterable {
    case even, odd
    case less = "<"
    case greater = ">"
    case divisible = "/"
  }
  var kind: Kind
  var operand = 0

  func callAsFunction(_ number: Int) -> Bool {
    switch kind {
    case .even: number.isMultiple(of: 2)
    case .odd: !number.isMultiple(of: 2)
    case .less: number < operand
    case .greater: number > operand
    case .divisible: number.isMultiple(of: operand)
    }
  }

  func call(_ number: Int) -> String {
    let question =
      switch kind {
      case .even, .odd: "\(number) \(kind.rawValue)"
      default: "\(number) \(kind.rawValue) \(operand)"
      }
    return "\(question)? \(self(number) ? "yes" : "no")"
  }
}

// MARK: - As text

extension Pipeline.Source: CustomStringConvertible {
  public var description: String {
    switch self {
    case .numbers(let first, let last): "\(first)...\(last.map(String.init) ?? "")"
    case .list(let numbers): numbers.map(String.init).joined(separator: ",")
    case .fibonacci: "fibonacci"
    }
  }
}

extension Pipeline.Operator: CustomStringConvertible {
  public var description: String {
    switch self {
    case .map(let function): "map \(function.operand == nil ? "square" : "\(function)")"
    case .filter(let test): "filter \(test)"
    case .scan(let function): "scan \(function)"
    case .prefix(let count): "prefix \(count)"
    case .prefixWhile(let test): "prefixWhile \(test)"
    case .dropWhile(let test): "dropWhile \(test)"
    case .removeDuplicates: "removeDuplicates"
    }
  }
}

extension Function: CustomStringConvertible {
  public var description: String {
    "\(kind.rawValue)\(operand.map(String.init) ?? "")"
  }
}

extension Test: CustomStringConvertible {
  public var description: String {
    kind == .even || kind == .odd ? kind.rawValue : "\(kind.rawValue)\(operand)"
  }
}

extension Pipeline: CustomStringConvertible {
  public var description: String {
    ([source.description] + operators.map(\.description)).joined(separator: " | ")
  }
}
