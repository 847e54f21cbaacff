import EasyReact

/// A program on two machines, compared after every call.
struct Comparison<A: Machine, B: Machine> {
  private(set) var operations = 0, told = 0
  /// Left off: the first machine found it too long.
  private(set) var isTooLong = false
  private(set) var difference: String?

  /// A leak report of another test, made meanwhile, would keep what the program lets go of.
  init(_ program: Program, _ first: A.Type, _ second: B.Type, explain: Bool = false) {
    self = withoutLeakReports { Self(alone: program, first, second, explain: explain) }
  }

  private init(alone program: Program, _: A.Type, _: B.Type, explain: Bool) {
    let a = Run<A>(), b = Run<B>()
    for (index, op) in program.enumerated() {
      a.apply(op)
      isTooLong = a.machine.isExhausted
      if isTooLong { break }
      b.tellLimit = a.told.count + 1_000
      b.apply(op)
      let violations = b.machine.violations
      if a.told == b.told && a.values == b.values && a.followed == b.followed && violations.isEmpty
      {
        continue
      }
      difference = explain ? Self.explanation(a, b, op, index, violations) : "different"
      break
    }
    (operations, told) = (a.operations, a.told.count)
  }

  private static func explanation(
    _ a: Run<A>, _ b: Run<B>, _ op: Op, _ index: Int, _ violations: [String]
  ) -> String {
    let common = zip(a.told, b.told).prefix { $0 == $1 }.count
    func told(_ heard: [Told]) -> String { heard.map(\.description).joined(separator: " ") }
    func values(_ values: [Int: Int]) -> String {
      values.keys.sorted().map { "\($0)=\(values[$0]!)" }.joined(separator: " ")
    }
    func followed(_ followed: [Int: [Int]]) -> String {
      followed.keys.sorted().map { "\($0) \(followed[$0]!)" }.joined(separator: " ")
    }
    return """
      after call \(index), .\(op)
      \(A.self) told  \(told(a.told))
      \(B.self) told  \(told(b.told))
      the first \(common) are equal
      \(A.self) holds \(values(a.values))
      \(B.self) holds \(values(b.values))
      \(A.self) follows \(followed(a.followed))
      \(B.self) follows \(followed(b.followed))
      violated invariants: \(violations)
      """
  }
}
