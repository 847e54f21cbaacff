import Dispatch
import EasyReact

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The whole of `easyreact monitor` behind its options: opens files, wires the parts, waits for the
/// end.
public struct MonitorProgram {
  private let graph: MonitorGraph
  private let presenter: Presenter
  private let hasOutput: Bool

  /// The program on the standard output. On a terminal it draws a screen, unless `json` is wanted.
  public init(limits: [Quantity: AlarmLimits] = [:], json: Bool) {
    hasOutput = SystemFile.fillStandardFiles()
    let terminal = Terminal.standardOutput
    let format: Presenter.Format =
      json ? .json : terminal.isScreen ? .screen(terminal) : .lines
    graph = MonitorGraph(limits: limits)
    presenter = Presenter(format, output: FileOutput(file: 1), messages: FileOutput(file: 2))
    graph.show(on: presenter)
  }

  /// Shows this machine until `length` has passed or the user ends it. Without an output (`>&-`)
  /// there is nothing to do, unless it is recorded.
  /// - Parameter share: Under which name, and where, the machine is one of a fleet.
  public func live(
    folder: String, interval: Duration, length: Duration?, record: String?,
    share: (name: String, address: FleetAddress)? = nil
  ) throws(MonitorFailure) {
    let reader = ProcReader(folder: folder)
    do { try reader.check() } catch {
      throw MonitorFailure(
        "\(folder)/\(error)\nWithout the counters of Linux there is nothing to show live. "
          + "A recording can be shown on any machine: --replay FILE.csv.")
    }
    guard hasOutput || record != nil || share != nil else { return }
    var settings = LiveRun.Settings(
      reader: reader, interval: interval, length: length, writer: try record.map(Self.writer))

    let queue = DispatchQueue(label: "easyreact monitor")
    let over = DispatchSemaphore(value: 0)
    // Of a machine that shares alone, for what is made here is a part of the picture of the monitor's graph.
    let taken = share.map { _ in MutableNode<MonitorFailure>().named("name is taken") }
    let shared = try share.map { share throws(MonitorFailure) in
      MachineShare(
        graph, .init(name: share.name, interval: interval),
        in: try FleetStore.open(share.address)
      ) { taken?.value = $0 }
    }
    if let shared { settings.notes = { shared.notes } }
    let run = LiveRun(settings, graph: graph, presenter: presenter, on: .queue(queue)) {
      over.signal()
    }
    let ending = taken?.listen(on: .queue(queue)) { run.stop($0) }
    let signals = Signals(
      end: { queue.async { run.stop() } },
      resized: { [presenter] in queue.async { presenter.redraw() } })
    run.start()
    over.wait()
    shared?.leave()
    withExtendedLifetime((signals, ending)) {}
    if let failure = run.failure { throw failure }
  }

  /// Shows the recording at `path`, up to `length` after its first sample.
  public func replay(path: String, length: Duration?) throws(MonitorFailure) {
    let recording: Recording
    do { recording = try Recording(path: path) } catch { throw MonitorFailure("\(error)") }
    let run = ReplayRun(recording, graph: graph, presenter: presenter)
    let signals = Signals(end: run.stop)
    let failure = run.play(length: length)
    withExtendedLifetime(signals) {}
    if let failure { throw failure }
  }

  /// Prints `text` on the standard output; a reader that has gone is no failure.
  public static func printText(_ text: String) throws(MonitorFailure) {
    guard SystemFile.fillStandardFiles() else { return }
    signal(SIGPIPE, SIG_IGN)
    do {
      try FileOutput(file: 1).write(text.hasSuffix("\n") ? text : text + "\n")
    } catch {
      if let failure = MonitorFailure(output: error) { throw failure }
    }
  }

  private static func writer(path: String) throws(MonitorFailure) -> RecordingWriter {
    do { return try RecordingWriter(path: path) } catch { throw MonitorFailure("\(error)") }
  }
}
