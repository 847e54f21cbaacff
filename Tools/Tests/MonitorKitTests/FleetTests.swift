import EasyReact
import EasyReactShared
import EasyReactTesting
import Foundation
import Synchronization
import Testing

@testable import MonitorKit

/// A store whose connection breaks when the test says so.
private final class BreakableStore: SharedStore {
  let inner: MemoryStore
  let present = MutableNode<StoreConnection>(.connected)
  init(_ inner: MemoryStore) { self.inner = inner }

  var nodes: SharedNodes { inner.nodes }
  var scheduler: any NodeScheduler { inner.scheduler }
  var connection: Node<StoreConnection> { present }
  func get(
    _ key: String, _ completion: @escaping @Sendable (Result<StoreEntry?, SharedProblem>) -> Void
  ) { inner.get(key, completion) }
  func write(_ write: StoreWrite, _ completion: @escaping @Sendable (StoreAnswer) -> Void) {
    inner.write(write, completion)
  }
  func watch(
    _ key: String, after revision: UInt64?, _ handler: @escaping @Sendable (StoreEvent) -> Void
  ) -> any Cancelable { inner.watch(key, after: revision, handler) }
}

/// A fleet in virtual time.
private struct Fleet {
  let clock = VirtualScheduler()
  let memory: MemoryStore
  let store: BreakableStore
  let graph: FleetGraph
  let failures = Failures()

  init() {
    memory = MemoryStore(on: clock)
    store = BreakableStore(MemoryStore(sharing: memory, on: clock))
    graph = FleetGraph(store, every: .seconds(1), on: clock)
  }

  func machine(_ name: String, session: UInt64 = 1, started: UInt64 = 0) -> Machine {
    Machine(
      name, session, started, MemoryStore(sharing: memory, on: clock)
    ) { [failures] in failures.add("\(name) \(session): \($0)") }
  }

  /// A second, in which all of `machines` report.
  func second(_ machines: Machine...) {
    for machine in machines { machine.report() }
    clock.advance(by: .seconds(1))
  }

  var report: FleetReport { graph.report.current }
  func condition(_ name: String) -> FleetMachine.Condition? {
    report.machines.first { $0.name == name }?.condition
  }
}

private final class Failures: Sendable {
  private let texts = Mutex<[String]>([])
  var all: [String] { texts.withLock { $0 } }
  func add(_ text: String) { texts.withLock { $0.append(text) } }
}

/// A monitor's graph, fed with the cpu load that the test says, and shared.
private final class Machine: Sendable {
  let share: MachineShare
  private let graph = MonitorGraph()
  private let counters = Mutex((second: 0, busy: UInt64(0)))

  init(
    _ name: String, _ session: UInt64, _ started: UInt64, _ store: MemoryStore,
    taken: @escaping @Sendable (MonitorFailure) -> Void
  ) {
    share = MachineShare(
      graph, .init(name: name, interval: .seconds(1), started: started, session: session),
      in: store, taken: taken)
  }

  func report(cpu: UInt64 = 20) {
    let (second, busy) = counters.withLock { counters in
      defer { counters = (counters.second + 1, counters.busy + cpu) }
      return counters
    }
    graph.feed(
      .at(Double(second)) {
        $0.cores = [CoreTimes("cpu0", busy: busy, idle: UInt64(second) * 100 - busy)]
      })
  }
}

@Suite struct `The graph of a fleet` {
  @Test func `of nobody is empty, and says so`() {
    let fleet = Fleet()
    fleet.clock.advance(by: .seconds(2))
    #expect(fleet.report.machines == [] && fleet.report.summary == "0 machines")
  }

  @Test func `names the machines in order, the busiest, and the alarms of all`() {
    let fleet = Fleet()
    let ten = fleet.machine("web10"), two = fleet.machine("web2", session: 2)
    for _ in 0..<7 {
      ten.report(cpu: 96)
      fleet.second(two)
    }
    #expect(fleet.report.machines.map(\.name) == ["web2", "web10"])
    #expect(fleet.report.machines.allSatisfy { $0.condition == .up })
    #expect(fleet.report.busiest?.name == "web10")
    #expect(fleet.report.alarms.map(\.machine) == ["web10"])
    #expect(
      fleet.report.line.hasSuffix(
        "ALARM  2 machines; busiest web10, cpu 96 %  web10: cpu busy 96 %")
    )
  }

  @Test func `sees that a machine went quiet after three intervals, and that it came back`() {
    let fleet = Fleet()
    let one = fleet.machine("one"), other = fleet.machine("other", session: 2)
    for _ in 0..<3 { fleet.second(one, other) }
    // Heard last when two seconds had passed; now it is five.
    for _ in 0..<2 { fleet.second(other) }
    #expect(fleet.condition("one") == .up)
    fleet.second(other)
    #expect(fleet.report.quiet == ["one"])
    #expect(fleet.report.line.hasSuffix("2 machines, 1 quiet; busiest other, cpu 20 %  quiet: one"))
    #expect(fleet.report.busiest?.name == "other")
    fleet.second(one, other)
    #expect(fleet.condition("one") == .up && fleet.report.quiet == [])
  }

  @Test func `forgets a machine that was killed after ten minutes, until it is heard again`() {
    let fleet = Fleet()
    let one = fleet.machine("one"), killed = fleet.machine("killed", session: 2)
    for _ in 0..<3 { fleet.second(one, killed) }
    // Heard last when two seconds had passed.
    for _ in 3..<601 { fleet.second(one) }
    #expect(fleet.condition("killed") == .quiet(.seconds(599)))
    #expect(fleet.report.quiet == ["killed"] && fleet.report.forgotten == 0)
    fleet.second(one)
    #expect(fleet.report.machines.map(\.name) == ["one"])
    #expect(fleet.report.quiet == [] && fleet.report.forgotten == 1)
    #expect(fleet.report.summary == "1 machine, 1 forgotten; busiest one, cpu 20 %")
    #expect(fleet.report.json.contains(#""forgottenCount":1"#))
    fleet.second(one, killed)
    #expect(fleet.condition("killed") == .up && fleet.report.forgotten == 0)
  }

  @Test func `forgets as soon as it is told, and says that nobody is left`() {
    let clock = VirtualScheduler()
    let store = MemoryStore(on: clock)
    let graph = FleetGraph(store, every: .seconds(1), forgettingAfter: .seconds(5), on: clock)
    let machine = Machine("one", 1, 0, MemoryStore(sharing: store, on: clock)) { _ in }
    machine.report()
    clock.advance(by: .seconds(4))
    #expect(graph.report.current.quiet == ["one"])
    clock.advance(by: .seconds(2))
    let report = graph.report.current
    #expect(report.machines == [] && report.summary == "0 machines, 1 forgotten")
    let lines = report.screen(ScreenShape(columns: 80, rows: 24)).map {
      $0.text(width: 80, colours: false)
    }
    #expect(!lines.contains { $0.contains("no machine yet") })
  }

  @Test func `judges nobody by silence while the store cannot be reached`() {
    let fleet = Fleet()
    let one = fleet.machine("one")
    fleet.second(one)
    let problem = SharedProblem(.unreachable, "gone", at: "here", remedy: "Wait.")
    fleet.store.present.value = .disconnected(problem)
    fleet.clock.advance(by: .seconds(3_600))
    #expect(fleet.condition("one") == .up && fleet.report.forgotten == 0)
    #expect(fleet.report.notes == ["no connection: gone (here). Wait."])
    #expect(fleet.report.line.contains("LOST"))
    fleet.store.present.value = .connected
    fleet.clock.advance(by: .seconds(3))
    #expect(fleet.condition("one") == .up && fleet.report.notes == [])
    fleet.clock.advance(by: .seconds(1))
    #expect(fleet.report.quiet == ["one"] && fleet.report.forgotten == 0)
  }

  @Test func `keeps what it heard of a machine when others come and go`() {
    let fleet = Fleet()
    let one = fleet.machine("one")
    fleet.second(one)
    for name in ["a", "b", "c", "d"] {
      let passing = fleet.machine(name, session: 9)
      fleet.second(passing)
      passing.share.leave(within: .zero)
    }
    fleet.clock.advance(by: .milliseconds(1))
    #expect(fleet.report.machines.map(\.name) == ["one"])
    #expect(fleet.report.quiet == ["one"])
  }

  @Test func `lists a machine again when the store has lost the list`() {
    let fleet = Fleet()
    let one = fleet.machine("one")
    fleet.second(one)
    fleet.memory.delete("machines") { _ in }
    fleet.second(one)
    #expect(fleet.report.machines.map(\.name) == ["one"])
  }

  @Test func `says of a machine of another version what to do`() {
    let fleet = Fleet()
    let one = fleet.machine("one")
    fleet.second(one)
    let future = MemoryStore(sharing: fleet.memory, on: fleet.clock)
    let node = future.node("machine/one", of: [String: Int].self)
    fleet.clock.advance(by: .milliseconds(1))
    node.value = ["format": 2]
    fleet.clock.advance(by: .seconds(1))
    guard case .unreadable(let problem)? = fleet.condition("one") else {
      Issue.record("\(fleet.report)")
      return
    }
    #expect(problem.contains("it reports in format 2, and this easyreact knows 1"))
    #expect(fleet.report.line.contains("unreadable: one"))
    #expect(fleet.report.busiest == nil)
    // Nobody knows whether it is quiet.
    fleet.clock.advance(by: .seconds(1_000))
    #expect(fleet.report.machines.map(\.name) == ["one"] && fleet.report.forgotten == 0)
  }

  @Test func `passes over quantities that it does not know`() throws {
    let json =
      #"{"format":1,"session":1,"started":2,"beat":3,"intervalMilliseconds":500,"#
      + #""levels":{"cpuBusy":5,"gpuBusy":7},"alarms":{"gpuBusy":99},"new":true}"#
    let report = try JSONDecoder().decode(MachineReport.self, from: Data(json.utf8))
    #expect(report.levels == [.cpuBusy: 5] && report.alarms == [:])
    #expect(report.interval == .milliseconds(500))
    let again = try JSONDecoder().decode(
      MachineReport.self, from: JSONEncoder().encode(report))
    #expect(again == report)
  }

  @Test func `is one graph, from the shared nodes to the report`() {
    let fleet = Fleet()
    let one = fleet.machine("one")
    fleet.second(one)
    let dot = fleet.graph.report.dot()
    for name in ["machines", "machine/one", "busiest machine", "alarms over all", "gone quiet"] {
      #expect(dot.contains(name))
    }
  }
}

@Suite struct `A name in a fleet` {
  @Test func `that a living machine has is refused to the one that came later`() {
    let fleet = Fleet()
    let first = fleet.machine("one", session: 7, started: 100)
    for _ in 0..<3 { fleet.second(first) }
    let second = fleet.machine("one", session: 8, started: 200)
    for _ in 0..<5 { fleet.second(first, second) }
    #expect(fleet.failures.all.count == 1)
    #expect(
      fleet.failures.all.first?.hasPrefix(
        "one 8: Another easyreact monitor shares under the name 'one'")
        == true)
    second.share.leave(within: .zero)
    for _ in 0..<2 { fleet.second(first, second) }
    #expect(fleet.condition("one") == .up && fleet.report.machines[0].report?.session == 7)
  }

  @Test func `that a machine left behind which was killed is taken over`() {
    let fleet = Fleet()
    let first = fleet.machine("one", session: 7, started: 100)
    for _ in 0..<3 { fleet.second(first) }
    let second = fleet.machine("one", session: 8, started: 200)
    for _ in 0..<10 { fleet.second(second) }
    #expect(fleet.failures.all == [])
    #expect(fleet.condition("one") == .up && fleet.report.machines[0].report?.session == 8)
  }

  @Test(arguments: ["", "a b", "web/1", ".one", "one.", "ä"])
  func `says what it may be`(_ name: String) {
    #expect(FleetNames.problem(with: name)?.contains("use letters, digits") == true)
    #expect(FleetNames.problem(with: FleetNames.thisMachine) == nil)
  }
}
