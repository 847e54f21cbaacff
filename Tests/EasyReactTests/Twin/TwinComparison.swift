import Foundation
import Testing

/// Random programs on the twin and on the library: after every call the same values were told in
/// the same order, and the nodes hold the same.
///
///     EASYREACT_RANDOM_PROGRAMS=100000 EASYREACT_RANDOM_SEED=7 swift test --filter TwinComparison
///
/// A difference is printed as the smallest program that still shows it, to be pasted into a test.
/// With `EASYREACT_RANDOM_TRACE=1` each seed is printed before it runs: the last one is the one
/// that crashed.
@Suite(.watched) struct TwinComparison {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment["EASYREACT_RANDOM_\(name)"].flatMap { UInt64($0) }
  }

  @Test(arguments: [false, true])
  func `random programs tell the same on the twin and on the library`(hasEvents: Bool) {
    let count = Self.setting("PROGRAMS") ?? (Sanitizer.isPresent ? 200 : 10_000),
      first = Self.setting("SEED") ?? 1
    let isTraced = Self.setting("TRACE") != nil
    var operations = 0, told = 0, tooLong = 0, different: [UInt64] = []
    let time = ContinuousClock().measure {
      for seed in first..<first + count where different.count < 5 {
        if isTraced { print("seed \(seed)") }
        let program = ProgramGenerator.program(seed: seed, hasEvents: hasEvents)
        let comparison = Comparison(program, TwinMachine.self, EngineMachine.self)
        operations += comparison.operations
        told += comparison.told
        if comparison.isTooLong { tooLong += 1 }
        if comparison.difference == nil { continue }
        different.append(seed)
        Issue.record("\(Self.report(program, seed))")
      }
    }
    let perSecond = Int(Double(operations) / (time / .seconds(1)))
    print(
      "TwinComparison: \(count) programs\(hasEvents ? " with events" : "") from seed \(first), \(tooLong) too long,",
      "\(operations) operations, \(told) values told, \(perSecond) operations per second on both")
  }

  @Test
  func
    `random rings that a derivation closes and opens tell the same, and run again what they refused`()
  {
    var runsAgain = 0, different = 0
    for seed in 1...(Self.setting("PROGRAMS") ?? (Sanitizer.isPresent ? 100 : 1_000)) {
      let program = ProgramGenerator.ring(seed: seed), run = Run<TwinMachine>()
      program.forEach(run.apply)
      runsAgain += run.machine.twin.runsAgain
      if different == 5 || !Self.differs(program) { continue }
      different += 1
      Issue.record("\(Self.report(program, seed))")
    }
    print("TwinComparison: in rings \(runsAgain) joins ran again")
    #expect(runsAgain > 20)
  }

  private static func report(_ program: Program, _ seed: UInt64) -> String {
    let small = program.shrunk { differs($0) }
    let explained = Comparison(small, TwinMachine.self, EngineMachine.self, explain: true)
    return """
      seed \(seed), \(program.count) calls, shrunk to \(small.count):
      \(small.source)
      \(explained.difference ?? "differs no more: the library remembers something between programs")
      """
  }

  private static func differs(_ program: Program) -> Bool {
    Comparison(program, TwinMachine.self, EngineMachine.self).difference != nil
  }

  private static let dump = ProcessInfo.processInfo.environment["EASYREACT_RANDOM_DUMP"]

  /// For Tests/Model/replay.py, which runs the same programs on the model.
  @Test(.enabled(if: dump != nil)) func `what the twin tells is written for the model`() throws {
    var lines = ""
    let seeds = 1...(Self.setting("PROGRAMS") ?? 10_000)
    // The model has no operators of events.
    let rings = seeds.map(ProgramGenerator.ring).filter { ring in
      !ring.contains {
        switch $0 {
        case .withLatest, .flattenCombine: true
        default: false
        }
      }
    }
    for program in seeds.map({ ProgramGenerator.program(seed: $0) }) + rings {
      let run = Run<TwinMachine>()
      program.forEach(run.apply)
      let values = run.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      lines += String(decoding: try JSONEncoder().encode(program), as: UTF8.self)
      lines += "\n\(run.told.map(\.plain).joined(separator: " "))"
      lines += " | \(values.joined(separator: " "))\n"
    }
    try lines.write(toFile: Self.dump!, atomically: true, encoding: .utf8)
  }

  @Test func `a machine that runs joins in the wrong order is found out and shrunk`() throws {
    try expectFoundOut(HastyMachine.self, within: 500)
  }

  @Test func `a machine whose derivations tell before what they turned to is final is found out`()
    throws
  {
    try expectFoundOut(ImpatientMachine.self, within: 2_000)
  }

  @Test func `a machine that keeps events is found out`() throws {
    try expectFoundOut(KeepingMachine.self, within: 500, hasEvents: true)
  }

  private func expectFoundOut<M: Machine>(
    _: M.Type, within count: UInt64, hasEvents: Bool = false
  ) throws {
    func differs(_ program: Program) -> Bool {
      Comparison(program, TwinMachine.self, M.self).difference != nil
    }
    let program = try #require(
      (1...count).lazy.map { ProgramGenerator.program(seed: $0, hasEvents: hasEvents) }
        .first(where: differs))
    let small = program.shrunk(while: differs)
    #expect(differs(small))
    #expect(small.count <= 8, "\(small.source)")
  }

  /// Found at seed 574827: a node that is derived from one whose rank is below zero had a rank
  /// below zero too, on the library only, so joins that do not reach each other changed places.
  @Test func `new nodes have the same rank on the twin and on the library`() {
    let program: Program = [
      .node(1, value: nil), .node(2, value: 0), .node(3, value: 0), .node(4, value: 0),
      .derive(2, .select(0), named: 0), .link(2, to: 4, named: 5), .link(4, to: 1, named: 6),
      .combine([2], named: 10), .listen(10, times: 0, then: [], named: 11),
      .derive(1, .scan(0), named: 12), .flatten(12, among: [], named: 13),
      .derive(3, .distinctUntilChanged, named: 14), .combine([12, 14], named: 22),
      .link(2, to: 13, named: 23), .listen(22, times: 0, then: [], named: 24), .set(12, to: 0),
    ]
    let comparison = Comparison(program, TwinMachine.self, EngineMachine.self, explain: true)
    #expect(comparison.difference == nil)
    #expect(comparison.told == 3)
  }

  /// Found at seed 6096: a combination that tells every value ran once more for what it had refused round a cycle, when the
  /// derivation opened that, so the two sides of the sync went round once more, and ended unequal.
  @Test func `4.6 what tells every value does not run again for what it refused`() {
    let program: Program = [
      .node(1, value: nil), .node(2, value: 34), .derive(1, .map(58), named: 4),
      .derived(among: [0, 4, 0, 12, 6], times: 6, named: 5), .derive(5, .ignore(0), named: 6),
      .combine([5, 2], named: 10), .everyValue([5, 10], named: 12), .everyValue([6, 5], named: 13),
      .set(1, to: 9, context: nil), .listen(13, times: 0, then: [], named: 14),
      .sync(13, with: 6, plus: 0, named: 0),
    ]
    let comparison = Comparison(program, TwinMachine.self, EngineMachine.self, explain: true)
    #expect(comparison.difference == nil)
    #expect(comparison.told == 2)
  }

  /// Found at seed 11221 of the rings: when a derivation opened one of two cycles, a join on the other one ran again too if
  /// something led to it from outside. Whether it did depended on which of the two was split off, so on where the nodes lie in memory.
  @Test func `5.2, 16.2 a join that stays on a cycle does not run again when another cycle opens`()
  {
    let program: Program = [
      .node(1, value: 0), .node(2, value: 0), .derived(among: [7, 0, 1], times: 2, named: 4),
      .combine([4], named: 5), .derive(5, .filter(3), named: 6),
      .derived(among: [6, 2], times: 2, named: 7), .set(1, to: 14),
      .sync(7, with: 6, plus: 1, named: 0), .set(1, to: 13),
    ]
    let different = (1...100).filter { _ in Self.differs(program) }
    #expect(different.isEmpty)
    let run = Run<TwinMachine>()
    program.forEach(run.apply)
    // The derivation has computed anew and left the other cycle; what stays on one keeps what it has.
    #expect(run.followed == [4: [1], 7: [6, 2, 6]])
    #expect(run.values == [1: 13, 2: 0, 4: 2, 5: 34, 6: 34, 7: 39])
  }

  /// Found at seed 115209, with events: the twin took the context of the second of two arrivals of one wave, both led
  /// back; it goes on with that of the first, as where none was.
  @Test func `of two arrivals of one wave that were led back the first one counts`() {
    let program: Program = [
      .node(1, value: nil), .withLatest(1, from: 1, named: 5),
      .flatten(5, among: [], everyValue: false, named: 7), .derive(5, .skip(0), named: 8),
      .merge([7], named: 9), .sync(9, with: 8, plus: 0, named: 0),
      .flattenCombine(8, among: [[5]], named: 20), .set(5, to: 0),
      .withLatest(7, from: 7, named: 22),
      .batch([.merge([20], named: 24)], throwing: false),
      .listen(
        24, times: 1,
        then: [
          .batch(
            [.listen(22, times: 1, then: [.set(9, to: 0, context: 0)], named: 3)],
            throwing: false),
          .link(1, to: 8, named: 6),
        ], named: 2),
    ]
    let comparison = Comparison(program, TwinMachine.self, EngineMachine.self, explain: true)
    #expect(comparison.difference == nil)
    #expect(comparison.told == 4)
  }
}

/// Runs the join that began to wait last, whatever its rank.
private final class HastyTwin: Twin {
  override func nextJoin(among waiting: [Node]) -> Node? { waiting.last }
}

private final class ImpatientTwin: Twin {
  override func waitsAgain(_ join: Node, _ route: Route) -> Bool {
    join.derivation == nil && super.waitsAgain(join, route)
  }
}

private final class ImpatientMachine: TwinMachine {
  required convenience init() { self.init(ImpatientTwin()) }
}

private final class KeepingMachine: TwinMachine {
  override func eventNode() -> Node { twin.node() }
}

private final class HastyMachine: TwinMachine {
  required convenience init() { self.init(HastyTwin()) }
}
