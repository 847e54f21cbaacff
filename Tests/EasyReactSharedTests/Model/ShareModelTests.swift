import Foundation
import Testing

/// Looks at every interleaving: depth first, each state once.
struct ShareExplorer {
  private(set) var states = 0
  private(set) var ends = 0
  private(set) var givenUp = 0
  private(set) var violation: String?

  init(_ start: ShareModel, breaking rules: ShareModel.Rules = []) {
    do { try explore(start, rules) } catch { violation = "\(error)" }
  }

  private mutating func explore(_ start: ShareModel, _ rules: ShareModel.Rules) throws {
    var seen: Set<ShareModel> = [start]
    var todo = [start]
    while let state = todo.popLast() {
      states += 1
      try state.check()
      let next = try state.after(rules)
      if next.isEmpty {
        ends += 1
        givenUp += state.processes.count { $0.gaveUp > 0 }
        try state.checkEnd()
      }
      for state in next where seen.insert(state).inserted { todo.append(state) }
    }
  }
}

@Suite(.watched) struct ShareModelTests {
  /// How many updates each process makes, how often the network loses something, and how many writers are remembered.
  struct Scenario: Sendable, CustomTestStringConvertible {
    var updates: [Int], losses: Int, trailLimit = 4
    var start: ShareModel {
      var model = ShareModel(
        processes: updates.map { ShareModel.Process(toDo: $0) }, losses: losses)
      model.setting.trailLimit = trailLimit
      return model
    }
    var testDescription: String { "\(updates), \(losses) losses, \(trailLimit) remembered" }
  }
  static let scenarios = [
    Scenario(updates: [1, 1], losses: 2), Scenario(updates: [1, 1], losses: 2, trailLimit: 0),
    Scenario(updates: [2, 1], losses: 1),
  ]

  /// The largest takes half a minute, and is left to `EASYREACT_SEEDS`, as more random programs are; mutants have all.
  static var usualScenarios: ArraySlice<Scenario> {
    ProcessInfo.processInfo.environment["EASYREACT_SEEDS"] == nil
      ? scenarios.prefix(2) : scenarios[...]
  }

  @Test(arguments: usualScenarios)
  func `20.2, 20.3, 20.6 the rules hold in every interleaving`(_ scenario: Scenario) async {
    await onThread { explore(scenario) }
  }

  private func explore(_ scenario: Scenario) {
    let explorer = ShareExplorer(scenario.start)
    #expect(explorer.violation == nil)
    #expect(explorer.ends > 0 && explorer.states > 1_000)
    // Nothing is ever given up while all writers are remembered; otherwise it is seen that it can happen.
    #expect((explorer.givenUp > 0) == (scenario.trailLimit < scenario.updates.count - 1))
    print(
      "\(scenario.testDescription): \(explorer.states) states, \(explorer.ends) ends, \(explorer.givenUp) given up"
    )
  }

  static let mutants: [(String, ShareModel.Rules)] = [
    ("writes anew after an unknown answer", .writesAnew),
    ("believes an unknown answer", .believesUnknown),
    ("believes a conflict", .believesConflict), ("ignores the trail", .ignoresTrail),
    ("ignores how far the trail reaches", .ignoresSince), ("takes late answers", .takesLateAnswers),
    ("takes old entries", .takesOldEntries), ("writes blindly", .writesBlindly),
    ("drops what was overtaken", .dropsOvertaken), ("tells its own again", .tellsOwn),
    ("finishes the first of what was written together", .finishesOne),
    ("finishes what waits behind what was written", .finishesAll),
  ]

  @Test(arguments: mutants.indices)
  func `20.2, 20.3, 20.6 each rule is needed`(_ index: Int) async {
    await onThread { breakRule(index) }
  }

  private func breakRule(_ index: Int) {
    let found = Self.scenarios.lazy.compactMap {
      ShareExplorer($0.start, breaking: Self.mutants[index].1).violation
    }.first
    #expect(found != nil, "nothing finds that it \(Self.mutants[index].0)")
  }
}
