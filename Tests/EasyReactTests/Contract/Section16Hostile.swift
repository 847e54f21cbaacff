import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

/// Contract 16 under rough treatment: edges cut in mid-run, other threads, events, shapes that move.
@Suite(.watched) struct Section16Hostile {
  // MARK: Cuts

  @Test func `16.1 a closure that cuts what it has read follows the rest, and reads it anew`() {
    let step = MutableNode(0), nodes = (1...3).map { MutableNode($0) }
    let place = Mutex<Node<Int>?>(nil)
    let sum = Node.derived {
      let last = try step.get()
      var sum = 0
      if last == 1 {
        sum = try nodes[0].get()
        place.withLock { $0 }?.wiring.removeUpstreamNode(nodes[0])
      } else {
        for node in nodes.prefix(last == 0 ? 3 : 2) { sum += try node.get() }
      }
      return sum
    }
    place.withLock { $0 = sum }
    defer { place.withLock { $0 = nil } }
    let told = Recorder(sum)
    step.value = 1
    #expect(sum.upstreamNodes == [step])
    for node in nodes { node.value = 10 }
    step.value = 2
    #expect(Set(sum.upstreamNodes) == [step, nodes[0], nodes[1]])
    nodes[0].value = 20
    #expect(told.values == [6, 1, 20, 30])
    #expect(checkInvariants(nodes) == [])
  }

  /// The cut waits in the mailbox while the derivation runs.
  @Test func `16.1 an edge that another thread has just cut is there again after the next run`() {
    let a = MutableNode(1), again = MutableNode(0)
    let isInside = DispatchSemaphore(value: 0), isCut = DispatchSemaphore(value: 0)
    let before = Node.derived {
      if try again.get() == 0 { return 0 }
      isInside.signal()
      wait(for: isCut)
      return nil
    }
    let sum = Node.derived { try again.get() * 100 + before.get() + a.get() }
    Thread {
      wait(for: isInside)
      sum.wiring.removeUpstreamNode(a)
      isCut.signal()
    }.start()
    again.value = 1
    #expect(sum.value == 101)
    #expect(Set(sum.upstreamNodes) == [again, before, a])
    a.value = 5
    #expect(sum.value == 105)
    #expect(checkInvariants([a, again]) == [])
  }

  /// The message that takes the cut edge out comes while the new edges are made.
  @Test func `16.1 what another thread sets and cuts between the read and the link is not missed`()
  {
    let step = MutableNode(0), isInside = DispatchSemaphore(value: 0)
    let isCut = DispatchSemaphore(value: 0), isFirst = Mutex(true),
      nodes = (0..<12).map { MutableNode($0) }
    let sum = Node.derived {
      let last = try step.get()
      let sum = try nodes[0].get() + (last == 0 ? 0 : nodes[1...].reduce(0) { try $0 + $1.get() })
      if last == 1,
        isFirst.withLock({ isFirst in
          defer { isFirst = false }; return isFirst
        })
      {
        isInside.signal()
        wait(for: isCut)
      }
      return sum
    }
    Thread {
      wait(for: isInside)
      nodes[1].value = 100
      sum.wiring.removeUpstreamNode(nodes[0])
      isCut.signal()
    }.start()
    step.value = 1
    #expect(settle())
    #expect(sum.value == 66 - 1 + 100)
    #expect(Set(sum.upstreamNodes) == Set([step] + nodes))
    for node in nodes { node.value = 1 }
    #expect(sum.value == 12)
    #expect(checkInvariants(nodes) == [])
  }

  // MARK: What is read

  @Test func `16.1 to print a node, or to draw the graph, is no read`() {
    let a = MutableNode(1), b = MutableNode(2), double = a.map { $0 * 2 }
    let sum = Node.derived {
      _ = "\(a) \(double)" + double.dot() + double.mermaid() + "\(double.snapshot())"
      return try b.get()
    }
    #expect(sum.upstreamNodes == [b])
    let isThere = Node.derived { !a.isEmpty }
    #expect(isThere.upstreamNodes == [a])
  }

  @Test func `16.1 an event of a node that it reads makes it run, and it keeps what it tells`() {
    let taps = MutableNode<Void>.eventNode(), price = MutableNode(4), runs = Journal<Int>()
    let shown = Node.derived {
      runs.note(taps.value == nil ? 0 : 1)
      return try price.get()
    }
    let told = Recorder(shown)
    taps.fire()
    #expect(shown.value == 4)
    price.value = 5
    taps.fire()
    #expect(shown.value == 5)
    #expect(told.values == [4, 4, 5, 5])
    #expect(runs.entries == [0, 0, 0, 0])
  }

  @Test func `16.1 nil of a node of optionals is a value, to read and to tell`() {
    let name = MutableNode<String?>(nil), other = MutableNode<String?>()
    let shown = Node.derived { try name.get() ?? "nobody" }
    let copy = Node<String?>.derived { .some(try other.get()) }
    let told = Recorder(shown), copied = Recorder(copy)
    #expect(copy.isEmpty)
    name.set("Li Lei")
    other.set(nil)
    other.set("Han Meimei")
    name.set(nil)
    #expect(told.values == ["nobody", "Li Lei", "nobody"])
    #expect(copied.values == [nil, "Han Meimei"])
  }

  @Test
  func `16.3 untracked nests, ends where it throws, and a derivation in it tracks for itself`() {
    struct Stop: Error {}
    let a = MutableNode(1), b = MutableNode(10), c = MutableNode(100), d = MutableNode(1000)
    let inner = Journal<Node<Int>>()
    let sum = Node.derived {
      let first = untracked { untracked { a.current } + b.current }
      try? untracked { throw Stop() }
      let made = untracked {
        let node = Node.derived { try c.get() * 2 }
        return (node, node.current, b.current)
      }
      inner.note(made.0)
      return try first + made.1 + d.get()
    }
    #expect(sum.value == 1211)
    #expect(sum.upstreamNodes == [d])
    #expect(inner.entries[0].upstreamNodes == [c])
    c.value = 200
    #expect(inner.entries[0].value == 400)
    #expect(inner.entries.count == 1)
  }

  @Test func `16.1 nodes that the closure makes and reads live as long as it follows them`() throws
  {
    let a = MutableNode(1), isOn = MutableNode(true)
    try expectFreed {
      let sum = Node.derived {
        let double = a.map { $0 * 2 }, both = double.combine(a).map { $0 + $1 }
        let listening = both.listen { _ in }
        defer { listening.cancel() }
        return try isOn.get() ? both.get() : 0
      }
      let told = Recorder(sum)
      a.value = 2
      a.value = 3
      #expect(told.values == [3, 6, 9])
      isOn.value = false
      #expect(!a.hasDownstreamNode)
      isOn.value = true
      #expect(sum.value == 9)
      #expect(checkInvariants([a, sum]) == [])
    }
    #expect(!a.hasDownstreamNode)
  }

  @Test func `16.1 who turns to one that may yet say nothing is told what it holds`() {
    let a = MutableNode(1), odd = Node.derived { try a.get() % 2 == 1 ? a.get() : nil }
    let choice = MutableNode(0), other = MutableNode(-1)
    let chosen = choice.flattenMap(mode: .everyValue) { $0 == 0 ? other : odd }
    let told = Recorder(chosen)
    let cut = MutableNode<Int>()
    let listening = cut.listen { _ in
      odd.wiring.removeUpstreamNodes()
      choice.value = 1
    }
    batch {
      a.value = 2  // the derivation waits for its run
      cut.value = 1
    }
    #expect(told.values == [-1, 1])
    keepAlive(listening)
  }

  // MARK: Where it is made

  @Test
  func `16.2 made in a batch it computes from what is stored, and is told of what was staged`() {
    let a = MutableNode(1), b = MutableNode(2), told = Journal<Int>()
    let (sum, listening) = batch {
      a.value = 10
      let sum = Node.derived { try a.get() + b.get() }
      let listening = sum.listen { told.note($0) }
      b.value = 20
      return (sum, listening)
    }
    #expect(sum.value == 30)
    #expect(told.entries == [3, 30])
    keepAlive(listening)
  }

  @Test func `16.2 made by a listener in mid-turn it ends with what is final`() {
    let a = MutableNode(1), double = a.map { $0 * 2 }, both = double.combine(a).map { $0 + $1 }
    let made = Journal<Node<Int>>(), told = Journal<Int>(), bag = CancelableBag()
    let listening = a.listen { _ in
      let sum = Node.derived { try a.get() * 100 + both.get() }
      made.note(sum)
      sum.listen { told.note($0) }.store(in: bag)
    }
    #expect(told.entries == [103])
    a.value = 2
    #expect(told.entries.suffix(3) == [203, 206, 206])
    #expect(made.entries.map(\.value) == [206, 206])
    bag.cancel()
    keepAlive(listening)
  }

  // MARK: Shapes

  @Test(arguments: [1_000, 8_000])
  func `16.5 half of many nodes come and go at a cost that grows with their number`(size: Int) {
    let nodes = (0..<size).map { MutableNode($0) }, step = MutableNode(0)
    let sum = Node.derived {
      let last = try step.get()
      var sum = 0
      for place in 0..<size where last % 2 == 0 || place % 2 == 0 { sum &+= nodes[place].current }
      return sum
    }
    let below = (0..<100).reduce(sum) { last, _ in last.map { $0 } }
    let looks = shapeLooks { for turn in 1...10 { step.value = turn } }
    #expect(looks <= 10 * size * 6)
    #expect(below.value == size * (size - 1) / 2)
    #expect(sum.upstreamNodes.count == size + 1)
  }

  /// Each of the nodes hangs on the derivation too, so each edge leads back.
  @Test(arguments: [100, 800])
  func `16.5 on cycles as well`(size: Int) {
    let step = MutableNode(0), nodes = (0..<size).map { MutableNode($0) }
    let sum = Node.derived {
      let last = try step.get()
      var sum = last
      for place in 0..<size where last % 2 == 0 || place % 2 == 0 {
        sum &+= nodes[place].current &* 0
      }
      return sum
    }
    for node in nodes { node.link(to: sum) }
    let looks = shapeLooks { for turn in 1...4 { step.value = turn } }
    #expect(looks <= 4 * size * 60)
    #expect(sum.value == 4)
    #expect(checkInvariants([sum]) == [])
    for node in nodes { node.wiring.removeUpstreamNodes() }
  }

  @Test func `16.4 a ring of derivations ends, and opens when a run reads another way`() {
    let start = MutableNode(1), ring = Mutex<[Node<Int>]>([])
    let isClosed = MutableNode(false)
    for place in 0..<3 {
      let node = Node.derived {
        let isFirst = place == 0
        if isFirst, try isClosed.get() {
          return try start.get() + (ring.withLock { $0[2] }.value ?? 0) % 10
        }
        return try isFirst ? start.get() : ring.withLock { $0[place - 1] }.get() + 1
      }
      ring.withLock { $0.append(node) }
    }
    let nodes = ring.withLock { $0 }, told = nodes.map { Recorder($0) }
    isClosed.value = true
    #expect(Set(nodes[0].upstreamNodes) == [start, isClosed, nodes[2]])
    #expect(told.map(\.values) == [[1, 4], [2, 5], [3, 6]])
    start.value = 2
    #expect(told.map(\.values.count) == [3, 3, 3])
    #expect(nodes.map(\.value) == [8, 9, 10])
    isClosed.value = false
    #expect(nodes.map(\.value) == [2, 3, 4])
    #expect(!nodes[2].hasDownstreamNode)
    #expect(checkInvariants(nodes) == [])
    ring.withLock { $0 = [] }
  }

  // MARK: Other threads

  @Test func `16.2 dropped while its run waits with another thread, nothing is left of it`() throws
  {
    let a = MutableNode(1), b = MutableNode(10)
    try expectFreed {
      var sum: Node<Int>? = Node.derived { try a.get() + b.get() }
      var listening: Listening? = sum!.listen { _ in }
      whileInside(a, settingTo: 2) {
        b.value = 20
        a.value = 3
        listening = nil
        sum = nil
        b.value = 30
      }
      keepAlive(listening)
    }
    #expect(settle())
    #expect(!a.hasDownstreamNode && !b.hasDownstreamNode)
  }

  @Test func `16.1 made while another thread is inside what it reads, it hears the newest value`() {
    let a = MutableNode(1), b = MutableNode(10)
    let made = Journal<Node<Int>>()
    whileInside(a, settingTo: 2) {
      let sum = Node.derived { try a.get() + b.get() }
      made.note(sum)
      a.value = 3
      b.value = 20
    }
    #expect(settle())
    #expect(made.entries[0].value == 23)
    #expect(made.entries[0].upstreamNodes == [a, b])
    #expect(checkInvariants([a, b]) == [])
  }

  @Test(arguments: 0..<UInt64(6))
  func `16.2 made, read, cut and dropped on several threads, they leave nothing and end equal`(
    seed: UInt64
  ) async {
    let sources = (0..<6).map { MutableNode($0) }
    let shared = Node.derived {
      var sum = 0
      for turn in 0..<4 { sum = (sum + sources[(sum + turn) % 6].current) % 1_000 }
      return sum
    }
    let listening = shared.listen { _ in }
    onThreads(4) { thread in
      var random = SeededGenerator(seed: seed &* 10 &+ UInt64(thread))
      for _ in 0..<Int(200 * Stress.scale) {
        let some = (0..<12).map { _ in Int.random(in: 0..<6, using: &random) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          let mine = Node.derived {
            var sum = shared.current
            for turn in 0..<4 { sum = (sum + sources[some[(sum + turn) % 12]].current) % 1_000 }
            return sum
          }
          let told = Recorder(mine)
          sources[some[0]].value = some[1]
          _ = told.values.count
        case 1: shared.wiring.removeUpstreamNode(sources[some[0]])
        case 2: _ = shared.value
        default: sources[some[0]].value = Int.random(in: 0..<20, using: &random)
        }
      }
    }
    #expect(await settle())
    // What was cut is followed again once it is read.
    for source in sources + sources { source.value! += 1 }
    #expect(sources.allSatisfy { $0.downstreamNodes.allSatisfy { $0 == shared } }, "seed \(seed)")
    #expect(checkInvariants(sources) == [], "seed \(seed)")
    keepAlive(listening)
  }

  // MARK: What dies in a run

  /// A value whose end sets a node.
  private final class Last: Sendable {
    let number: Int
    private let heard: MutableNode<Int>
    init(_ number: Int, _ heard: MutableNode<Int>) { (self.number, self.heard) = (number, heard) }
    deinit { heard.value = number }
  }

  @Test(arguments: [false, true])
  func `16.2 a value that another thread replaces while the closure runs dies behind the run`(
    isUntracked: Bool
  ) {
    let heard = MutableNode<Int>(), step = MutableNode(0)
    let source = MutableNode<Last>(Last(1, heard)), name = MutableNode("a")
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let runs = Tally()
    let sum = Node.derived {
      let number = try step.get()
      let last = isUntracked ? untracked { source.current } : try source.get()
      if number == 1, runs.add() == 1 {
        isInside.signal()
        wait(for: mayGo)
      }
      return try last.number * 10 + number + name.get().count
    }
    let told = Recorder(sum)
    onThreads(2) { number in
      if number == 0 { return step.value = 1 }
      wait(for: isInside)
      source.value = Last(2, heard)
      #expect(heard.isEmpty)
      mayGo.signal()
    }
    #expect(settle())
    #expect(heard.value == 1)
    // What is read in `untracked` does not make it run.
    #expect(told.values.last == (isUntracked ? 12 : 22))
    step.value = 2
    #expect(sum.value == 23)
    #expect(heard.value == 1)
  }

  @Test func `16.2 so it does in a derivation that another one's closure has made`() {
    let heard = MutableNode<Int>(), step = MutableNode(0)
    let source = MutableNode<Last>(Last(1, heard))
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let runs = Tally()
    let sum = Node.derived {
      let number = try step.get()
      let inner = Node.derived {
        let last = try source.get()
        if number == 1, runs.add() == 1 {
          isInside.signal()
          wait(for: mayGo)
        }
        return last.number
      }
      return try number * 10 + inner.get()
    }
    onThreads(2) { number in
      if number == 0 { return step.value = 1 }
      wait(for: isInside)
      source.value = Last(2, heard)
      mayGo.signal()
    }
    #expect(settle())
    #expect(heard.value == 1)
    #expect(sum.value == 12)
  }

  @Test func `12.4 a tracer may set nodes while the closure of a derivation makes one`() {
    final class Setter: GraphTracer {
      let made = MutableNode(0)
      func trace(_ event: GraphEvent) { if case .nodeMade = event.kind { made.update { $0 += 1 } } }
    }
    let a = MutableNode(1), setter = Setter(), place = Mutex<Node<Int>?>(nil)
    traced(by: setter) {
      place.withLock { $0 = Node.derived { try a.get() + MutableNode(2).current } }
    }
    #expect(place.withLock { $0?.value } == 3)
    #expect(setter.made.current >= 2)
  }
}
