import EasyReact
import EasyReactTesting
import Synchronization
import Testing

@testable import MonitorKit

/// Feeds `samples` to a new graph and returns its reports.
func reports(_ samples: [Sample], limits: [Quantity: AlarmLimits] = [:]) -> [Report] {
  let graph = MonitorGraph(limits: limits)
  let recorder = Recorder(graph.report)
  for sample in samples { graph.feed(sample) }
  return recorder.values
}

extension Report {
  func now(_ quantity: Quantity) -> Double? { reading(quantity)?.now }
}

@Suite struct `The graph` {
  @Suite struct `from counters to rates` {
    @Test func `cores are busy for the share of ticks in which they did not rest`() {
      let report = reports([
        .at(0) {
          $0.cores = [CoreTimes("cpu0", busy: 0, idle: 0), .init("cpu1", busy: 5, idle: 5)]
        },
        .at(1) {
          $0.cores = [CoreTimes("cpu0", busy: 25, idle: 75), .init("cpu1", busy: 80, idle: 30)]
        },
      ])[1]
      #expect(
        report.cores == [
          CoreLoad(name: "cpu0", busyPercent: 25), CoreLoad(name: "cpu1", busyPercent: 75),
        ])
      #expect(report.now(.cpuBusy) == 50)
      #expect(report.now(.busiestCore) == 75)
      #expect(report.busiestCore?.name == "cpu1")
    }

    @Test func `bytes are counted by the second, whatever lies between two samples`() {
      func sample(_ seconds: Double, _ received: UInt64, _ sent: UInt64) -> Sample {
        .at(seconds) {
          $0.interfaces = [InterfaceCounters(device: "eth0", values: [received, sent])]
          $0.disks = [DiskCounters(device: "vda", values: [received, sent, received])]
        }
      }
      let all = reports([sample(0, 0, 0), sample(0.5, 100, 50), sample(2.5, 300, 50)])
      #expect(all.map { $0.now(.networkReceive) } == [nil, 200, 100])
      #expect(all.map { $0.now(.networkSend) } == [nil, 100, 0])
      #expect(all.map { $0.now(.diskRead) } == [nil, 102_400, 51_200])
      #expect(all.map { $0.now(.diskWrite) } == [nil, 51_200, 0])
      #expect(all.map { $0.now(.diskBusy) } == [nil, 20, 10])
    }

    @Test func `lo is shown but not in the totals`() {
      func sample(_ seconds: Double, _ bytes: UInt64) -> Sample {
        .at(seconds) {
          $0.interfaces = ["lo", "eth0", "eth1"].map {
            InterfaceCounters(device: $0, values: [bytes, bytes])
          }
        }
      }
      let report = reports([sample(0, 0), sample(1, 10)])[1]
      #expect(report.interfaces.map(\.name) == ["eth0", "eth1", "lo"])
      #expect(report.now(.networkReceive) == 20)
    }

    @Test func `pressure is the share of the time in which some task waited`() {
      func sample(_ seconds: Double, _ stalled: UInt64) -> Sample {
        .at(seconds) { $0.pressures = [PressureCounters(device: "io", values: [stalled, 0])] }
      }
      let report = reports([sample(0, 7), sample(2, 500_007)])[1]
      #expect(report.now(.ioPressure) == 25)
      #expect(report.now(.cpuPressure) == nil)
    }

    @Test func `memory, swap and load need no second sample`() {
      let report = reports([
        .at(0) {
          $0.memory = MemoryCounters(device: "", values: [200, 50, 100, 90])
          $0.load = LoadCounters(device: "", values: [300, 0, 0])
          $0.cores = (0..<4).map { CoreTimes("cpu\($0)", busy: 0, idle: 0) }
        }
      ])[0]
      #expect(report.now(.memoryUsed) == 75)
      #expect(report.now(.swapUsed).map { abs($0 - 10) < 1e-9 } == true)
      #expect(report.now(.loadPerCore) == 0.75)
      #expect(report.now(.cpuBusy) == nil)
    }

    @Test func `a counter that wraps or was reset gives a rate of zero for one sample`() {
      func sample(_ seconds: Double, _ bytes: UInt64) -> Sample {
        .at(seconds) {
          $0.interfaces = [InterfaceCounters(device: "eth0", values: [bytes, bytes])]
          $0.cores = [CoreTimes("cpu0", busy: bytes, idle: 0)]
        }
      }
      let all = reports([sample(0, .max - 5), sample(1, 5), sample(2, 25)])
      #expect(all.map { $0.now(.networkReceive) } == [nil, 0, 20])
      #expect(all.map { $0.now(.cpuBusy) } == [nil, 0, 100])
    }

    @Test func `a core whose wait for disks ran backwards is still between 0 and 100 %`() {
      var before = CoreTimes("cpu0", busy: 10, idle: 10)
      before.ioWait = 50
      var after = CoreTimes("cpu0", busy: 20, idle: 20)
      after.ioWait = 40
      #expect(after.busyPercent(since: before) == 50)
    }

    @Test func `devices that vanish drop out, and new ones come in with their second sample`() {
      func sample(_ seconds: Double, _ names: [String]) -> Sample {
        .at(seconds) {
          $0.interfaces = names.map {
            InterfaceCounters(device: $0, values: [UInt64(seconds * 10), 0])
          }
        }
      }
      let all = reports([
        sample(0, ["a", "b"]), sample(1, ["b"]), sample(2, ["c", "b"]), sample(3, ["c"]),
        sample(4, []),
      ])
      #expect(all.map { $0.interfaces.map(\.name) } == [[], ["b"], ["b"], ["c"], []])
      #expect(all.map { $0.now(.networkReceive) } == [nil, 10, 10, 10, nil])
    }

    @Test func `a file that cannot be read for a while leaves a gap`() {
      let full = MemoryCounters(device: "", values: [100, 0, 0, 0])
      let all = reports([.at(0) { $0.memory = full }, .at(1), .at(2) { $0.memory = full }])
      #expect(all.map { $0.now(.memoryUsed) } == [100, nil, 100])
      #expect(all.map { $0.reading(.memoryUsed)?.average } == [100, nil, 100])
      #expect(all.map { $0.reading(.memoryUsed)?.peak } == [100, 100, 100])
      #expect(all.map(\.health.isGood) == [false, true, false])
      #expect(all.map(\.health.measured) == [1, 0, 1])
    }
  }

  @Suite struct `from levels to health` {
    /// Samples a second apart with so much memory used.
    static func memory(_ percents: [UInt64]) -> [Sample] {
      percents.enumerated().map { second, percent in
        .at(Double(second)) {
          $0.memory = MemoryCounters(device: "", values: [100, 100 - percent, 0, 0])
        }
      }
    }

    @Test func `the average is that of the last five samples, the peak that of all`() {
      let all = reports(Self.memory([10, 20, 30, 40, 50, 60, 0]))
      let readings = all.compactMap { $0.reading(.memoryUsed) }
      #expect(readings.map { $0.average!.rounded() } == [10, 15, 20, 25, 30, 40, 36])
      #expect(readings.map { $0.peak!.rounded() } == [10, 20, 30, 40, 50, 60, 60])
    }

    @Test func `an alarm goes on at its upper limit and off below its lower one`() {
      // An average of one sample would hide nothing; so each level is held for five.
      let levels: [UInt64] = [50, 79, 80, 75, 71, 70, 69, 79, 81]
      let samples = Self.memory(levels.flatMap { [UInt64](repeating: $0, count: 5) })
      let all = reports(samples, limits: [.memoryUsed: AlarmLimits(raise: 80, clear: 70)])
      let states = stride(from: 4, to: samples.count, by: 5)
        .map { all[$0].reading(.memoryUsed)!.alarm.isOn }
      #expect(states == [false, false, true, true, true, true, false, false, true])
    }

    @Test func `the health names the alarms that are on`() {
      let all = reports(Self.memory([50, 100, 100, 100, 100, 100]))
      #expect(all[0].health.text == "good: 1 quantity measured, none too high")
      #expect(all[4].health.text == "ALARM: memory used 90 %")
      #expect(all[5].health.text == "ALARM: memory used 100 %")
    }
  }

  @Suite struct `as a graph` {
    @Test func `the health and the report are computed once a sample`() {
      let graph = MonitorGraph()
      let health = Recorder(graph.health), report = Recorder(graph.report)
      for second in 0..<5 {
        graph.feed(`A recording`.sample(Double(second)))
        #expect(health.values.count == second + 1)
        #expect(report.values.count == second + 1)
      }
    }

    @Test func `every node is computed once a sample, those of the cycles too`() {
      let graph = MonitorGraph()
      let listening = graph.report.listen { _ in }
      let counts = StoreCounts(nodes: Set(graph.report.reachable.map(\.node.id)))
      graph.feed(`A recording`.sample(0))
      GraphTracing.install(counts)
      defer { GraphTracing.install(nil) }
      for second in 1...3 { graph.feed(`A recording`.sample(Double(second))) }
      #expect(counts.all.count == counts.nodes.count)
      #expect(counts.all.allSatisfy { $0.value == 3 })
      withExtendedLifetime(listening) {}
    }

    @Test func `is the same as the plain computation, on this machine's recording`() throws {
      let samples = try Recording(path: Fixture.path("recorded.csv")).samples
      #expect(reports(samples) == PlainMonitor.reports(samples))
    }

    @Test(arguments: 0..<30)
    func `is the same as the plain computation, on machines that come and go`(seed: Int) {
      let samples = PlainMonitor.randomSamples(seed: UInt64(seed), count: 40)
      #expect(reports(samples) == PlainMonitor.reports(samples))
    }

    @Test func `is freed with its owner, cycles included`() {
      weak var report: Node<Report>?
      weak var health: Node<Health>?
      do {
        let graph = MonitorGraph()
        graph.feed(.at(0))
        (report, health) = (graph.report, graph.health)
        #expect(report != nil && health != nil)
      }
      #expect(report == nil && health == nil)
    }

    @Test func `has a name for every node in its picture`() {
      let graph = MonitorGraph()
      #expect(graph.report.reachable.allSatisfy { $0.node.name != nil })
      for quantity in Quantity.allCases {
        #expect(graph.dot.contains(quantity.nodeName))
        #expect(graph.dot.contains("\(quantity.title) alarm before"))
        #expect(graph.mermaid.contains(quantity.nodeName))
      }
    }
  }
}

/// Counts the values stored in some nodes.
private final class StoreCounts: GraphTracer {
  let nodes: Set<UInt64>
  private let counts = Mutex<[UInt64: Int]>([:])

  init(nodes: Set<UInt64>) { self.nodes = nodes }

  var all: [UInt64: Int] { counts.withLock { $0 } }

  func trace(_ event: GraphEvent) {
    if case .valueStored = event.kind, nodes.contains(event.node) {
      counts.withLock { $0[event.node, default: 0] += 1 }
    }
  }
}
