import EasyReact
import EasyReactInspection
import Foundation
import Testing

@testable import MonitorKit

/// The monitor's replay of this machine's recording, recorded.
private func replayed() throws -> GraphSession {
  let recorder = GraphRecorder(events: 100_000, bytes: 64 << 20, descriptionLength: 5_000)
  recorder.start()
  defer { recorder.stop() }
  let graph = MonitorGraph()
  let listening = graph.report.listen { _ in }
  for sample in try Recording(path: Fixture.path("recorded.csv")).samples { graph.feed(sample) }
  let records = recorder.records.graph(of: graph.report.id)
  withExtendedLifetime(listening) {}
  return GraphSession(program: "monitor", records: records)
}

@Suite(.serialized) struct `A recorded session of the monitor` {
  /// `Generated/MonitorSession.swift` is compiled and run with these tests. To write it anew: EASYREACT_WRITE_GENERATED=1.
  @Test func `is written as a test, which is the one that runs here`() throws {
    let session = try replayed()
    var test = SessionTest(
      session, name: "the monitor tells of this machine's recording what it told")
    test.imports = ["@testable import MonitorKit"]
    test.setUp = """
      let monitor = MonitorGraph()
      let graph: AnyNode = monitor.report
      let samples = try Recording(path: Fixture.path("recorded.csv")).samples
      """
    test.expressions = ["health": "monitor.health"]
    test.outputs = Quantity.allCases.map(\.nodeName).sorted() + ["health"]
    // Counters are no literals; each turn is a sample.
    test.statement = { number, _ in "monitor.feed(samples[\(number)])" }
    let source = try test.source()
    let path = #filePath.replacing("SessionTests.swift", with: "Generated/MonitorSession.swift")
    if ProcessInfo.processInfo.environment["EASYREACT_WRITE_GENERATED"] != nil {
      try source.write(toFile: path, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == source)
  }

  @Test func `has a turn for each sample, and what every named node told`() throws {
    let session = try replayed()
    let samples = try Recording(path: Fixture.path("recorded.csv")).samples
    #expect(session.turns.count == samples.count)
    let told = session.told
    #expect(told["report"]?.count == samples.count && told["health"]?.count == samples.count)
    let reports = reports(samples)
    #expect(told["health"] == reports.map { "\($0.health)" })
    #expect(told[Quantity.cpuBusy.nodeName] == reports.map { "\($0.now(.cpuBusy) as Double?)" })
  }

  @Test func `is of a graph in which lint finds what is meant`() throws {
    let recorder = GraphRecorder()
    recorder.start()
    defer { recorder.stop() }
    let graph = MonitorGraph()
    let listening = graph.report.listen { _ in }
    for sample in try Recording(path: Fixture.path("recorded.csv")).samples { graph.feed(sample) }
    let findings = graph.report.lint(with: recorder)
    // This machine has no swap in use, and its peaks rest: true, and meant, for a report is made each second anyway.
    #expect(Set(findings.map(\.rule)) == [.changesNothing])
    let resting = findings.flatMap(\.labels).filter { label in
      ["swap used", "memory pressure", "notes"].contains { label.hasPrefix($0) }
        || label.hasSuffix(", peak")
    }
    #expect(resting.count == findings.count)
    withExtendedLifetime(listening) {}
  }

  @Test func `tells why the report is as it is, back to what was fed`() throws {
    let session = try replayed()
    let report = try #require(session.records.nodes.last { $0.name == "report" })
    let why = session.records.why(report.id)
    #expect(!why.isCutOff && why.steps.last?.node == "report")
    #expect(why.steps.contains { $0.node == "core ticks" && $0.event.kind == .set })
  }
}
