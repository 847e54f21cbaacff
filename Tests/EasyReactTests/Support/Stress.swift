import CEasyReact
import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

/// How long races last, and from which seed they start.
///
///     EASYREACT_STRESS=100 EASYREACT_STRESS_SEED=7 swift test --filter Threads
///
/// runs a hundred times as many rounds, from seed 7. A failing round says its seed; the schedule of
/// the threads is not part of it, so a rare failure wants many rounds of that seed's neighbourhood.
/// `Scripts/stress.sh` does so for as long as it is told to.
enum Stress {
  static let scale: Double = {
    guard let scale = setting("EASYREACT_STRESS") else { return 1 }
    // For Scripts/stress.sh: each set, update and push of a link has a wave's number of its own.
    atexit { print("stress: \(easyreact_new_wave() - 1) waves") }
    return scale
  }()
  static let firstSeed = UInt64(setting("EASYREACT_STRESS_SEED") ?? 1)

  private static func setting(_ name: String) -> Double? {
    ProcessInfo.processInfo.environment[name].flatMap { Double($0) }
  }

  /// So many of what threads do to each other, times the knob.
  static func part(of count: Int) -> Int { max(1, Int(Double(count) * scale)) }

  /// Runs `body` that many times (times the knob), until a round finds something wrong.
  static func rounds(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (Round) throws -> Void
  ) rethrows {
    let count = part(of: count)
    for seed in firstSeed..<firstSeed + UInt64(count) {
      let round = Round(seed: seed)
      try body(round)
      let findings = round.findings
      if findings.isEmpty { continue }
      let text = findings.prefix(5).joined(separator: "\n")
      Issue.record("seed \(seed): \(text)", sourceLocation: sourceLocation)
      return
    }
  }
}

/// One round of a race: its random numbers, its threads, and what it found wrong.
final class Round: Sendable {
  let seed: UInt64
  private let found = Mutex<[String]>([])

  init(seed: UInt64) { self.seed = seed }

  var findings: [String] { found.withLock { $0 } }

  func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if condition { return }
    let message = message()
    found.withLock { if $0.count < 100 { $0.append(message) } }
  }

  /// Random numbers that depend on the seed and on who asks.
  func generator(_ player: Int = 0) -> SeededGenerator {
    SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(player) &* 0xD1B5_4A32_D192_ED03)
  }

  /// Runs `body` on threads of their own, begun as close together as can be, and waits for their
  /// end and for what they left with background queues.
  func threads(_ count: Int, _ body: @escaping @Sendable (_ member: Int) -> Void) {
    let gate = StartingGate(for: count), done = DispatchSemaphore(value: 0)
    for member in 0..<count {
      startThread(name: "threads \(member)") {
        gate.pass()
        body(member)
      } whenOver: {
        done.signal()
      }
    }
    for _ in 0..<count { done.wait() }
    expect(waitForBackgroundWork(), "a background queue has not ended its work")
  }

  /// Between turns: see `checkInvariants`. Where another test of the process reads a recorder, that may let go of a node's last
  /// reference, and is inside its graph for that moment.
  func expectRest(_ nodes: [AnyNode]) {
    expect(settle(), "somebody is inside a graph")
    let violations = checkInvariants(nodes)
    expect(violations.isEmpty, violations.joined(separator: "; "))
  }
}

/// SplitMix64: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators (2014).
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
  mutating func oneIn(_ chance: Int) -> Bool { below(chance) == 0 }
}

// MARK: - What was set

/// A value that says who set it, and as its how-manieth.
protocol Stamp: Sendable, Hashable, CustomStringConvertible {
  init(_ sender: Int, _ number: Int)
  var sender: Int { get }
  var number: Int { get }
}

extension Stamp {
  var description: String { "\(sender).\(number)" }
}

/// Eight trivial bytes: a node keeps it as one atomic word.
struct WordStamp: Stamp {
  private let word: UInt64
  init(_ sender: Int, _ number: Int) { word = UInt64(sender) << 32 | UInt64(number) }
  var sender: Int { Int(word >> 32) }
  var number: Int { Int(word & 0xFFFF_FFFF) }
}

/// References and text: a node keeps it under its short lock, and destroys what it replaces.
struct TextStamp: Stamp {
  private final class Box: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }
  private let box: Box
  let sender: Int
  let number: Int
  init(_ sender: Int, _ number: Int) {
    self.sender = sender
    self.number = number
    box = Box("sent by thread \(sender) as number \(number)")
  }
  var isWhole: Bool { box.text == "sent by thread \(sender) as number \(number)" }
  static func == (a: Self, b: Self) -> Bool { (a.sender, a.number) == (b.sender, b.number) }
  func hash(into hasher: inout Hasher) { hasher.combine(sender << 32 | number) }
}

/// For `arguments:`: the two ways in which a node keeps a value.
enum StampKind: CaseIterable, Sendable { case word, text }

// MARK: - What was heard

/// The calls of one receiver, in order, and how often two of them overlapped.
final class Heard<Value: Sendable>: Sendable {
  private let isInside = Atomic(false)
  private let overlapCount = Atomic(0)
  private let log = Mutex<[Value]>([])
  private let rest: Int

  /// - Parameter rest: Each how-manieth call lets other threads run, so that they find this one
  ///   inside.
  init(letsOthersRunEvery rest: Int = 4) { self.rest = rest }

  var values: [Value] { log.withLock { $0 } }
  var overlaps: Int { overlapCount.load(ordering: .acquiring) }

  func hear(_ value: Value) {
    if isInside.exchange(true, ordering: .acquiringAndReleasing) {
      overlapCount.wrappingAdd(1, ordering: .relaxed)
    }
    let count = log.withLock { log in
      log.append(value)
      return log.count
    }
    if count % rest == 0 { letOthersRun() }
    isInside.store(false, ordering: .releasing)
  }
}

extension Round {
  /// Every sender's values are there, each once, in the order in which it set them.
  func expectAll<Value: Stamp>(
    _ heard: [Value], of senders: some Sequence<Int>, count: Int, _ who: String
  ) {
    var next: [Int: Int] = [:]
    for stamp in heard where stamp.number > 0 {
      let expected = next[stamp.sender, default: 1]
      expect(
        stamp.number == expected,
        "\(who): after \(expected - 1) of thread \(stamp.sender) came \(stamp.number)")
      next[stamp.sender] = stamp.number + 1
    }
    for sender in senders {
      expect(
        next[sender, default: 1] == count + 1,
        "\(who): \(next[sender, default: 1] - 1) of \(count) values of thread \(sender)")
    }
  }

  /// What one sender set is told in the order in which it set it, though not all of it may come.
  func expectInOrder<Value: Stamp>(_ heard: [Value], _ who: String) {
    var newest: [Int: Int] = [:]
    for stamp in heard {
      let before = newest[stamp.sender, default: -1]
      expect(
        stamp.number >= before,
        "\(who): after \(before) of thread \(stamp.sender) came \(stamp.number)")
      newest[stamp.sender] = stamp.number
    }
  }

  /// `part` is a run of `whole`, without a gap and without a repetition; both know no value twice.
  /// - Parameter toTheEnd: It ends where `whole` ends.
  func expectRun<Value: Hashable>(
    _ part: [Value], of whole: [Value], toTheEnd: Bool, _ who: String
  ) {
    guard let first = part.first else {
      return expect(!toTheEnd || whole.isEmpty, "\(who) heard nothing")
    }
    guard let start = whole.firstIndex(of: first) else {
      return expect(false, "\(who) heard \(first), which was never told")
    }
    let end = toTheEnd ? whole.count : min(whole.count, start + part.count)
    expect(
      part.elementsEqual(whole[start..<end]),
      "\(who) heard \(part.suffix(12)) where the node told \(whole[start..<end].suffix(12))")
  }
}

extension Trait where Self == Watched {
  /// Ten minutes a test, on a machine that may be busy; longer when the knob of `Stress` asks for
  /// more rounds, or a sanitizer is in.
  static var watched: Self { Watched(seconds: 600 * max(1, Stress.scale) * Sanitizer.patience) }
}
