import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Nobody ever waits for user code: what would deadlock under a lock goes on here.
@Suite(.watched) struct WaitingTests {
  @Test func `a listener waits for another thread that sets the same node`() {
    Stress.rounds(20) { round in
      let node = MutableNode(0), heard = Heard<Int>()
      let listenings = [
        node.listen { value in
          if value >= 100 || value == 0 { return }
          onThread { node.value = value + 100 }
        },
        node.listen { heard.hear($0) },
      ]
      for value in 1...5 { node.value = value }
      round.expect(
        heard.values == [0] + (1...5).flatMap { [$0, $0 + 100] }, "heard \(heard.values)")
      round.expect(node.value == 105, "ends with \(node.value!)")
      keepAlive(listenings as AnyObject)
    }
  }

  @Test func `a listener waits in a queue's sync for one that sets the same graph`() {
    Stress.rounds(20) { round in
      let a = MutableNode(0), b = MutableNode(0), queue = DispatchQueue(label: "waiting")
      let sum = a.combine(b).map { $0 + $1 }, heard = Heard<Int>()
      // What the queue sets may run listeners for values that others left: none of `b` or `sum`
      // waits for the queue.
      let listenings = [
        sum.listen { heard.hear($0) }, a.listen { value in queue.sync { b.value = -value } },
      ]
      round.threads(4) { member in
        for number in 1...20 {
          switch member {
          case 0: b.value = number
          case 1: queue.async { b.update { $0 += 1 } }
          default: a.value = member * 100 + number
          }
        }
      }
      queue.sync {}
      round.expect(waitForBackgroundWork(), "work is left")
      round.expect(sum.value == a.value! + b.value!, "\(sum.value!) of \(a.value!), \(b.value!)")
      round.expect(heard.overlaps == 0, "calls overlapped")
      keepAlive(listenings as AnyObject)
    }
  }

  @Test func `two nodes listen to each other from two threads, 100,000 rounds`() {
    let ping = MutableNode(0), pong = MutableNode(0)
    let rounds = 100_000, told = Tally(), done = DispatchSemaphore(value: 0)
    let listenings = [
      ping.listen { value in
        told.add()
        if value > 0, value < rounds { pong.value = value }
      },
      pong.listen { value in
        told.add()
        if value > 0 { ping.value = value + 1 }
        if value + 1 == rounds { done.signal() }
      },
    ]
    onThreads(2) { number in
      if number == 0 {
        ping.value = 1
      } else {
        // Comes in from the other side again and again, and starts no second rally.
        for _ in 0..<10_000 { pong.value = -1 }
      }
    }
    wait(for: done)
    #expect(settle())
    #expect(ping.value == rounds)
    #expect(told.count == 2 + rounds + rounds - 1 + 10_000)
    #expect(checkInvariants([ping, pong]) == [])
    keepAlive(listenings as AnyObject)
  }

  // MARK: Values that call back

  /// Its `==`, `hash` and end use the graph.
  private final class Meddler: Hashable, Sendable {
    let number: Int
    let log: MutableNode<Int>
    init(_ number: Int, _ log: MutableNode<Int>) {
      self.number = number
      self.log = log
    }
    static func == (a: Meddler, b: Meddler) -> Bool {
      a.log.update { $0 += 1 }
      return a.number == b.number
    }
    func hash(into hasher: inout Hasher) {
      log.update { $0 += 1 }
      hasher.combine(number)
    }
    deinit {
      let log = log
      log.update { $0 += 1_000_000 }
      _ = log.map { $0 }.listen { _ in }
    }
  }

  @Test func `values whose equality, hash and end call back into the graph`() {
    Stress.rounds(20) { round in
      let log = MutableNode(0), node = MutableNode<Meddler>(), count = 30
      let told = Tally()
      do {
        let distinct = node.distinctUntilChanged(), branches = node.switch { $0 }
        let listenings = [
          distinct.listen { _ in told.add() }, node.listen { log.value! += $0.number * 0 },
          branches.case(Meddler(1, log)).listen { _ in told.add() },
        ]
        round.threads(3) { _ in
          for number in 1...count {
            node.value = Meddler(number / 2, log)
            log.update { $0 += 0 }
          }
        }
        keepAlive(listenings as AnyObject)
      }
      node.clean()
      round.expect(settle(), "work is left")
      round.expect(told.count > 0, "nothing was told")
      round.expectRest([node, log])
    }
  }

  @Test func `a closure's captured object sets the graph when it dies`() {
    Stress.rounds(40) { round in
      let node = MutableNode(0), total = MutableNode(0), count = 20
      round.threads(4) { member in
        for number in 1...count {
          if member == 0 {
            node.value = number
            continue
          }
          let last = AtEnd { total.update { $0 += 1 } }
          let derived = node.map { value in
            _ = last
            return value
          }
          let listening = derived.listen { _ in _ = last }
          listening.cancel()
        }
      }
      // Some died in the turn of the thread that was inside.
      round.expect(total.value == 3 * count, "\(total.value!) of \(3 * count) died")
      round.expectRest([node, total])
    }
  }

  private final class AtEnd: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
  }

  // MARK: Listeners that end something

  private final class Place<Content: Sendable>: Sendable {
    private let content: Mutex<Content?>
    init(_ content: Content? = nil) { self.content = Mutex(content) }
    func put(_ new: Content?) {
      let old = content.withLock { content in
        defer { content = new }
        return content
      }
      _ = consume old
    }
    var now: Content? { content.withLock { $0 } }
  }

  @Test func `a listener cancels itself, its neighbour or its owner while others set`() {
    Stress.rounds(60) { round in
      let node = MutableNode(0)
      let itself = Place<Listening>(), neighbour = Place<Listening>(), owner = Place(Token())
      let own = Heard<Int>(), next = Heard<Int>(), owned = Heard<Int>()
      let kept = Heard<Int>()
      let limit = 20
      itself.put(
        node.listen { value in
          own.hear(value)
          if own.values.count == limit {
            itself.now?.cancel()
            neighbour.put(nil)
            owner.put(nil)
          }
        })
      neighbour.put(node.listen { next.hear($0) })
      node.listen(by: owner.now!) { _, value in owned.hear(value) }
      let listening = node.listen { kept.hear($0) }
      round.threads(3) { member in
        for number in 1...20 { node.value = member * 100 + number }
      }
      round.expect(own.values.count == limit, "itself heard \(own.values.count)")
      // They lie behind it, so they miss the value with which it ended them.
      round.expect(
        next.values == Array(own.values.dropLast()), "the neighbour heard \(next.values)")
      round.expect(owned.values == next.values, "the owner heard \(owned.values)")
      round.expect(kept.values.starts(with: own.values), "the last heard another order")
      round.expect(kept.values.count == 61, "the last heard \(kept.values.count)")
      round.expectRest([node])
      listening.cancel()
    }
  }

  @Test func `a listener drops the last reference to the node that is calling it`() {
    Stress.rounds(100) { round in
      let source = MutableNode(0), told = Tally(), lives = LifetimeTracker()
      let last = Place<Listening>()
      do {
        let derived = lives.track(source.map { $0 }.map { $0 }, "derived")
        last.put(
          derived.listen { value in
            told.add()
            if value > 0 { last.put(nil) }
          })
      }
      round.threads(3) { _ in for number in 1...20 { source.value = number } }
      last.put(nil)
      round.expect(told.count == 2, "it was called \(told.count) times")
      round.expect(lives.alive.isEmpty, "alive: \(lives.alive)")
      round.expectRest([source])
    }
  }
}
