import CEasyReact
import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Threads set a graph while others change it, look at it, and let go of parts of it. What the
/// receivers that stay hear is compared with what was set; the others hear runs without gaps.
@Suite(.watched) struct ConcurrentRelinkTests {
  private final class Owner: Sendable {}

  /// The nodes that all threads share; the source is set by two of them.
  private struct Shared: Sendable {
    let source = MutableNode(TextStamp(0, 0))
    let other = MutableNode(TextStamp(9, 0))
    let transform = NodeTransform<TextStamp, TextStamp>()
    let loose: Node<TextStamp>
    let derived: Node<TextStamp>
    let kept = Heard<TextStamp>(), below = Heard<TextStamp>(letsOthersRunEvery: 3)
    let listenings: [Listening]

    init() {
      derived = source.map { $0 }.filter { _ in true }
      loose = Node<TextStamp>()
      loose.wiring.link(to: source, through: transform)
      listenings = [
        source.listen { [kept] in kept.hear($0) }, derived.listen { [below] in below.hear($0) },
      ]
    }
  }

  private enum Act: CaseIterable {
    case listen, derive, own, link, repoint, cut, walk, draw, snapshot, mutablify, merge, forget
  }

  @Test(arguments: [3, 6])
  func `others listen, link, re-point, cut, drop, walk, draw and snapshot while two threads set`(
    threads: Int
  ) {
    let count = 60
    Stress.rounds(25) { round in
      let shared = Shared()
      let whole = MutableRuns()
      round.threads(threads) { member in
        var generator = round.generator(member)
        if member < 2 {
          for number in 1...count { shared.source.value = TextStamp(member + 1, number) }
          return
        }
        for _ in 0..<30 {
          perform(Act.allCases[generator.below(Act.allCases.count)], on: shared, whole, &generator)
        }
      }
      let told = shared.kept.values
      round.expectAll(told, of: 1...2, count: count, "the listener")
      round.expect(shared.below.values == told, "the listener below heard something else")
      round.expect(shared.kept.overlaps + shared.below.overlaps == 0, "calls overlapped")
      for run in whole.taken { round.expectRun(run, of: told, toTheEnd: false, "a passer-by") }
      round.expect(told.allSatisfy(\.isWhole), "a torn value")
      round.expectRest([shared.source, shared.other, shared.loose, shared.derived])
      keepAlive(shared.listenings as AnyObject)
    }
  }

  /// What listeners heard that came and went.
  private final class MutableRuns: Sendable {
    private let runs = Mutex<[[TextStamp]]>([])
    func add(_ run: [TextStamp]) { runs.withLock { $0.append(run) } }
    var taken: [[TextStamp]] { runs.withLock { $0 } }
  }

  private func perform(
    _ act: Act, on shared: Shared, _ runs: MutableRuns, _ generator: inout SeededGenerator
  ) {
    let source = shared.source
    switch act {
    case .listen:
      let heard = Heard<TextStamp>()
      let listening = source.listen { heard.hear($0) }
      _ = shared.derived.value
      listening.cancel()
      // Another thread may be in the middle of one last call.
      runs.add(heard.values)
    case .derive:
      let heard = Heard<TextStamp>()
      let derived = source.map { $0 }.fork()
      let listening = derived.listen { heard.hear($0) }
      _ = derived.combine(shared.derived).value
      listening.cancel()
      runs.add(heard.values)
    case .own:
      let owner = Owner()
      source.listen(by: owner) { _, _ in }
      if generator.oneIn(2) { source.stopListening(by: owner) }
    case .link:
      let node = Node<TextStamp>()
      let link = node.wiring.link(to: shared.derived)
      if generator.oneIn(2) { link.cancel() }
    case .repoint:
      shared.transform.from = generator.oneIn(2) ? source : shared.other
    case .cut:
      shared.loose.wiring.removeUpstreamNode(shared.other)
    case .walk:
      var nodes = 0
      for (node, depth) in source.reachable where depth < 100 && node.id > 0 { nodes += 1 }
      _ = shared.derived.upstreamTransforms
      _ = nodes
    case .draw:
      _ = source.dot().count + shared.derived.mermaid().count
    case .snapshot:
      _ = source.snapshot().nodes.count + leakReport().count
    case .mutablify:
      let node = source.map { $0 }
      _ = node.map { $0 }.value
      node.mutablify().value = TextStamp(8, 1)
    case .merge:
      let merged = source.merge(shared.other)
      _ = merged.zip(shared.derived).value
    case .forget:
      var chain: Node<TextStamp>? = source.map { $0 }
      for _ in 0..<5 { chain = chain?.map { $0 } }
      chain = nil
    }
  }

  @Test func `batches of several threads are told as wholes, and their joins hold`() {
    Stress.rounds(40) { round in
      let a = MutableNode(0), b = MutableNode(0), heard = Heard<Int>(letsOthersRunEvery: 3)
      let sum = a.combine(b).map { $0 + $1 }, atA = Heard<Int>(), atB = Heard<Int>()
      let listenings = [
        a.listen { atA.hear($0) }, b.listen { atB.hear($0) }, sum.listen { heard.hear($0) },
      ]
      round.threads(3) { member in
        for number in 1...40 {
          batch {
            a.value = member * 1_000 + number
            batch { b.update { $0 = -member * 1_000 - number } }
            // Inside, this thread reads what it staged.
            round.expect(a.value! + b.value! == 0, "a batch read \(a.value!) and \(b.value!)")
          }
        }
      }
      for (values, sign) in [(atA.values, 1), (atB.values, -1)] {
        round.expectAll(
          values.map { WordStamp(sign * $0 / 1_000, sign * $0 % 1_000) }, of: 0..<3, count: 40,
          "sign \(sign)")
      }
      round.expect(sum.value == a.value! + b.value!, "the join holds \(sum.value!)")
      round.expect(heard.values.last == sum.value, "the join told \(heard.values.last!) last")
      round.expectRest([sum])
      keepAlive(listenings as AnyObject)
    }
  }

  @Test func `one thread's batch, without contention, is told once`() {
    Stress.rounds(10) { round in
      round.threads(4) { _ in
        let a = MutableNode(0), b = MutableNode(0), heard = Heard<Int>()
        let listening = a.combine(b).map { $0 + $1 }.listen { heard.hear($0) }
        for number in 1...30 {
          batch {
            a.value = number
            b.value = -number
          }
        }
        round.expect(heard.values == Array(repeating: 0, count: 31), "a mixture was told")
        listening.cancel()
      }
    }
  }

  @Test func `owners and nodes are dropped by one thread while another tells them`() {
    Stress.rounds(60) { round in
      let source = MutableNode(0), late = Tally()
      round.threads(4) { member in
        if member < 2 {
          for number in 1...60 { source.value = number }
          return
        }
        for _ in 0..<20 {
          let lives = Life()
          // A call that has begun keeps its owner, so the owner itself says when it is over.
          let owner = Mortal(lives)
          source.map { $0 + 1 }.listen(by: owner) { _, _ in if lives.isOver { late.add() } }
        }
      }
      round.expect(late.count == 0, "an owner was called \(late.count) times after its end")
      source.value = -1  // an owner's end is noticed with the next event
      round.expect(!source.hasListener, "a listener is left")
      round.expectRest([source])
    }
  }

  /// Listening by one owner looks at a few others, to find the dead ones: it must not keep them for
  /// a moment, or they may die on its thread.
  @Test func `9.3 an owner dies at once, where it is let go of, whoever listens meanwhile`() {
    final class Local: Sendable {
      let place: Tally
      let thread: UInt
      init(_ place: Tally) {
        self.place = place
        thread = threadNumber()
      }
      deinit { if threadNumber() == thread { place.add() } }
    }
    let count = Int(4_000 * max(1, Stress.scale))
    let stranger = Token()
    Stress.rounds(1) { round in
      let nodes = [MutableNode(0), MutableNode(0)]
      round.threads(3) { member in
        let dead = Tally()
        for number in 1...count {
          if member == 2 {
            // Looks at the others' owners, and ends none.
            nodes[number % 2].stopListening(by: stranger)
            _ = nodes[number % 2].hasListener
            continue
          }
          do {
            let owner = Local(dead)
            nodes[member].listen(by: owner) { _, _ in }
          }
          if dead.take() != 1 {
            return round.expect(false, "owner \(number) of thread \(member) did not die here")
          }
        }
      }
      for node in nodes {
        node.value = 1
        round.expect(!node.hasListener, "a listener is left")
      }
      round.expectRest(nodes)
    }
  }

  private final class Mortal: Sendable {
    let life: Life
    init(_ life: Life) { self.life = life }
    deinit { life.end() }
  }

  private final class Life: Sendable {
    private let over = Atomic(false)
    var isOver: Bool { over.load(ordering: .acquiring) }
    func end() { over.store(true, ordering: .releasing) }
  }

  /// The upstream's lock is held until the thread that makes the node waits for it, and another one asks the transform.
  @Test func `2.2, 5.1 who finds the node of a transform finds it in its place`() {
    for _ in 0..<100 {
      let up = MutableNode<Int>(), transform = NodeTransform<Int, Int>()
      let mayLook = DispatchSemaphore(value: 0)
      let made = Journal<Node<Int>>(), links = CancelableBag()
      let naps = easyreact_naps()
      onThreads(2) { thread in
        if thread == 1 {
          wait(for: mayLook)
          if let down = transform.to { links.add(up.link(to: down)) }
          return
        }
        withShortLock(of: up) {
          made.note(up.through(transform))
        } until: {
          if easyreact_naps() &- naps < 3 { return false }
          mayLook.signal()
          return true
        }
      }
      #expect(checkInvariants([up] + made.entries) == [])
      links.cancel()
      #expect(made.entries[0].upstreamNodes == [up] && up.upstreamNodes == [])
    }
  }
}
