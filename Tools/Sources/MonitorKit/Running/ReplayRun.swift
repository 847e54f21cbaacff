import EasyReact
import EasyReactTesting
import Synchronization

/// Plays a recording through the graph in virtual time: each sample at its recorded moment, without
/// waiting, and with the same output each time.
public final class ReplayRun: Sendable {
  private let recording: Recording
  private let graph: MonitorGraph
  private let presenter: Presenter
  private let isStopped = Atomic(false)

  public init(_ recording: Recording, graph: MonitorGraph, presenter: Presenter) {
    self.recording = recording
    self.graph = graph
    self.presenter = presenter
  }

  /// Plays all samples up to `length` after the first.
  ///
  /// - Returns: what went wrong with the output, if something did.
  public func play(length: Duration? = nil) -> MonitorFailure? {
    let scheduler = VirtualScheduler(bound: recording.samples.count + 1)
    let start = recording.samples.first?.time ?? .zero
    for sample in recording.samples {
      let moment = sample.time - start
      if let length, moment > length { break }
      scheduler.schedule(after: moment) { self.feed(sample) }
    }
    scheduler.run()
    presenter.end()
    return presenter.failure.flatMap(MonitorFailure.init(output:))
  }

  /// Leaves out the samples that are still to come. Any thread.
  public func stop() { isStopped.store(true, ordering: .relaxed) }

  private func feed(_ sample: Sample) {
    if presenter.failure == nil, !isStopped.load(ordering: .relaxed) { graph.feed(sample) }
  }
}
