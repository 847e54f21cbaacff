import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

// MARK: - 5.3 Set-up

extension Section5 {
  @Test
  func `5.3 sync: at set-up the other side wins if it is not empty; who changes hears it once`() {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let told = [Recorder(a), Recorder(b)]
    a.sync(with: b)
    #expect(told.map(\.values) == [[1, 2], [2]])
  }

  @Test
  func `5.3 sync: the other side wins also if this one was set later`() {
    let a = MutableNode<Int>()
    let b = MutableNode<Int>()
    b.value = 2
    a.value = 1
    let told = [Recorder(a), Recorder(b)]
    a.sync(with: b)
    #expect(told.map(\.values) == [[1, 2], [2]])
  }

  @Test func `5.3 sync: an empty side takes the other's value, which hears nothing`() {
    let a = MutableNode<Int>()
    let b = MutableNode(2)
    let told = [Recorder(a), Recorder(b)]
    a.sync(with: b)
    #expect(told.map(\.values) == [[2], [2]])
  }

  /// Issue 12, fault 16: each new one told all that were there.
  @Test(arguments: [true, false])
  func `5.3 a chain of syncs that grows by a node tells that node alone`(isSet: Bool) {
    let nodes = (0..<1_000).map { MutableNode($0) }, told = Tally()
    if isSet { for node in nodes { node.value = 7 } }
    let listenings = nodes.map { $0.listen { _ in told.add() } }
    _ = told.take()
    for (before, node) in zip(nodes, nodes.dropFirst()) { node.sync(with: before) }
    #expect(told.count <= 1_000)
    #expect(nodes.allSatisfy { $0.value == nodes[0].value })
    nodes[500].value = -1
    #expect(nodes.allSatisfy { $0.value == -1 })
    keepAlive(listenings as AnyObject)
  }

  @Test func `5.3 sync: else this side's value goes over`() {
    let a = MutableNode(1)
    let b = MutableNode<Int>()
    let told = [Recorder(a), Recorder(b)]
    a.sync(with: b)
    #expect(told.map(\.values) == [[1], [1]])
  }

  @Test func `5.3 sync: both empty, nothing is told`() {
    let a = MutableNode<Int>()
    let b = MutableNode<Int>()
    let told = [Recorder(a), Recorder(b)]
    a.sync(with: b)
    #expect(told.map(\.values) == [[], []])
    b.value = 1
    #expect(told.map(\.values) == [[1], [1]])
  }

  @Test func `5.3 sync: nodes that cannot be set follow each other all the same`() {
    let source = MutableNode(1)
    let a = source.map { $0 }
    let b = Node<Int>()
    b.wiring.sync(with: a)
    source.value = 2
    #expect(b.value == 2)
    #expect(!a.isMutable && !b.isMutable)
  }

  @Test
  func
    `5.3 sync(with transform revert): transform makes the other's value this one's, revert the reverse`()
  {
    let number = MutableNode<Int>()
    let text = MutableNode<String>()
    number.sync(with: text, transform: { Int($0)! / 2 }, revert: { String($0 * 2) })
    let told = (Recorder(number), Recorder(text))
    text.value = "30"
    #expect(number.value == 15)
    number.value = 20
    #expect(text.value == "40")
    #expect(told.0.values == [15, 20])
    #expect(told.1.values == ["30", "40"])
  }

  @Test
  func
    `5.3 sync(with transform revert): at set-up blocks that are not inverse change the other side`()
  {
    let a = MutableNode(1)
    let b = MutableNode(7)
    let told = [Recorder(a), Recorder(b)]
    a.sync(with: b, transform: { $0 / 2 }, revert: { $0 * 2 })
    #expect(told.map(\.values) == [[1, 3], [7, 6]])
  }

  @Test
  func
    `5.3 sync(with transform revert): an empty other side gets this side's value through revert`()
  {
    let a = MutableNode(1)
    let b = MutableNode<Int>()
    a.sync(with: b, transform: { $0 / 2 }, revert: { $0 * 2 })
    #expect(a.value == 1)
    #expect(b.value == 2)
  }

  @Test func `5.3 a node synced with itself: nothing happens`() {
    let a = MutableNode(1)
    let told = Recorder(a)
    let sync = a.sync(with: a)
    a.value = 2
    sync.cancel()
    #expect(told.values == [1, 2])
    #expect(a.upstreamTransforms.isEmpty)
  }

  @Test(arguments: [1, 2])
  func `5.3 a sync that is set up by a listener of one side, in mid-wave, ends equal`(side: Int) {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let told = [Recorder(a), Recorder(b)]
    let isMade = Tally()  // the side that wins hears its value once more
    let listening = (side == 1 ? a : b).listen { value in
      if value == 5, isMade.count == 0 {
        isMade.add()
        a.sync(with: b)
      }
    }
    (side == 1 ? a : b).value = 5
    // The other side wins: `b` held 2 in the first case, 5 in the second.
    #expect(a.value == (side == 1 ? 2 : 5))
    #expect(b.value == a.value)
    #expect(told[0].values.last == a.value)
    #expect(told[1].values.last == a.value)
    a.value = 6
    #expect(b.value == 6)
    #expect(checkInvariants([a, b]) == [])
    listening.cancel()
  }

  @Test
  func
    `5.3 a sync that is set up in a batch sees stored values, and what is staged goes over at its end`()
  {
    let a = MutableNode(1)
    let b = MutableNode(2)
    batch {
      a.value = 10
      a.sync(with: b)
      #expect((a as AnyNode).isEmpty == false)
      #expect(a.value == 10)
    }
    #expect(a.value == 10)
    #expect(b.value == 10)
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `5.3 emptying one side of a sync leaves the other; the next set of either goes over`()
  {
    let a = MutableNode(1)
    let b = MutableNode<Int>()
    a.sync(with: b)
    a.clean()
    #expect(a.isEmpty)
    #expect(b.value == 1)
    b.value = 2
    #expect(a.value == 2)
    b.clean()
    a.update { $0 += 1 }
    #expect(b.value == 3)
  }

  @Test func `5.3 cancelling a sync cuts both ways, and both sides keep their values`() {
    let a = MutableNode<Int>()
    let b = MutableNode(2)
    let sync = a.sync(with: b)
    sync.cancel()
    a.value = 3
    #expect(b.value == 2)
    b.value = 4
    #expect(a.value == 3)
    #expect(!a.hasUpstreamNode && !a.hasDownstreamNode)
    sync.cancel()
    a.sync(with: b)
    sync.cancel()
    b.value = 5
    #expect(a.value == 5)
  }
}

// MARK: - 5.3 Life

extension Section5 {
  @Test
  func `5.3 a sync does not keep its nodes alive: when one side is released the sync is over`() {
    let a = MutableNode(1)
    weak var gone: MutableNode<Int>?
    var sync: (any Cancelable)?
    do {
      let b = MutableNode(2)
      gone = b
      sync = a.sync(with: b)
      #expect(a.value == 2)
    }
    #expect(gone == nil)
    #expect(!a.hasUpstreamNode && !a.hasDownstreamNode)
    #expect(a.upstreamTransforms.isEmpty && a.downstreamTransforms.isEmpty)
    let told = Recorder(a)
    a.value = 3
    #expect(told.values == [2, 3])
    #expect(checkInvariants([a]) == [])
    sync?.cancel()
  }

  @Test func `5.3 both sides of a sync, and a mesh of them, are freed when nobody holds them`() {
    weak var goneA: MutableNode<Int>?
    weak var goneB: MutableNode<Int>?
    weak var goneC: MutableNode<Int>?
    do {
      let a = MutableNode(1)
      let b = MutableNode(2)
      let c = MutableNode(3)
      (goneA, goneB, goneC) = (a, b, c)
      a.sync(with: b)
      b.sync(with: c)
      c.sync(with: a)
      a.value = 4
      #expect(c.value == 4)
    }
    #expect(goneA == nil)
    #expect(goneB == nil)
    #expect(goneC == nil)
  }

  @Test func `5.3 dropping what sync returns does not end it`() {
    let a = MutableNode(1)
    let b = MutableNode<Int>()
    do { _ = a.sync(with: b) }
    a.value = 2
    #expect(b.value == 2)
  }

  @Test func `5.3 a ring made by hand with link keeps itself alive until it is cut`() {
    weak var goneA: MutableNode<Int>?
    weak var goneB: MutableNode<Int>?
    weak var goneC: MutableNode<Int>?
    var link: (any Cancelable)?
    do {
      let a = MutableNode<Int>()
      let b = MutableNode<Int>()
      let c = MutableNode<Int>()
      (goneA, goneB, goneC) = (a, b, c)
      b.link(to: a)
      c.link(to: b)
      link = a.link(to: c)
    }
    #expect(goneA != nil)
    goneB?.value = 1
    #expect(goneA?.value == 1)
    #expect(goneC?.value == 1)
    link?.cancel()
    #expect(goneA == nil)
    #expect(goneB == nil)
    #expect(goneC == nil)
  }

  @Test func `5.3 the leak report names a ring that nothing outside holds, and no other`() throws {
    func isNamed(_ marker: String) -> Bool {
      leakReport().contains { leak in leak.nodes.contains { $0.contains("“\(marker)”") } }
    }
    weak var lost: MutableNode<Int>?
    var link: (any Cancelable)?
    do {
      let a = MutableNode(1).named("5.3 lost a")
      let b = MutableNode(1).named("5.3 lost b")
      lost = a
      b.link(to: a)
      link = a.link(to: b)
      #expect(!isNamed("5.3 lost a"), "it is held still")
    }
    let held = MutableNode(1).named("5.3 held")
    let other = MutableNode(1)
    other.link(to: held)
    held.link(to: other)
    let synced = MutableNode(1).named("5.3 synced")
    let partner = MutableNode(1)
    synced.sync(with: partner)

    let leak = try #require(
      leakReport().first { $0.nodes.contains { $0.contains("“5.3 lost a”") } })
    #expect(leak.nodes.count == 2)
    #expect(leak.nodes.contains { $0.contains("“5.3 lost b”") })
    #expect(leak.description.contains("Section05Sync.swift"))
    #expect(!isNamed("5.3 held"))
    #expect(!isNamed("5.3 synced"))

    withoutLeakReports {
      link?.cancel()
      #expect(lost == nil)
    }
    #expect(!isNamed("5.3 lost a"))
    other.wiring.removeUpstreamNodes()
  }
}

// MARK: - 5.2 Threads

extension Section5 {
  @Test(arguments: 1...20)
  func `5.2 synced nodes end equal when two threads set both at once`(round: Int) {
    let a = MutableNode(0)
    let b = MutableNode(0)
    let c = MutableNode(0)
    a.sync(with: b)
    b.sync(with: c)
    c.sync(with: a)
    let nodes = [a, b, c]
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      for step in 1...100 { nodes[thread].value = round * 100_000 + thread * 1000 + step }
    }
    // Fewer messages than `messagesPerTurn`, so the threads have delivered everything themselves when they
    // are done.
    #expect(a.value == b.value)
    #expect(b.value == c.value)
    #expect(checkInvariants(nodes) == [])
  }

  /// A thread inside each of two synced nodes, which stays there until the other one has told the next value: so
  /// what crosses the sync finds somebody inside, every time.
  @Test
  func `5.1 what two threads set on both sides of a sync does not go to and fro between them`() {
    let nodes = (0..<2).map { _ in MutableNode(0) }
    nodes[0].sync(with: nodes[1])
    let heard = nodes.map { _ in Heard<Int>() }, steps = Steps(), mostRuns = 50
    let listenings = (0..<2).flatMap { (side: Int) -> [Listening] in
      let other = 1 - side
      return [
        nodes[side].listen { heard[side].hear($0) },
        // Both are inside before one of them crosses; later ones are there already.
        nodes[side].listen { value in
          if value == 0 { return }
          steps.note { $0.runs[side] += 1 }
          steps.wait { $0.runs[other] > 0 }
        },
        // Behind the sync.
        nodes[side].map { $0 }.listen { value in
          let run = steps.now.runs[side]
          if value == 0 || run > mostRuns { return }
          steps.wait { $0.runs[other] >= run + side || $0.returned > 0 }
        },
      ]
    }
    onThreads(2) { side in
      if side == 1 { steps.wait { $0.runs[0] > 0 } }
      nodes[side].value = side + 1
      steps.note { $0.returned += 1 }
    }
    for side in 0..<2 {
      let values = heard[side].values.drop { $0 == 0 }
      #expect(nodes[side].value == values.last)
      // Once each, and what had to wait comes back as an echo.
      #expect(values.count <= 3, "\(values)")
    }
    #expect(nodes[0].value == nodes[1].value)
    #expect(checkInvariants(nodes) == [])
    keepAlive(listenings as AnyObject)
  }

  @Test
  func `5.3 when one side is released the sync is over, also when only one half of it is left`() {
    for isReleasedFirst in [true, false] {
      let lives = LifetimeTracker()
      var a: MutableNode<Int>? = lives.track(MutableNode(1), "a")
      var b: MutableNode<Int>? = lives.track(MutableNode(2), "b")
      a!.sync(with: b!)
      a!.wiring.removeUpstreamNode(b!)  // a → b is left, which keeps neither
      a!.value = 3
      #expect(b!.value == 3)
      #expect(checkInvariants([a!]) == [])
      if isReleasedFirst { a = nil } else { b = nil }
      #expect(lives.alive == [isReleasedFirst ? "b" : "a"])
      #expect(checkInvariants([a ?? b!]) == [])
      a?.value = 4
      (a, b) = (nil, nil)
      #expect(lives.alive == [])
    }
  }

  @Test func `5.3 a sync of which one half is cut while it is made leaves the other half whole`() {
    final class Cutter: GraphTracer, Sendable {
      let a = MutableNode(1), b = MutableNode(2)
      private let cuts = Atomic(0)
      var hasCut: Bool { cuts.load(ordering: .relaxed) > 0 }
      func trace(_ event: GraphEvent) {
        guard case .edgeMade(to: a.id) = event.kind, event.node == b.id else { return }
        if cuts.add(1, ordering: .relaxed).newValue == 1 { a.wiring.removeUpstreamNodes() }
      }
    }
    let cutter = Cutter(), place = Mutex<(any Cancelable)?>(nil)
    let (a, b) = (cutter.a, cutter.b)
    traced(by: cutter) { place.withLock { $0 = a.sync(with: b) } }
    #expect(cutter.hasCut)
    a.value = 5
    #expect(b.value == 5)
    b.value = 6
    #expect(a.value == 5)
    place.withLock { $0?.cancel() }
    #expect(!a.hasUpstreamNode && !b.hasUpstreamNode)
    #expect(checkInvariants([a, b]) == [])
  }

  /// Found by a hostile review: the update had its number from the end of its closure, so what waited behind it counted as newer than what was
  /// set after that.
  @Test
  func `5.2, 7.5 of sets round a sync, made while an update is under way, the last one stays`() {
    let a = MutableNode(0), b = MutableNode(0), told = Heard<Int>(letsOthersRunEvery: .max)
    a.sync(with: b)
    let listening = b.listen { told.hear($0) }
    whileUpdating(a, by: { $0 = 20 }) {
      a.value = 10
      b.value = 30
      #expect(b.value == 30)
    }
    #expect(a.value == 30 && b.value == 30)
    #expect(told.values.allSatisfy { $0 == 0 || $0 == 30 } && told.values.last == 30)
    keepAlive(listening)
  }

  @Test func `5.2 what the closure of an update sets beyond a sync is newer than the update`() {
    let a = MutableNode(0), b = MutableNode(0), told = Recorder(a)
    a.sync(with: b)
    a.update {
      b.value = 5
      $0 = 1
    }
    #expect(told.values == [0, 0, 1, 5])
    #expect(a.value == 5 && b.value == 5)
  }

  @Test func `5.3 the Cancelable of a sync cuts no life of a half that began while it was made`() {
    let a = MutableNode<Int>(), b = MutableNode(1), d = MutableNode<Int>()
    let listening = a.listen { _ in
      if a.upstreamNodes.isEmpty { return }
      (a.upstreamTransforms[0] as! NodeTransform<Int, Int>).to = d
    }
    let sync = a.sync(with: b)
    b.value = 2
    #expect(a.value == 1 && d.value == 2)
    sync.cancel()
    b.value = 3
    #expect(d.value == 3, "a later life of that half")
    a.value = 4
    #expect(b.value == 3, "the other half is cut")
    keepAlive(listening)
  }
}
