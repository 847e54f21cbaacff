import ArgumentParser
import EasyReact
import EasyReactInspection
import EasyReactInspector
import Foundation

/// A program for the inspector's tests and measurements: a graph of any size, and a thread that sets its sources.
///
/// Each second it prints how often it set, and what that cost: `sets 51200 seconds 1.000 processor 0.812`.
@main struct InspectorLoad: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves the page of a graph of any size while a thread sets its sources.")

  @Option(help: "How many nodes, about: groups of a hundred.")
  var nodes = 10_000

  @Option(help: "Sets a second; 0: as many as there can be.")
  var sets = 500

  @Option(help: "What runs besides: page, recorder or nothing.")
  var besides = Besides.page

  @Option(
    help: "A number that stands in each value of some private nodes besides, and nowhere else.")
  var secret: Int?

  @Option(help: "How many seconds; 0: until it is ended.")
  var seconds = 0

  enum Besides: String, ExpressibleByArgument { case page, recorder, nothing }

  func run() throws {
    let recorder = GraphRecorder()
    if besides != .nothing { recorder.start() }
    let crowd = Crowd(groups: max(1, nodes / 100)), account = secret.map { Account(secret: $0) }
    if besides == .page { try InspectorLoad.serve(recorder) }
    let thread = Thread { [self] in set(crowd, account) }
    thread.start()
    while seconds == 0 || !thread.isFinished { Thread.sleep(forTimeInterval: 0.2) }
    withExtendedLifetime(recorder) {}
  }

  private static func serve(_ recorder: GraphRecorder) throws {
    let token = ProcessInfo.processInfo.environment["EASYREACT_INSPECTOR_TOKEN"]
    try Inspector.start(recorder: recorder, token: token, title: "A crowd")
  }

  private func set(_ crowd: Crowd, _ account: Account?) {
    let clock = ContinuousClock()
    var done = 0, line = (moment: clock.now, processor: processorSeconds(), sets: 0)
    let began = clock.now
    while seconds == 0 || began.duration(to: clock.now) < .seconds(seconds) {
      for _ in 0..<(sets == 0 ? 100 : max(1, sets / 100)) {
        crowd.set(done)
        account?.set(done)
        done += 1
      }
      if sets > 0 {
        let due = began + .seconds(Double(done) / Double(sets))
        let wait = clock.now.duration(to: due) / .seconds(1)
        if wait > 0 { Thread.sleep(forTimeInterval: wait) }
      }
      let passed = line.moment.duration(to: clock.now) / .seconds(1)
      if passed < 1 { continue }
      let processor = processorSeconds()
      let told = [passed, processor - line.processor].map { String(format: "%.3f", $0) }
      print("sets \(done - line.sets) seconds \(told[0]) processor \(told[1])")
      // Also into a pipe.
      fflush(nil)
      line = (clock.now, processor, done)
    }
  }
}

/// Shows what comes of some groups.
private final class Board: Sendable {}

/// Groups of a hundred nodes: a source, ten chains of nine from it, and joins that gather them. What comes of a group is shown
/// by one of ten boards.
private final class Crowd: Sendable {
  private let sources: [MutableNode<Int>]
  private let boards: [Board]

  init(groups: Int) {
    var sources: [MutableNode<Int>] = []
    boards = (0..<min(groups, 10)).map { _ in Board() }
    for group in 0..<groups {
      let source = MutableNode(0).named("sensor \(group)/raw")
      var ends: [Node<Int>] = []
      for chain in 0..<10 {
        var end: Node<Int> = source
        for step in 0..<9 { end = end.map { $0 &+ step }.named("sensor \(group)/\(chain).\(step)") }
        ends.append(end)
      }
      var sum = ends[0]
      for (place, end) in ends.enumerated().dropFirst() {
        sum = sum.combine(end).map { $0 &+ $1 }.named("sensor \(group)/sum \(place)")
      }
      sum.listen(by: boards[group % boards.count]) { _, _ in }
      sources.append(source)
    }
    self.sources = sources
  }

  func set(_ number: Int) { sources[number % sources.count].set(number) }
}

/// Private nodes of each kind: of text, of numbers, of events, and one that is derived; beside them what others may know.
private final class Account: Sendable {
  private let secret: Int
  private let password = MutableNode<String>().named("password")
  private let pin = MutableNode<Int>().named("pin")
  private let typed = MutableNode<String>.eventNode().named("typed")
  private let listenings: [Listening]

  init(secret: Int) {
    self.secret = secret
    let both = password.combine(pin), copy = both.map { "\($0) \($1)" }.named("copy")
    for node in [password, pin, typed, both, copy] as [AnyNode] { node.isPrivate = true }
    let length = password.map(\.count).named("length")
    let waits = password.combine(MutableNode<Int>().named("code")).named("waits")
    listenings = [
      copy.listen { _ in }, typed.listen { _ in }, length.listen { _ in }, waits.listen { _ in },
    ]
  }

  func set(_ number: Int) {
    password.set("\(secret) password \(number)", context: "sign-up")
    pin.value = secret * 1_000 + number % 1_000
    typed.value = "\(secret) typed \(number)"
  }
}

private func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
