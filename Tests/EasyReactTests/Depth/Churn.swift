import EasyReact
import EasyReactTesting
import Synchronization
import Testing

private let count = 100_000

/// What a long-lived node carries, counted.
private func burden(_ node: AnyNode) -> [Int] {
  [
    node.downstreamNodes.count, node.downstreamTransforms.count, node.listenerCount,
    checkInvariants([node]).count,
  ]
}

/// How much memory `body` leaves behind after it ran once before; a process of its own, so nobody
/// else allocates.
private func growth(_ body: () -> Void) -> Int {
  body()
  body()
  let before = allocatedBytes() ?? 0
  body()
  return (allocatedBytes() ?? 0) - before
}

/// Room for a lazily made table; a dead entry each of 100,000 would be more than a megabyte.
private let slack = 64 * 1024

extension `Depth` {
  @Suite(.serialized) struct Churn {
    @Test
    func `9.8 100,000 derived nodes and listeners made and dropped leave set cost where it was`() {
      let a = MutableNode(1)
      let kept = a.map { $0 + 1 }
      let recorder = Recorder(kept)
      let before = burden(a)
      for _ in 0..<count {
        _ = a.map { $0 }
        _ = a.listen { _ in }
      }
      #expect(burden(a) == before && before == [1, 1, 0, 0])
      let log = traced { a.value = 2 }
      // One edge is run, one listener called, and nothing stops at a dead one.
      #expect(log.events(of: a).map(\.line).filter { $0.contains("stopped") } == [])
      #expect(log.events(of: a, kept).count { $0.line.contains("stored") } == 2)
      #expect(recorder.values == [2, 3])
    }

    @Test func `9.8 made in a listener's turn, they are gone when the turn ends`() {
      let a = MutableNode(1)
      let listening = a.listen { [unowned a] value in
        if value != 2 { return }
        for _ in 0..<count {
          _ = a.map { $0 }
          _ = a.listen { _ in }
        }
      }
      let before = burden(a)
      a.value = 2
      #expect(burden(a) == before && before == [0, 0, 1, 0])
      listening.cancel()
    }

    @Test func `9.8 100,000 kept at once and dropped together leave nothing either`() {
      let a = MutableNode(1)
      var nodes = (0..<count).map { _ in a.fork() }
      var listenings = (0..<count).map { _ in a.listen { _ in } }
      #expect(burden(a) == [count, count, count, 0])
      // Counted after the look: the optimiser may not let them go before.
      #expect(nodes.count + listenings.count == 2 * count)
      nodes = []
      listenings = []
      #expect(burden(a) == [0, 0, 0, 0])
      #expect(nodes.isEmpty && listenings.isEmpty)
    }

    @Test func `9.8 derived nodes made and dropped leave memory where it was`() async {
      await #expect(processExitsWith: .success) {
        let a = MutableNode(1)
        let bytes = growth {
          for _ in 0..<count {
            _ = a.map { $0 }.filter { $0 > 0 }
            _ = a.combine(a).map { $0.0 }
            _ = a.skip(1)
          }
        }
        #expect(bytes < slack)
      }
    }

    @Test func `9.8 listeners of each ownership made and dropped leave memory where it was`() async
    {
      await #expect(processExitsWith: .success) {
        final class Owner: Sendable {}
        final class Panel: ListeningOwner, Sendable {
          let listenings = CancelableBag()
        }
        let a = MutableNode(1)
        let lasting = Owner()
        let bytes = growth {
          for _ in 0..<count / 4 {
            _ = a.listen { _ in }
            let owner = Owner()
            a.listen(by: owner) { _, _ in }
            let panel = Panel()
            a.listen(by: panel) { _, _ in }
            a.listen(by: lasting) { _, _ in }.cancel()
          }
          // Dead owners are found at the latest with the next event of the node.
          a.value = 2
        }
        #expect(a.listenerCount == 0)
        #expect(bytes < slack)
      }
    }

    @Test func `9.8 made and dropped in a listener's turn, they leave memory where it was`() async {
      await #expect(processExitsWith: .success) {
        let a = MutableNode(1)
        let listening = a.listen { [unowned a] value in
          if value != 2 { return }
          for _ in 0..<count {
            _ = a.map { $0 }
            _ = a.listen { _ in }
          }
        }
        let bytes = growth { a.value = 2 }
        #expect(bytes < slack)
        listening.cancel()
      }
    }

    @Test func `14.5 a clock's cancelled timers leave memory where it was, behind one that waits`()
      async
    {
      await #expect(processExitsWith: .success) {
        let scheduler = ClockScheduler(ContinuousClock())
        let waits = scheduler.schedule(after: .seconds(500)) {}
        let bytes = growth {
          for _ in 0..<count { scheduler.schedule(after: .seconds(600)) {}.cancel() }
        }
        #expect(bytes < slack)
        waits.cancel()
      }
    }

    @Test func `9.8 links and syncs made and cut leave memory where it was`() async {
      await #expect(processExitsWith: .success) {
        let (a, b) = (MutableNode(1), MutableNode(2))
        let bytes = growth {
          for _ in 0..<count / 10 {
            b.link(to: a).cancel()
            a.sync(with: b).cancel()
          }
        }
        #expect(a.upstreamNodes.isEmpty && b.upstreamNodes.isEmpty)
        #expect(bytes < slack)
      }
    }
  }

  @Suite(.serialized) struct Removal {
    enum Order: CaseIterable { case first, last, random }

    /// How long it takes: the growth rows "n listenings of one node, cancelled …".
    @Test(arguments: Order.allCases)
    func `9.8 100,000 listeners of one node are removed in any order`(order: Order) {
      let node = MutableNode(1), told = Mutex(0)
      var listenings = (0..<count).map { _ in node.listen { _ in told.withLock { $0 += 1 } } }
      switch order {
      case .first: break
      case .last: listenings.reverse()
      case .random: listenings.shuffle()
      }
      for listening in listenings.dropLast(10) { listening.cancel() }
      node.value = 2
      #expect(told.withLock { $0 } == count + 10 && node.listenerCount == 10)
      for listening in listenings.suffix(10) { listening.cancel() }
      #expect(!node.hasListener && checkInvariants([node]) == [])
    }
  }
}
