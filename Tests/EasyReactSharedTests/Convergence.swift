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
  }
  let seed: UInt64
  let kind: Kind
  private var dice: Dice
  private let world = World()
  private var machines: [Machine] = []
  private var writers: [UInt64] = []
  private var steps: [UInt64: [History.Step]] = [:]
  /// Of machines that ended before the store had everything.
  private var ended: Set<UInt64> = []
  private var nextValue = 1
  private var nextWriter: UInt64 = 1
  private var nextTelling = 0
  private var begun: [UInt64: Int] = [:]
  private(set) var entryCount = 0

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
    for _ in 0..<(10 + dice.below(40)) { act() }
    quieten()
    watching.cancel()
    entryCount = entries.all.count
    try check(try History(entries.all, steps))
  }

  private final class Entries: Sendable {
    private let entries = Mutex<[StoreEntry]>([])
    var all: [StoreEntry] { entries.withLock { $0 } }
    func add(_ entry: StoreEntry) { entries.withLock { $0.append(entry) } }
  }

  // MARK: What happens

  private mutating func addMachine() {
    let telling: SharedTelling = dice.below(2) == 0 ? .newest : .every
    let sum: Machine.Merge = { base, mine, theirs in (mine ?? 0) + (theirs ?? 0) - (base ?? 0) }
    let merge = kind == .merge ? sum : nil
    machines.append(world.machine(nextWriter, telling: telling, merge: merge))
    writers.append(nextWriter)
    steps[nextWriter] = []
    nextWriter += 1
    if kind == .merge { world.settle() }  // what is merged must have a base
  }

  private mutating func step(_ step: History.Step, _ index: Int) {
    steps[writers[index]]!.append(step)
    switch step {
    case .set(let value): machines[index].node.value = value
    case .clean: machines[index].node.clean()
    case .add(let value): machines[index].node.update { $0 += value }
    }
  }

  private mutating func act() {
    let index = dice.below(machines.count)
    switch dice.below(20) {
    case 0..<8: program(index)
    case 8..<13: world.clock.advance(by: .milliseconds(dice.below(30)))
    case 13..<16:
      let faults = (0..<(1 + dice.below(4))).map { _ in FaultyStore.Fault.allCases[dice.below(6)] }
      machines[index].store.plan(faults, delays: faults.map { _ in dice.below(80) })
    case 16: machines[index].store.disconnect()
    case 17, 18: machines[index].store.connect()
    default: restart(index)
    }
  }

  private mutating func program(_ index: Int) {
    switch kind {
    case .sets: step(.set(nextUnique()), index)
    case .counter: step(.add(1), index)
    case .merge:
      // A counter of sets.
      guard let value = machines[index].node.value else { return }
      step(.set(value + 1), index)
    case .everything:
      switch dice.below(6) {
      case 0, 1: step(.set(nextUnique() * 1_000), index)
      case 2: step(.clean, index)
      default: step(.add(1), index)
      }
    }
  }

  private mutating func nextUnique() -> Int {
    nextValue += 1
    return nextValue
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
      machine.store.forgetPlan()
      machine.store.connect()
    }
    world.settle()
  }

  // MARK: What must be true

  private func check(_ history: History) throws {
    try history.check(merged: kind == .merge)
    try history.checkOrder()
    for (index, machine) in machines.enumerated() {
      guard machine.node.value == history.written.last?.value else {
        throw History.Wrong("\(writers[index]) holds \(machine.node.value as Int?), the store \(history.written.last?.value as Int?)")
      }
      guard machine.node.status.value?.isSettled == true else {
        throw History.Wrong("\(writers[index]) is not settled: \(machine.node.status.value!)")
      }
      if let last = machine.told.values.last, let value = machine.node.value, last != value {
        throw History.Wrong("\(writers[index]) told \(last) at last and holds \(value)")
      }
      try checkAcknowledged(machine, history)
      try checkNothingLost(writers[index], history)
      if kind == .sets { try checkTold(machine, history) }
    }
    if kind == .counter || kind == .merge { try checkTotal(history) }
  }

  private func checkAcknowledged(_ machine: Machine, _ history: History) throws {
    for (revision, write) in machine.store.acknowledged {
      let (envelope, _) = try Envelope.open(write.bytes, key: "key")
      let found = history.written.first { $0.revision == revision }
      if found?.envelope != envelope { throw History.Wrong("write \(revision) was acknowledged and is not there") }
    }
  }

  /// All that a machine did that lives is in the store, but an update that found nothing.
  private func checkNothingLost(_ writer: UInt64, _ history: History) throws {
    for (index, step) in steps[writer]!.enumerated() where !history.hasStep(index + 1, of: writer) {
      if case .add = step, kind == .everything { continue }
      throw History.Wrong("\(step), the step \(index + 1) of \(writer), was lost")
    }
  }

  private func checkTold(_ machine: Machine, _ history: History) throws {
    let all = history.written.compactMap(\.value)
    let told = lastOccurrences(machine.told.values).filter { all.contains($0) }
    guard isSubsequence(told, of: all) else {
      throw History.Wrong("told \(told), which is no subsequence of \(all)")
    }
    if machine.node.telling == .every, let first = told.first {
      let expected = Array(all[all.firstIndex(of: first)!...])
      if told != expected { throw History.Wrong("told \(told), and not every one of \(expected)") }
    }
  }

  /// Each update counts once; of a machine that ended those that came through.
  private func checkTotal(_ history: History) throws {
    let adding = history.written.count { entry in
      if case .set(0) = steps[entry.envelope.writer]![Int(entry.envelope.sequence) - 1] { return false }
      return true
    }
    let living = writers.reduce(0) { $0 + steps[$1]!.count { if case .set(0) = $0 { false } else { true } } }
    let dead = history.written.count { ended.contains($0.envelope.writer) }
      - (ended.contains(1) ? 1 : 0)
    guard history.written.last?.value == adding, adding == living + dead else {
      throw History.Wrong("\(adding) were added, and the total is \(history.written.last?.value as Int?)")
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

@Suite struct ConvergenceTests {
  @Test(arguments: ConvergenceRun.Kind.allCases)
  func `20.2, 20.3, 20.4, 20.6 replicas converge, whatever store and network do`(_ kind: ConvergenceRun.Kind) {
    let count = ProcessInfo.processInfo.environment["EASYREACT_SEEDS"].flatMap { UInt64($0) } ?? 1_000
    let first = ProcessInfo.processInfo.environment["EASYREACT_SEED"].flatMap { UInt64($0) } ?? 1
    var entries = 0
    for seed in first..<(first + count) {
      var run = ConvergenceRun(seed: seed, kind: kind)
      do { try run.run() } catch {
        Issue.record("seed \(seed), \(kind): \(error)")
        return
      }
      entries += run.entryCount
    }
    #expect(entries > count)  // something was written
    print("\(kind): \(count) programs from seed \(first), \(entries) entries")
  }
}
