import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

@testable import EasyReactShared

/// A random program of several machines on a store that misbehaves, and what must be true of its history.
struct ConvergenceRun {
  enum Kind: CaseIterable, Sendable {
    /// Only sets, each of a value of its own, so what was told can be compared with the store.
    case sets
    case everything
    case counter
    case merge
    /// Everything, on a store that is not exact. All end equal, with what it has; more is not promised.
    case inexact
  }
  let seed: UInt64
  let kind: Kind
  private var dice: Dice
  private let world = World()
  private var machines: [Machine] = []
  private var writers: [UInt64] = []
  private let script = Script()
  /// Of machines that ended before the store had everything.
  private var ended: Set<UInt64> = []
  private var nextWriter: UInt64 = 1
  private(set) var entryCount = 0, valueCount = 0

  init(seed: UInt64, kind: Kind) {
    (self.seed, self.kind) = (seed, kind)
    dice = Dice(seed: seed)
  }

  mutating func run() throws {
    let entries = Entries()
    let watching = world.memory.watch("key", after: nil) { event in
      if case .entry(let entry) = event { entries.add(entry) }
    }
    for _ in 0..<(2 + dice.below(2)) { addMachine() }
    if kind != .sets {  // a value to begin with
      step(.set(0), 0)
      world.settle()
    }
    // Short, where only the end is looked at.
    for _ in 0..<(kind == .inexact ? 4 + dice.below(8) : 10 + dice.below(40)) { act() }
    quieten()
    watching.cancel()
    entryCount = entries.all.count
    let history = try History(entries.all, script.steps)
    valueCount = history.written.count
    try check(history)
  }

  private final class Entries: Sendable {
    private let entries = Mutex<[StoreEntry]>([])
    var all: [StoreEntry] { entries.withLock { $0 } }
    func add(_ entry: StoreEntry) { entries.withLock { $0.append(entry) } }
  }

  /// What every machine has done, in its order, also from listeners.
  private final class Script: Sendable {
    private struct State {
      var steps: [UInt64: [History.Step]] = [:]
      var nextValue = 1
      var replies = 0
    }
    private let state = Mutex(State())
    var steps: [UInt64: [History.Step]] { state.withLock { $0.steps } }

    func nextUnique() -> Int {
      state.withLock {
        $0.nextValue += 1
        return $0.nextValue
      }
    }

    func perform(_ step: History.Step, on node: SharedNode<Int>, _ writer: UInt64) {
      state.withLock { $0.steps[writer, default: []].append(step) }
      switch step {
      case .set(let value): node.value = value
      case .clean: node.clean()
      case .add(let value): node.update { $0 += value }
      }
    }

    /// Sets the node when it hears some values: a few times.
    func reply(to value: Int, on node: SharedNode<Int>, _ writer: UInt64) {
      let mayReply = state.withLock { state in
        if value % 7 != 0 || state.replies > 20 { return false }
        state.replies += 1
        return true
      }
      if mayReply { perform(.set(nextUnique()), on: node, writer) }
    }
  }

  // MARK: What happens

  private mutating func addMachine() {
    let telling: SharedTelling = dice.below(2) == 0 ? .newest : .every
    let sum: Machine.Merge = { base, mine, theirs in (mine ?? 0) + (theirs ?? 0) - (base ?? 0) }
    let merge = kind == .merge ? sum : nil
    let machine = world.machine(nextWriter, telling: telling, merge: merge)
    if telling == .newest { machine.store.skipEntries() }
    // So few go into one entry that what waits is computed in two parts, and taken in together.
    if dice.below(2) == 0 { machine.node.replica.state.valuesAtOnce = 1 + dice.below(3) }
    // So that a write may pass another one's entry on its way.
    if kind == .inexact { machine.store.slowDown(.milliseconds(1 + dice.below(20))) }
    machines.append(machine)
    writers.append(nextWriter)
    if kind == .sets, dice.below(2) == 0 {
      machine.node.listen(by: machine.node) { [script, nextWriter] node, value in
        script.reply(to: value, on: node, nextWriter)
      }
    }
    nextWriter += 1
    // What is merged must have a base.
    if kind == .merge { world.clock.advance(by: .seconds(1)) }
  }

  private func step(_ step: History.Step, _ index: Int) {
    script.perform(step, on: machines[index].node, writers[index])
  }

  private mutating func act() {
    let index = dice.below(machines.count)
    switch dice.below(22) {
    case 0..<8: program(index)
    case 8..<13: world.clock.advance(by: .milliseconds(dice.below(30)))
    case 13..<16:
      let faults = (0..<(1 + dice.below(4))).map { _ in nextFault() }
      machines[index].store.plan(faults, delays: faults.map { _ in dice.below(80) })
    case 16: machines[index].store.disconnect()
    case 17, 18: machines[index].store.connect()
    case 19, 20: machines[index].store.slowDown(.milliseconds(dice.below(40)))
    default: restart(index)
    }
  }

  private mutating func nextFault() -> FaultyStore.Fault {
    if kind == .inexact, dice.below(2) == 0 { return .inexact }
    return FaultyStore.Fault.allCases[dice.below(7)]
  }

  private mutating func program(_ index: Int) {
    switch kind {
    case .sets: step(.set(script.nextUnique()), index)
    case .counter: step(.add(1), index)
    case .merge:
      // A counter of sets.
      guard let value = machines[index].node.value else { return }
      step(.set(value + 1), index)
    case .everything, .inexact:
      switch dice.below(6) {
      case 0, 1: step(.set(script.nextUnique() * 1_000), index)
      case 2: step(.clean, index)
      default: step(.add(1), index)
      }
    }
  }

  /// A machine ends as one whose plug is pulled, and another one starts.
  private mutating func restart(_ index: Int) {
    guard dice.below(3) == 0, machines.count > 1 else { return }
    ended.insert(writers[index])
    let store = machines[index].store
    store.forgetPlan()
    store.disconnect()
    store.die()
    machines.remove(at: index)
    writers.remove(at: index)
    addMachine()
  }

  private func quieten() {
    for machine in machines {
      if kind != .inexact { machine.store.forgetPlan() }
      machine.store.connect()
    }
    world.settle()
  }

  // MARK: What must be true

  private func check(_ history: History) throws {
    if kind != .inexact {
      try history.check(merged: kind == .merge)
      try history.checkOrder()
    }
    for (index, machine) in machines.enumerated() {
      guard machine.node.value == history.written.last?.value else {
        throw History.Wrong(
          "\(writers[index]) holds \(machine.node.value as Int?), the store \(history.written.last?.value as Int?)"
        )
      }
      guard machine.node.status.value?.isSettled == true else {
        throw History.Wrong("\(writers[index]) is not settled: \(machine.node.status.value!)")
      }
      if let last = machine.told.values.last, let value = machine.node.value, last != value {
        throw History.Wrong("\(writers[index]) told \(last) at last and holds \(value)")
      }
      if kind == .inexact { continue }
      try checkAcknowledged(machine, history)
      try checkNothingLost(writers[index], history)
      if kind == .sets { try checkTold(machine, writers[index], history) }
    }
    if kind == .counter || kind == .merge { try checkTotal(history) }
  }

  private func checkAcknowledged(_ machine: Machine, _ history: History) throws {
    for (revision, write) in machine.store.acknowledged {
      let envelope = try Envelope.open(write.bytes, key: "key").envelope
      let found = history.written.first { $0.revision == revision }
      if found?.envelope != envelope {
        throw History.Wrong("write \(revision) was acknowledged and is not there")
      }
    }
  }

  /// All that a machine did that lives is in the store, but an update that found nothing.
  private func checkNothingLost(_ writer: UInt64, _ history: History) throws {
    for (index, step) in (script.steps[writer] ?? []).enumerated()
    where !history.hasStep(index + 1, of: writer) {
      if case .add = step, kind == .everything { continue }
      throw History.Wrong("\(step), the step \(index + 1) of \(writer), was lost")
    }
  }

  private func checkTold(_ machine: Machine, _ writer: UInt64, _ history: History) throws {
    let all = history.written.compactMap(\.value)
    let own = Set(
      (script.steps[writer] ?? []).compactMap {
        if case .set(let value) = $0 { value } else { nil }
      })
    let told = machine.told.values
    guard machine.node.telling == .every else {
      guard isSubsequence(told, of: all) else {
        throw History.Wrong("told \(told), which is no subsequence of \(all)")
      }
      return
    }
    // Of others every one, once, in the store's order.
    let theirs = told.filter { !own.contains($0) }
    let expected = theirs.first.map { first in
      all[all.firstIndex(of: first)!...].filter { !own.contains($0) }
    }
    if theirs != expected ?? [] {
      throw History.Wrong("told \(theirs) of others, and not every one of \(expected ?? [])")
    }
    try checkOwn(told, own, writer)
  }

  /// Of one's own each at once, in the order in which it was set; again only behind what another set, and only the last.
  private func checkOwn(_ told: [Int], _ own: Set<Int>, _ writer: UInt64) throws {
    var seen: [Int] = []
    for (index, value) in told.enumerated() where own.contains(value) {
      if !seen.contains(value) {
        seen.append(value)
      } else if value != seen.last || own.contains(told[index - 1]) {
        throw History.Wrong("told \(value) of its own again: \(told)")
      }
    }
    let made = (script.steps[writer] ?? []).compactMap { step -> Int? in
      if case .set(let value) = step { value } else { nil }
    }
    if seen != made { throw History.Wrong("told \(seen) of its own \(made)") }
  }

  /// Each update counts once; of a machine that ended those that came through.
  private func checkTotal(_ history: History) throws {
    let adding = history.written.count { entry in
      if case .set(0) = script.steps[entry.envelope.writer]![Int(entry.sequence) - 1] {
        return false
      }
      return true
    }
    let living = writers.reduce(0) {
      $0 + (script.steps[$1] ?? []).count { if case .set(0) = $0 { false } else { true } }
    }
    let dead =
      history.written.count { ended.contains($0.envelope.writer) }
      - (ended.contains(1) ? 1 : 0)
    guard history.written.last?.value == adding, adding == living + dead else {
      throw History.Wrong(
        "\(adding) were added, and the total is \(history.written.last?.value as Int?)")
    }
  }
}

struct Dice {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
  mutating func below(_ bound: Int) -> Int {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % bound
  }
}

@Suite(.watched) struct ConvergenceTests {
  @Test(arguments: ConvergenceRun.Kind.allCases)
  func `20.2, 20.3, 20.4, 20.6 replicas converge, whatever store and network do`(
    _ kind: ConvergenceRun.Kind
  ) async {
    await onThread { run(kind) }
  }

  private func run(_ kind: ConvergenceRun.Kind) {
    let count = ProcessInfo.processInfo.environment["EASYREACT_SEEDS"].flatMap { UInt64($0) } ?? 300
    let first = ProcessInfo.processInfo.environment["EASYREACT_SEED"].flatMap { UInt64($0) } ?? 1
    var entries = 0, values = 0
    for seed in first..<(first + count) {
      var run = ConvergenceRun(seed: seed, kind: kind)
      do { try run.run() } catch {
        Issue.record("seed \(seed), \(kind): \(error)")
        return
      }
      entries += run.entryCount
      values += run.valueCount
    }
    #expect(entries > count)  // something was written
    #expect(values > entries + entries / 10)  // and several values at once
    print("\(kind): \(count) programs from seed \(first), \(entries) entries, \(values) values")
  }
}
