import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

@testable import MonitorKit

/// What a run needs, in memory: virtual time, and outputs that can be read.
private struct Bench {
  let clock = VirtualScheduler()
  let output = MemoryOutput()
  let messages = MemoryOutput()
  let graph = MonitorGraph()
  let endings = Count()

  func presenter(_ format: Presenter.Format = .json) -> Presenter {
    let presenter = Presenter(format, output: output, messages: messages)
    graph.show(on: presenter)
    return presenter
  }

  func run(
    folder: String = "this-machine", interval: Duration = .seconds(1), length: Duration? = nil,
    writer: RecordingWriter? = nil, on scheduler: (any NodeScheduler)? = nil
  ) -> LiveRun {
    let settings = LiveRun.Settings(
      reader: ProcReader(folder: Fixture.path(folder)), interval: interval, length: length,
      writer: writer, unixMilliseconds: { 5 })
    return LiveRun(settings, graph: graph, presenter: presenter(), on: scheduler ?? clock) {
      [endings] in endings.add()
    }
  }

  /// When the samples that were shown were taken, in milliseconds.
  var times: [Int] {
    output.lines.map { line in
      Int(line.dropFirst(#"{"elapsedMilliseconds":"#.count).prefix { $0 != "," }) ?? -1
    }
  }
}

private final class Count: Sendable {
  private let value = Atomic(0)
  var now: Int { value.load(ordering: .relaxed) }
  func add() { value.wrappingAdd(1, ordering: .relaxed) }
}

/// A scheduler that does everything 300 ms too late.
private struct LateScheduler: NodeScheduler {
  let clock: VirtualScheduler
  var now: Duration { clock.now }
  func schedule(_ work: @escaping @Sendable () -> Void) { clock.schedule(work) }
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Cancelable {
    clock.schedule(after: delay + .milliseconds(300), work)
  }
}

@Suite struct `A live run` {
  @Test func `takes a sample at once and then one an interval`() {
    let bench = Bench()
    let run = bench.run(interval: .milliseconds(500))
    run.start()
    bench.clock.advance(by: .milliseconds(1600))
    #expect(bench.times == [0, 500, 1000, 1500])
    #expect(bench.endings.now == 0)
    run.stop()
  }

  @Test func `ends by itself when its length is over`() {
    let bench = Bench()
    let run = bench.run(length: .seconds(3))
    run.start()
    bench.clock.run()
    #expect(bench.times == [0, 1000, 2000, 3000])
    #expect(bench.endings.now == 1)
    #expect(run.failure == nil)
  }

  @Test func `can be stopped, and takes no sample after that`() {
    let bench = Bench()
    let run = bench.run()
    run.start()
    bench.clock.advance(by: .milliseconds(1500))
    run.stop()
    run.stop()
    bench.clock.run()
    #expect(bench.times == [0, 1000])
    #expect(bench.endings.now == 1)
  }

  @Test func `that is always late does not drift`() {
    let bench = Bench()
    let run = bench.run(length: .seconds(4), on: LateScheduler(clock: bench.clock))
    run.start()
    bench.clock.run()
    #expect(bench.times == [0, 1300, 2300, 3300, 4300])
  }

  @Test func `whose scheduler cannot keep up leaves samples out`() {
    let bench = Bench()
    let run = bench.run(
      interval: .milliseconds(200), length: .seconds(2), on: LateScheduler(clock: bench.clock))
    run.start()
    bench.clock.run()
    #expect(bench.times == [0, 500, 900, 1300, 1700, 2100])
  }

  @Test func `goes on when files are wrong, and says so once`() {
    let bench = Bench()
    let run = bench.run(folder: "malformed", length: .seconds(2))
    run.start()
    bench.clock.run()
    #expect(bench.times == [0, 1000, 2000])
    #expect(bench.output.lines.allSatisfy { $0.contains(#""cpuBusyPercent":null"#) })
    #expect(bench.messages.lines.count == 8)
    #expect(bench.messages.lines[0].hasPrefix("easyreact monitor: stat, line 2: expected"))
  }

  @Test func `ends quietly when its reader has gone`() {
    let bench = Bench()
    let run = bench.run()
    bench.output.fail(EPIPE, after: 2)
    run.start()
    bench.clock.run()
    #expect(bench.times == [0, 1000])
    #expect(bench.endings.now == 1)
    #expect(run.failure == nil)
  }

  @Test func `ends with the reason when its output cannot be written`() {
    let bench = Bench()
    let run = bench.run()
    bench.output.fail(ENOSPC, after: 1)
    run.start()
    bench.clock.run()
    #expect(bench.times == [0])
    #expect(
      run.failure?.description == "the output cannot be written (No space left on device)")
  }

  @Test(.enabled(if: access("/dev/full", W_OK) == 0))
  func `ends with the reason when its recording cannot be written`() throws {
    let bench = Bench()
    let run = bench.run(writer: try RecordingWriter(path: "/dev/full"))
    run.start()
    bench.clock.run()
    #expect(bench.times == [])
    #expect(
      run.failure?.description == "/dev/full: cannot be written (No space left on device)")
  }
}

@Suite struct `A replay` {
  @Test func `shows what the live run showed`() throws {
    let path = temporaryPath()
    defer { remove(path) }
    let live = Bench()
    live.run(length: .seconds(5), writer: try RecordingWriter(path: path)).start()
    live.clock.run()
    let replay = Bench()
    let run = ReplayRun(
      try Recording(path: path), graph: replay.graph, presenter: replay.presenter())
    #expect(run.play() == nil)
    #expect(live.output.lines.count == 6)
    #expect(replay.output.text == live.output.text)
  }

  private func play(
    _ format: Presenter.Format, length: Duration? = nil, failing: Int32? = nil
  ) throws -> (output: String, failure: MonitorFailure?) {
    let bench = Bench()
    let recording = try Recording(path: Fixture.path("recorded.csv"))
    let run = ReplayRun(recording, graph: bench.graph, presenter: bench.presenter(format))
    if let failing { bench.output.fail(failing, after: 3) }
    let failure = run.play(length: length)
    return (bench.output.text, failure)
  }

  @Test func `gives the same output each time`() throws {
    #expect(try play(.json).output == play(.json).output)
    #expect(try play(.lines).output == play(.lines).output)
  }

  @Test func `gives the output that lies beside the tests`() throws {
    #expect(try play(.json).output == Fixture.text("recorded.jsonl"))
    #expect(try play(.lines).output == Fixture.text("recorded.txt"))
  }

  @Test func `can be cut to a length`() throws {
    let all = try play(.lines).output
    let some = try play(.lines, length: .seconds(10)).output
    #expect(all.hasPrefix(some))
    #expect((10...12).contains(some.split(separator: "\n").count))
  }

  @Test func `ends quietly when its reader has gone, and otherwise with the reason`() throws {
    #expect(try play(.lines, failing: EPIPE).failure == nil)
    #expect(try play(.lines, failing: EPIPE).output.split(separator: "\n").count == 3)
    #expect(try play(.lines, failing: EIO).failure != nil)
  }

  @Test func `can be stopped`() throws {
    let bench = Bench()
    let recording = try Recording(path: Fixture.path("recorded.csv"))
    let run = ReplayRun(recording, graph: bench.graph, presenter: bench.presenter())
    run.stop()
    #expect(run.play() == nil)
    #expect(bench.output.text == "")
  }
}
