import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

/// Defects that a review of the engine found: each of these failed, crashed or hung before.
@Suite(.watched) struct RaceTests {
  private final class Held<Content: Sendable>: Sendable {
    private let content: Mutex<Content>
    init(_ content: Content) { self.content = Mutex(content) }
    var now: Content {
      get { content.withLock { $0 } }
      set {
        let old = content.withLock { content in
          defer { content = newValue }
          return content
        }
        _ = consume old
      }
    }
  }

  /// Two bodies at once, begun as close together as can be.
  private func race(_ bodies: (@Sendable () -> Void)...) {
    let gate = StartingGate(for: bodies.count)
    onThreads(bodies.count) { number in
      gate.pass()
      bodies[number]()
    }
  }

  /// Who opens a ring looks at the joins that lead there, and makes them go down, but is not inside them.
  @Test func `4.4, 7.4 a set settles while another thread opens a ring that its joins lead to`() {
    let source = MutableNode(0), other = MutableNode(0), ring = MutableNode<Int>()
    let joins = (0..<20).map { _ in source.combine(other).map { $0 + $1 } }
    let sum = Node.combine(joins).map { $0.reduce(0, +) }
    for join in joins { ring.link(to: join.filter { _ in false }) }
    let high = (0..<10).reduce(MutableNode(0) as Node<Int>) { node, _ in node.map { $0 } }
    let rounds = Stress.part(of: 50), sets = 100, late = Atomic(0)
    var wentDown = 0
    for round in 0..<rounds {
      other.link(to: high).cancel()  // the joins rise
      let end = MutableNode<Int>(), followers = (0..<1_000).map { _ in end.map { $0 } }
      let link = ring.link(to: end), back = end.link(to: ring)
      let before = ranks(of: [joins[0]])
      race(
        {
          for value in round * sets..<(round + 1) * sets {
            source.value = value
            if sum.value != 20 * value { late.add(1, ordering: .relaxed) }
          }
        }, { link.cancel() })
      if ranks(of: [joins[0]]).upperBound < before.lowerBound { wentDown += 1 }
      back.cancel()
      withExtendedLifetime(followers) {}
    }
    #expect(wentDown == rounds && late.load(ordering: .relaxed) == 0)
  }

  @Test func `ranks rise while other threads free the nodes below`() {
    Stress.rounds(100) { round in
      let hub = MutableNode(0)
      race(
        {
          var top: Node<Int> = MutableNode(1)
          for _ in 0..<60 {
            top = top.map { $0 + 1 }
            hub.link(to: top)
          }
        },
        {
          for _ in 0..<100 {
            let below = (0..<20).map { _ in hub.map { $0 }.map { $0 } }
            round.expect(below.count == 20, "not all were made")
          }
        })
      round.expectRest([hub])
    }
  }

  /// The link looked for cycles before the merge's last edge was there, and the merge for followers before the link was: the ranks rose
  /// for ever, under the lock of the shape.
  @Test(arguments: [false, true])
  func `2.1, 5.1 a merge that is being made is found and linked by another thread`(
    _ leadsOn: Bool
  ) {
    let deep = chain(leadsOn ? 2_000 : 0, from: MutableNode<Int>())
    Stress.rounds(60) { round in
      let first = chain(400, from: MutableNode<Int>()), last = MutableNode<Int>()
      let below = chain(400, from: last)
      let nodes = [first] + (0..<(leadsOn ? 1_000 : 300)).map { _ in Node<Int>() } + [last]
      let made = Journal<Node<Int>>(), links = CancelableBag()
      round.threads(2) { member in
        if member == 0 { return made.note(Node.merge(nodes)) }
        var found: Node<Int>?
        while found == nil, made.count == 0 { found = first.downstreamNodes.first as? Node<Int> }
        let merged = found ?? made.entries[0]
        last.link(to: merged).store(in: links)
        if leadsOn { merged.wiring.link(to: deep).store(in: links) }
      }
      round.expectRest(made.entries)
      links.cancel()
      made.entries[0].wiring.removeUpstreamNodes()
      keepAlive(below)
    }
  }

  /// Its maker lifts the node above one upstream after the other, here while a link that raises the one before has it in hand.
  @Test func `5.1, 7.1 a node that is made while a link raises what it follows comes above that`() {
    let early = chain(500, from: MutableNode(0)), late = chain(900, from: MutableNode(0))
    let hub = MutableNode(0), passed = chain(100, from: hub)
    // On a cycle, and once below a long chain: of a low rank, and a high top.
    let low = MutableNode<Int>(), high = MutableNode<Int>()
    high.link(to: low)
    low.link(to: high.filter { _ in false })
    high.link(to: chain(2_000, from: MutableNode<Int>())).cancel()
    let above = passed.upstreamNodes
    let made = Journal<Node<[Int]>>(), mayLink = DispatchSemaphore(value: 0)
    withShortLock(of: passed) {
      withShortLock(of: late) {
        onThreads(2) { thread in
          if thread == 0 { return made.note(Node.combine([early, hub, late])) }
          wait(for: mayLink)
          hub.link(to: low)
        }
      } until: {
        if edgeCount(below: hub) < 2 { return false }
        mayLink.signal()
        return tops(of: above).lowerBound >= 2_000
      }
    } until: {
      edgeCount(below: late) > 0
    }
    #expect(checkInvariants(made.entries) == [])
    keepAlive(low, high)
  }

  /// It was found before its second edge was there, and led back to where that came from, in the midst of a search for cycles.
  @Test func `5.1 another thread leads what is made back to its upstream, again and again`() {
    let first = MutableNode<Int>(), source = MutableNode<Int>()
    let end = (0..<5).reduce(source as Node<Int>) { node, _ in node.map { $0 } }
    let isOver = Tally(), links = Tally()
    race(
      {
        while links.count < Stress.part(of: 20_000) { withExtendedLifetime(first.merge(end)) {} }
        isOver.add()
      },
      {
        while isOver.count == 0 {
          guard let found = first.downstreamNodes.first as? Node<Int> else { continue }
          source.link(to: found).cancel()
          links.add()
        }
      })
    #expect(settle())  // a thousand messages may be with a queue
    #expect(checkInvariants([first, source, end]) == [])
  }

  /// Joins are lifted by the thread that makes them, without the lock of the shape.
  @Test func `ranks are counted anew while another thread makes merges`() {
    withRankLimit(64) { Stress.rounds(8, countAnewBesideMerges) }
  }

  private func countAnewBesideMerges(_ round: Round) {
    let nodes = (0..<2).map { _ in MutableNode<Int>() }
    for node in nodes { node.link(to: Node<Int>()) }
    let below = nodes.map { node in (0..<20).map { _ in node.map { $0 } } }
    let deep = (0..<30).reduce(nodes[0] as Node<Int>) { node, _ in node.map { $0 } }
    let isOver = Tally()
    race(
      {
        for _ in 0..<1_000 {
          nodes[0].link(to: nodes[1]).cancel()
          nodes[1].link(to: nodes[0]).cancel()
        }
        isOver.add()
      },
      {
        while isOver.count == 0 {
          let merged = Node.merge(
            [nodes[0], nodes[1], below[0][0], deep, below[1][0]] + below[0] + [deep])
          #expect(merged.isEmpty)
        }
      })
    round.expectRest(nodes)
  }

  /// A thread may have read the region of a node a moment ago, and claim it now. Seen by AddressSanitizer alone.
  @Test func `7.1 where a node has been is there as long as the node`() {
    var source: MutableNode<Int>? = MutableNode(0)
    let node = source!.map { $0 }, was = RegionOfNode(node)
    _ = node.mutablify()
    node.wiring.removeUpstreamNodes()
    source = nil
    for _ in 0..<3 {
      // Each takes the region of the source, and gives it back.
      let branch = node.map { $0 }, other = node.map { $0 }
      _ = branch.mutablify()
      #expect(!was.isFree || RegionOfNode(branch).isFree)
      _ = other.mutablify()
      #expect(checkInvariants([node, branch, other]) == [])
    }
    #expect(!was.isFree)
  }

  /// The value of the inner node was left behind the message that frees its edge: seen by AddressSanitizer alone.
  @Test(arguments: ["mergeMap", "flattenMap"])
  func `an inner node is chosen again while another thread cuts its edge`(_ name: String) async {
    await #expect(processExitsWith: .success) { [name] in
      GraphLimits.messagesPerTurn = 2
      Stress.rounds(Sanitizer.present == .address ? 10_000 : 500) { round in
        let outer = MutableNode(0), inner = MutableNode("")
        let result =
          name == "mergeMap"
          ? outer.mergeMap { _ in inner } : outer.flattenMap(mode: .everyValue) { _ in inner }
        let listening = result.listen { if $0.count % 4 == 0 { letOthersRun() } }
        round.threads(3) { member in
          for number in 0..<60 {
            switch member {
            case 0: outer.value = number
            case 1: inner.value = String(repeating: "a", count: number)
            default: inner.wiring.removeDownstreamNode(result)
            }
          }
        }
        round.expect(settle(), "it does not come to rest")
        keepAlive(listening)
      }
    }
  }

  @Test func `a sync is cancelled while one of its nodes goes`() {
    for _ in 0..<2_000 {
      let b = MutableNode(2)
      let a = Held<MutableNode<Int>?>(MutableNode(1))
      let sync = b.sync(with: a.now!)
      race({ a.now = nil }, { sync.cancel() })
      #expect(!b.hasUpstreamNode && !b.hasDownstreamNode)
      #expect(settle())
      #expect(checkInvariants([b]) == [])
    }
  }

  @Test func `7.6 a combine of every value ends with the last values whatever threads set`() {
    for _ in 0..<300 {
      let a = MutableNode(0), b = MutableNode(0)
      let both = a.combine(b, mode: .everyValue)
      race({ for value in 1...50 { a.value = value } }, { for value in 1...50 { b.value = value } })
      #expect(both.value! == (50, 50))
    }
  }

  @Test func `a combine of every value loses an upstream while the other is set`() {
    let a = MutableNode("a")
    for _ in 0..<500 {
      race(
        {
          let b = MutableNode(["b"])
          let both = a.combine(b, mode: .everyValue)
          both.wiring.removeUpstreamNode(b)
        },
        { for number in 0..<20 { a.value = "a\(number)" } })
    }
    #expect(settle())
    #expect(checkInvariants([a]) == [])
  }

  @Test func `2.1 two threads set the two ends of a transform and neither is lost`() {
    for number in 0..<2_000 {
      let a = MutableNode(number), b = Node<Int>()
      let transform = NodeTransform<Int, Int>()
      race({ transform.from = a }, { transform.to = b })
      #expect(transform.from === a && transform.to === b)
      #expect(b.value == number)
      #expect(b.upstreamTransforms.count == 1 && a.downstreamTransforms.count == 1)
    }
  }

  /// A thread that noted the transform in a node, a moment after another had given it its other end,
  /// left it there twice.
  @Test func `2.1 threads set and take the ends of a transform, which shows where it is and once`()
  {
    Stress.rounds(3_000) { round in
      let nodes = (0..<3).map { MutableNode($0) }, transform = NodeTransform<Int, Int>()
      round.threads(3) { member in
        switch member {
        case 0: transform.from = nodes[0]
        case 1: transform.to = nodes[1]
        default:
          transform.from = nodes[2]
          transform.from = nil
        }
      }
      let from = transform.from, to = transform.to
      for (number, node) in nodes.enumerated() {
        let (ins, outs) = (node.upstreamTransforms.count, node.downstreamTransforms.count)
        round.expect(ins == (to === node ? 1 : 0), "node \(number): \(ins) upstream transforms")
        round.expect(outs == (from === node ? 1 : 0), "node \(number): \(outs) downstream")
      }
      transform.to = nil
    }
  }

  @Test func `a snapshot is taken while a transform is re-pointed`() {
    let a = MutableNode(1), b = Node<Int>(), c = Node<Int>()
    let transform = NodeTransform<Int, Int>()
    b.wiring.link(to: a, through: transform)
    race(
      {
        for _ in 0..<2_000 {
          transform.to = c
          transform.to = b
        }
      },
      { for _ in 0..<2_000 { #expect(a.snapshot().nodes.count >= 1) } })
    #expect(a.snapshot().edges.count == 1)
  }

  @Test
  func `a tracer may ask a transform for its name when its edge is cut`() {
    // The cut is left with the thread that is inside `a`, and the tracer hears of that.
    let a = MutableNode(1), b = Node<Int>()
    let transform = NodeTransform<Int, Int>()
    b.wiring.link(to: a, through: transform)
    struct Asking: GraphTracer {
      let transform: AnyNodeTransform
      let node: UInt64
      let heard: Tally
      func trace(_ event: GraphEvent) {
        if event.node == node, case .stopped(.leftInMailbox) = event.kind, transform.name != "" {
          heard.add()
        }
      }
    }
    let inside = DispatchSemaphore(value: 0), left = DispatchSemaphore(value: 0)
    let heard = Tally()
    let listening = a.listen { value in
      if value == 2 {
        inside.signal()
        wait(for: left)
      }
    }
    // Whoever traces may wait for all graphs to come to rest, so nobody waits for the tracer inside of one.
    traced(by: Asking(transform: transform, node: a.id, heard: heard)) {
      race(
        { a.value = 2 },
        {
          wait(for: inside)
          transform.to = nil
          left.signal()
        })
    }
    #expect(heard.count > 0)
    #expect(transform.to == nil)
    listening.cancel()
  }

  /// AddressSanitizer saw this one: the message was looked at after it had been left, and so opened and
  /// freed.
  @Test func `a tracer hears of what is left in the mailbox, though it is opened by then`() {
    struct Counting: GraphTracer {
      let heard = Shared()
      final class Shared: Sendable { let tally = Tally() }
      func trace(_ event: GraphEvent) {
        if case .stopped(.leftInMailbox) = event.kind, event.node != 0 { heard.tally.add() }
      }
    }
    let hub = MutableNode(0), counting = Counting()
    traced(by: counting) {
      Stress.rounds(100) { round in
        round.threads(4) { member in
          for number in 1...60 {
            if member == 0 { hub.value = number } else { _ = hub.map { $0 }.map { $0 } }
          }
        }
        round.expectRest([hub])
      }
    }
    #expect(counting.heard.tally.count > 0)
    #expect(!hub.hasDownstreamNode)
  }

  @Test func `4.3 what other threads set while a batch is open is no part of it`() {
    struct Failure: Error {}
    let a = MutableNode(0), out = MutableNode(0)
    let listening = a.listen { out.value = $0 }
    let inside = DispatchSemaphore(value: 0), left = DispatchSemaphore(value: 0)
    race(
      {
        #expect(throws: Failure.self) {
          try batch {
            out.value = 5
            let mapped = a.map { value -> Int in
              if value == 0 {
                inside.signal()
                wait(for: left)
              }
              return value
            }
            #expect(mapped.value == 7)
            #expect(out.value == 5)
            throw Failure()
          }
        }
      },
      {
        wait(for: inside)
        a.value = 7
        left.signal()
      })
    #expect(a.value == 7)
    #expect(out.value == 7)
    listening.cancel()
  }

  @Test func `a node that changed regions is used while the region that it left ends`() {
    for _ in 0..<300 {
      let shared = Held<Node<Int>?>(nil)
      race(
        {
          for number in 0..<20 {
            let derived = MutableNode(number).map { $0 + 1 }
            shared.now = derived
            derived.wiring.removeUpstreamNodes()
          }
        },
        { for _ in 0..<40 { shared.now?.listen { _ in }.cancel() } })
      #expect(settle())
      #expect(checkInvariants([shared.now!]) == [])
    }
  }

  /// Anybody may call `receive`.
  @Test func `2.6 failures that two threads hand to the edge of a retry are one try each`() {
    struct Failed: Error {}
    typealias Outcome = Result<Int, Failed>
    Stress.rounds(60) { round in
      let base = MutableNode(1), told = Tally()
      let retried = base.retry(times: 1_000) { _ in Node<Outcome>() }
      let edge = retried.upstreamNodes.flatMap(\.upstreamTransforms).lazy
        .compactMap { $0 as? NodeTransform<Outcome, Outcome> }.first { $0.name == "Retry" }
      guard let edge else { return round.expect(false, "there is no edge") }
      let listening = retried.listen { _ in told.add() }
      round.threads(2) { _ in
        for _ in 0..<500 { edge.receive(.failure(Failed()), from: nil, context: nil) }
      }
      round.expect(told.count == 0, "\(told.count) were told before all tries were made")
      edge.receive(.failure(Failed()), from: nil, context: nil)
      round.expect(told.count == 1, "the last was not told")
      keepAlive(listening)
    }
  }
}

/// What a value, a context or a transform does in its own end or turn.
@Suite(.watched) struct ReentranceTests {
  private final class Dying: Sendable {
    let number: Int
    private let last: @Sendable () -> Void
    init(_ number: Int, _ last: @escaping @Sendable () -> Void = {}) {
      self.number = number
      self.last = last
    }
    deinit { last() }
  }

  @Test func `6.1 a value that sets its node when it dies waits for the value that replaced it`() {
    let node = MutableNode<Dying>()
    let heard = Journal<Int>()
    let listening = node.listen { heard.note($0.number) }
    node.value = Dying(1) { node.value = Dying(9) }
    node.value = Dying(2)
    #expect(heard.entries == [1, 2, 9])
    #expect(node.value?.number == 9)
    listening.cancel()
  }

  @Test func `6.1 a value that sets its node when it is cleaned is told after`() {
    final class Hearing: ListenEdge<Dying>, @unchecked Sendable {
      // Unchecked: adds a constant.
      let heard = Journal<Int?>()
      override func receive(_ value: Dying, from sender: AnyNode?, context: (any Sendable)?) {
        heard.note(value.number)
      }
      override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) {
        heard.note(nil)
      }
    }
    let node = MutableNode<Dying>()
    let hearing = Hearing()
    let listening = node.listen(with: hearing)
    node.value = Dying(1) { node.value = Dying(9) }
    node.clean()
    #expect(hearing.heard.entries == [1, nil, 9])
    listening.cancel()
  }

  @Test func `a transform whose end asks the node that it hung on may do so`() {
    final class Asking: NodeTransform<Int, Int>, @unchecked Sendable {
      // Unchecked: adds constants.
      let node: Node<Int>
      let asked: Tally
      init(_ node: Node<Int>, _ asked: Tally) {
        self.node = node
        self.asked = asked
        super.init()
      }
      deinit { if node.downstreamTransforms.count < 100 { asked.add() } }
    }
    Stress.rounds(300) { round in
      let node = MutableNode(0), asked = Tally()
      round.threads(2) { member in
        for _ in 0..<20 {
          let transform = member == 0 ? Asking(node, asked) : NodeTransform<Int, Int>()
          transform.from = node
        }
      }
      round.expect(asked.count == 20, "\(asked.count) ended")
      round.expect(node.downstreamTransforms.isEmpty, "some are left")
    }
  }

  @Test func `a transform that cuts itself while it receives sends nothing any more`() {
    final class Ending: NodeTransform<Int, Int>, @unchecked Sendable {
      // Unchecked: adds no state.
      override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
        if value == 2 { to = nil }
        send(value)
      }
    }
    let a = MutableNode(1), b = Node<Int>()
    b.wiring.link(to: a, through: Ending())
    a.value = 2
    #expect(b.value == 1)
  }
}
