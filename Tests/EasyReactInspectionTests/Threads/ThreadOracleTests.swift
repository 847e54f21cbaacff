import EasyReact
import EasyReactInspection
import Foundation
import Synchronization
import Testing

/// What the recorder and the oracle say of one random net.
private struct Comparison {
  private(set) var difference: String?
  private(set) var compared = 0
  /// How often each reason was met, and how many sets ended at several places.
  private(set) var reasons: [String: Int] = [:]

  private mutating func compare(
    _ recorder: GraphRecorder, _ run: NetRun, _ oracle: NetOracle, _ moment: String
  ) {
    var names: [UInt64: Int] = [:]
    for node in run.net.pieces.indices {
      names[run.entries[node].id] = node
      names[run.nodes[node].id] = node
    }
    let records = recorder.records
    precondition(records.dropped == 0)
    for target in run.net.pieces.indices {
      for answer in records.whyNot(run.nodes[target].id, since: 0).answers {
        guard let set = answer.set.context.flatMap({ Int($0) }) else { continue }
        let expected = oracle.answer(set, target)
        let recorded = oracle.withoutTurns(NetOracle.Answer(answer, names), set)
        compared += 1
        for end in expected.ends { reasons[String(end.split(separator: " ")[1]), default: 0] += 1 }
        if expected.ends.count > 1 { reasons["several", default: 0] += 1 }
        if recorded == expected || difference != nil { continue }
        difference =
          "\(moment), set \(set) to node \(target): expected \(expected), recorded \(recorded)"
        difference! += "\n" + records.way(of: answer.set.sequence, names)
        difference! += "\nits listener heard \(run.told[target]); all that was recorded of it:\n"
        difference! += records.all(of: run.nodes[target].id, names)
      }
    }
  }

  static func of(_ net: Net) async -> Comparison {
    let recorder = GraphRecorder(events: 200_000)
    recorder.start()
    defer { recorder.stop() }
    let run = NetRun(net), comparison = Mutex(Comparison())
    for phase in net.phases.indices {
      await run.run(phase)
      comparison.withLock {
        $0.compare(recorder, run, run.oracle(net, phase), "after phase \(phase)")
      }
    }
    if let gate = net.gate { await close(gate, run, recorder, comparison) }
    return comparison.withLock { $0 }
  }

  private static func close(
    _ gate: Int, _ run: NetRun, _ recorder: GraphRecorder, _ comparison: borrowing Mutex<Comparison>
  ) async {
    var net = run.net
    let id = net.newId()
    let calls = net.sources.map { node in [Net.Call.set(node, id: net.newId(), number: node)] }
    let seen = Mutex<Comparison?>(nil), before = comparison.withLock { $0 }
    let (changed, phase) = (net, net.phases.count)
    await run.runClosed(.set(gate, id: id, number: 1), phase, calls) {
      var now = before
      let oracle = run.oracle(
        changed, phase, calls + [[.set(gate, id: id, number: 1)]], .init(gate: gate, set: id))
      now.compare(recorder, run, oracle, "while node \(gate) is told")
      seen.withLock { $0 = now }
    }
    let oracle = run.oracle(net, phase, calls + [[.set(gate, id: id, number: 1)]])
    var last = seen.withLock { $0 }!
    last.compare(recorder, run, oracle, "at last")
    comparison.withLock { $0 = last }
  }
}

extension GraphRecords {
  /// All that a set caused, for whoever looks into a failure.
  fileprivate func way(of set: UInt64, _ names: [UInt64: Int]) -> String {
    var caused: Set = [set]
    for event in events where !caused.isDisjoint(with: event.causes) {
      caused.insert(event.sequence)
    }
    return text(caused.sorted().compactMap { event($0) }, names)
  }

  fileprivate func all(of node: UInt64, _ names: [UInt64: Int]) -> String {
    text(events.filter { $0.node == node || $0.other == node }, names)
  }

  private func text(_ events: [EventRecord], _ names: [UInt64: Int]) -> String {
    func name(_ node: UInt64?) -> String { node.map { names[$0].map(String.init) ?? "?" } ?? "-" }
    return events.map { event in
      "  \(event.sequence) \(event.kind) \(name(event.node)) from \(name(event.other)) wave \(event.wave) "
        + "\(event.context.map { "context \($0) " } ?? "")\(event.new.map { "value \($0) " } ?? "")"
        + "thread \(event.thread) edge \(event.edge ?? 0) causes \(event.causes) \(event.stop?.rawValue ?? "")"
    }.joined(separator: "\n")
  }
}

extension NetRun {
  /// By what was heard so far; `calls`: of a phase of their own behind the others.
  fileprivate func oracle(
    _ net: Net, _ phase: Int, _ calls: [[Net.Call]] = [], _ closed: NetOracle.Closed? = nil
  ) -> NetOracle {
    var sets = made.mapValues { NetOracle.Made(node: $0.node, phase: $0.phase) }
    for (number, threads) in (net.phases.map(\.threads) + [calls]).enumerated() {
      for call in threads.joined() {
        switch call {
        case .set(let node, let id, _): sets[id] = .init(node: node, phase: number)
        case .batch(let all): for set in all { sets[set.id] = .init(node: set.node, phase: number) }
        }
      }
    }
    return NetOracle(net, told: told, made: sets, phase: phase, closed: closed)
  }
}

extension NetOracle.Answer {
  fileprivate init(_ answer: WhyNot.Answer, _ names: [UInt64: Int]) {
    self.init(outcome: answer.outcome)
    for end in answer.ends {
      let reason =
        switch end.reason {
        case .stopped(let stop): stop.rawValue
        case .emptinessDoesNotPass: "emptinessDoesNotPass"
        case .notPassedOn: "notPassedOn"
        case .cutBefore: "cutBefore"
        }
      ends.insert("\(names[end.downstream].map(String.init) ?? "?") \(reason)")
    }
  }
}

extension `18 A graph that explains itself` {
  @Suite struct ThreadOracle {
    /// EASYREACT_ORACLE_NETS: how many. EASYREACT_ORACLE_SEED: the first seed, the same each time as with `Oracle`.
    @Test
    func
      `18.2 whyNot is exact across threads and timers, for all stops, and for ways that were cut before`()
      async
    {
      let environment = ProcessInfo.processInfo.environment
      let count = environment["EASYREACT_ORACLE_NETS"].flatMap { Int($0) } ?? 40
      let first = environment["EASYREACT_ORACLE_SEED"].flatMap { UInt64($0) } ?? 1
      // Found once: a set came into a combine by one way, and ended there by another, for it had been cut meanwhile; a way was cut from its far
      // end; a scheduler was faster than the record of what it was given; a combine held what its source had not yet passed on.
      let known: [UInt64] = [77_778_396, 200_000_088, 300_000_157, 400_000_185]
      var compared = 0, reasons: [String: Int] = [:]
      for seed in known + (first..<first + UInt64(count)) {
        let comparison = await Comparison.of(Net(seed: seed))
        compared += comparison.compared
        reasons.merge(comparison.reasons, uniquingKeysWith: +)
        guard let difference = comparison.difference else { continue }
        Issue.record("seed \(seed): \(difference)\n\(Net(seed: seed).source)")
        return
      }
      print("thread oracle: seeds from \(first), \(compared) answers compared, \(reasons)")
      #expect(compared > 100 * count)
    }
  }
}
