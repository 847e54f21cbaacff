import EasyReact
import EasyReactInspection
import Foundation
import Testing

extension `18 A graph that explains itself` {
  /// What answers `whyNot` fast says what its readable twin says.
  @Suite struct StopSearches {
    /// EASYREACT_STOP_SEARCHES: how many programs, and how many nets.
    private var count: Int {
      ProcessInfo.processInfo.environment["EASYREACT_STOP_SEARCHES"].flatMap { Int($0) } ?? 20
    }

    /// How many answers were compared, by outcome.
    private func compare(_ records: GraphRecords, _ name: String) -> [WhyNot.Outcome: Int] {
      var outcomes: [WhyNot.Outcome: Int] = [:]
      for node in records.nodes {
        let all = records.whyNot(node.id, since: 0), plain = PlainStopSearch(records, node.id)
        for answer in all.answers {
          var ends = answer.ends
          for place in ends.indices { ends[place].text = "" }
          let given = PlainStopSearch.Answer(outcome: answer.outcome, ends: ends)
          #expect(
            given == plain.answer(to: answer.set),
            "\(name): set \(answer.set.sequence) to node \(node.id)")
          outcomes[answer.outcome, default: 0] += 1
        }
        #expect(all.sources == plain.sources, "\(name): node \(node.id)")
        // Of one turn alone the same.
        let last = records.whyNot(node.id).answers
        #expect(
          last == all.answers.filter { answer in last.contains { $0.set == answer.set } },
          "\(name): node \(node.id)")
      }
      return outcomes
    }

    @Test
    func
      `18.2 whyNot of random programs, whole and with dropped events, is what a search from each set finds`()
    {
      var outcomes: [WhyNot.Outcome: Int] = [:]
      for seed in 1...UInt64(count) {
        let program = ProgramGenerator.program(seed: seed, hasEvents: seed % 2 == 0)
        let records = recorded(events: seed % 3 == 0 ? 60 : 100_000) { recorder in
          let run = Run<EngineMachine>()
          run.tellLimit = 1_000
          program.forEach(run.apply)
          return recorder.records
        }
        outcomes.merge(compare(records, "seed \(seed)"), uniquingKeysWith: +)
      }
      print("stop searches of programs: \(outcomes)")
      #expect(outcomes.count == 4)
    }

    @Test
    func `18.2 whyNot of random nets with timers and threads is what a search from each set finds`()
      async
    {
      var outcomes: [WhyNot.Outcome: Int] = [:]
      for seed in 1...UInt64(count) {
        let recorder = GraphRecorder(events: seed % 3 == 0 ? 200 : 200_000)
        recorder.start()
        let run = NetRun(Net(seed: seed))
        for phase in run.net.phases.indices { await run.run(phase) }
        recorder.stop()
        outcomes.merge(compare(recorder.records, "seed \(seed)"), uniquingKeysWith: +)
      }
      print("stop searches of nets: \(outcomes)")
      #expect(outcomes.count == 4)
    }
  }
}
