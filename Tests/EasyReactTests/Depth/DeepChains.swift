import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// What a deep chain told of itself, on a thread with a small stack.
private struct Report: Sendable, Equatable {
  var values: [Int?] = []
  var counts: [Int] = []
  var violations: [String] = []
  var isFreed = false
}

private struct Counting: NodeVisitor {
  var nodes = 0
  var edges = 0
  var deepest = 0
  mutating func visit(_ node: AnyNode, depth: Int) -> VisitResult {
    nodes += 1
    deepest = max(deepest, depth)
    return .continue
  }
  mutating func visit(_ transform: AnyNodeTransform) -> VisitResult {
    edges += 1
    return .continue
  }
}

/// Most chains: a million in release builds; in debug builds a quarter, which is twenty times what
/// a recursion of the smallest frame could do on this stack.
#if DEBUG
private let long = 250_000
#else
private let long = 1_000_000
#endif
private let million = 1_000_000

/// Everything here runs on a stack of 512 KiB: recursion by the length of a chain would end the
/// process.
@Suite(
  .watched, .serialized,
  .notUnderSanitizers("their frames and blocks are larger: this measures the stack"))
struct `Depth` {
  @Suite(.serialized) struct Chains {
    @Test
    func
      `3.4 a chain of 1,000,000 derived nodes is built, set, walked and freed on a 512 KiB stack`()
    {
      let report = onSmallStack { () -> Report in
        var report = Report()
        var source: MutableNode<Int>? = MutableNode(0)
        weak let seen = source
        var end: Node<Int>? = source!
        for _ in 0..<million { end = end!.map { $0 + 1 } }
        report.values.append(end!.value)
        var recorder: Recorder<Int>? = Recorder(end!)
        source!.value = 5
        report.values += recorder!.values
        source!.clean()
        source!.set(7, context: "who")
        report.values.append(recorder!.values.last)
        report.counts.append(end!.reachable.reduce(0) { count, _ in count + 1 })
        report.counts.append(source!.reachable.reduce(0) { max($0, $1.depth) })
        source = nil
        end = nil
        recorder = nil
        report.isFreed = seen == nil
        return report
      }
      #expect(
        report
          == Report(
            values: [million, million, million + 5, million + 7], counts: [million + 1, million],
            isFreed: true))
    }

    @Test
    func
      `12.2 a visitor walks a chain of 1,000,000 nodes, and it is freed afterwards with its transforms`()
    {
      let report = onSmallStack { () -> Report in
        var report = Report()
        var source: MutableNode<Int>? = MutableNode(0)
        weak let seen = source
        var end: Node<Int>? = source!
        for _ in 0..<long { end = end!.fork() }
        var visitor = Counting()
        source!.visit(&visitor)
        report.counts = [visitor.nodes, visitor.edges, visitor.deepest]
        source = nil
        end = nil
        report.isFreed = seen == nil
        return report
      }
      #expect(report == Report(counts: [long + 1, long, long], isFreed: true))
    }

    @Test func `12.3 a chain of 1,000,000 nodes is drawn as a snapshot`() {
      let report = onSmallStack { () -> Report in
        var report = Report()
        let source = MutableNode(3)
        var end: Node<Int> = source
        for _ in 0..<long { end = end.map { $0 } }
        let graph = end.snapshot()
        report.counts = [graph.nodes.count, graph.edges.count, graph.nodes[long].depth]
        report.values = [Int(graph.nodes[long / 2].value!)]
        return report
      }
      #expect(report == Report(values: [3], counts: [long + 1, long, -long]))
    }

    @Test(arguments: [(long, false), (long, true)])
    func `3.4 a chain of 1,000,000 links between existing nodes`(count: Int, backwards: Bool) {
      let report = onSmallStack { () -> Report in
        var report = Report()
        let source = MutableNode(1)
        var nodes: [Node<Int>] = [source]
        for _ in 0..<count { nodes.append(Node<Int>()) }
        weak let seen = nodes[count / 2]
        for index in 1...count {
          let place = backwards ? count + 1 - index : index
          nodes[place].wiring.link(to: nodes[place - 1])
        }
        let recorder = Recorder(nodes[count])
        source.value = 2
        report.values = recorder.values
        report.violations = checkInvariants([source])
        nodes = []
        recorder.cancel()
        report.isFreed = seen == nil && !source.hasDownstreamNode
        return report
      }
      #expect(report == Report(values: [1, 2], isFreed: true))
    }

    @Test func `2.5 a chain of 1,000,000 transforms of the user's own`() {
      final class Next: NodeTransform<Int, Int>, @unchecked Sendable {
        // Unchecked: adds no state.
        override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
          send(value + 1)
        }
      }
      let report = onSmallStack { () -> Report in
        var report = Report()
        let source = MutableNode(0)
        var end: Node<Int> = source
        for _ in 0..<long {
          let next = Node<Int>()
          next.wiring.link(to: end, through: Next())
          end = next
        }
        weak let seen = end
        let recorder = Recorder(end)
        source.value = 1
        report.values = recorder.values
        end = source
        recorder.cancel()
        report.isFreed = seen == nil && !source.hasDownstreamNode
        return report
      }
      #expect(report == Report(values: [long, long + 1], isFreed: true))
    }

    @Test func `4.2 a chain of 1,000,000 combines, each told once a set`() {
      let report = onSmallStack { () -> Report in
        var report = Report()
        let source = MutableNode(0)
        let unit = MutableNode(1)
        var end: Node<Int> = source
        for _ in 0..<long { end = end.combine(unit).map { $0.0 + $0.1 } }
        weak let seen = end
        let recorder = Recorder(end)
        source.value = 5
        unit.value = 2  // all of them wait for one another
        report.values = recorder.values
        recorder.cancel()
        end = source
        report.isFreed = seen == nil && !source.hasDownstreamNode && !unit.hasDownstreamNode
        return report
      }
      #expect(report == Report(values: [long, long + 5, 2 * long + 5], isFreed: true))
    }

    @Test(arguments: [(100_000, false), (100_000, true)])
    func `5.3 a chain of 100,000 synced nodes, set at either end, each told once a set`(
      count: Int, backwards: Bool
    ) {
      let report = onSmallStack { () -> Report in
        var report = Report()
        var nodes = (0..<count).map { _ in MutableNode<Int>() }
        for index in 1..<count {
          if backwards {
            nodes[count - index].sync(with: nodes[count - index - 1])
          } else {
            nodes[index].sync(with: nodes[index - 1])
          }
        }
        let recorders = [0, count / 2, count - 1].map { Recorder(nodes[$0]) }
        nodes[0].value = 1
        nodes[count - 1].value = 2
        nodes[count / 2].value = 3
        report.values = recorders.flatMap(\.values)
        report.counts = [nodes.count { $0.value == 3 }]
        report.violations = checkInvariants([nodes[0]])
        weak let seen = nodes[count / 3]
        for recorder in recorders { recorder.cancel() }
        nodes = []
        report.isFreed = seen == nil
        return report
      }
      #expect(
        report == Report(values: [1, 2, 3, 1, 2, 3, 1, 2, 3], counts: [count], isFreed: true))
    }

    @Test
    func `9.1 a node whose value holds a node whose value holds a node, 1,000,000 deep, is freed`()
    {
      final class Holder: Sendable {
        let node: Node<Holder>?
        init(_ node: Node<Holder>?) { self.node = node }
      }
      let isFreed = onSmallStack { () -> Bool in
        var node: Node<Holder>? = Node(Holder(nil))
        weak let innermost = node
        for _ in 0..<million { node = Node(Holder(node)) }
        node = nil
        return innermost == nil
      }
      #expect(isFreed)
    }

    @Test
    func
      `9.1 listeners whose closures hold listenings of further nodes, 1,000,000 deep, are freed`()
    {
      let isFreed = onSmallStack { () -> Bool in
        var listening: Listening = MutableNode(0).listen { _ in }
        weak let innermost = listening
        for _ in 0..<long {
          let inner = listening
          listening = MutableNode<Int>().listen { _ in withExtendedLifetime(inner) {} }
        }
        listening = MutableNode(0).listen { _ in }
        return innermost == nil
      }
      #expect(isFreed)
    }
  }

  @Suite(.serialized) struct Reentrance {
    @Test
    func `6.3 1,000,000 re-entrant sets use no more stack than one, and are all heard in order`() {
      let (count, isOrdered, spread) = onSmallStack { () -> (Int, Bool, UInt) in
        let a = MutableNode<Int>()
        final class Watch: Sendable {
          let state = Mutex((last: 0, ordered: true, low: UInt.max, high: UInt.min))
        }
        let watch = Watch()
        let listening = a.listen { [unowned a] value in
          let place = stackAddress()
          watch.state.withLock { state in
            state.ordered = state.ordered && value == state.last + 1
            state.last = value
            state.low = min(state.low, place)
            state.high = max(state.high, place)
          }
          if value < million { a.value = value + 1 }
        }
        a.value = 1
        listening.cancel()
        return watch.state.withLock { ($0.last, $0.ordered, $0.high - $0.low) }
      }
      #expect(count == million && isOrdered)
      #expect(spread < 4096)
    }

    @Test func `6.3 two nodes that set each other 1,000,000 times use constant stack`() {
      let values = onSmallStack { () -> [Int?] in
        let (a, b) = (MutableNode<Int>(), MutableNode<Int>())
        let there = a.listen { [unowned b] value in if value < long { b.value = value + 1 } }
        let back = b.listen { [unowned a] value in if value < long { a.value = value + 1 } }
        a.value = 0
        there.cancel()
        back.cancel()
        return [a.value, b.value]
      }
      #expect(values == [long, long - 1])
    }
  }
}
