import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 2.1 to 2.4 and 2.6. Transforms of the user's own stand in
/// Section02Transforms.swift.
@Suite("2 Links", .watched) struct Section2 {
  @Test func `2.1 link(to:) and link(to:through:) return a Cancelable that cuts the link`() {
    let up = MutableNode(1), plain = Node<Int>(), through = Node<Int>()
    let first: any Cancelable = plain.wiring.link(to: up)
    let second: any Cancelable = through.wiring.link(to: up, through: NodeTransform<Int, Int>())
    #expect([plain.value, through.value] == [1, 1])
    first.cancel()
    up.value = 2
    #expect([plain.value, through.value] == [1, 2])
    second.cancel()
    up.value = 3
    #expect([plain.value, through.value] == [1, 2])
    #expect(!up.hasDownstreamNode && !plain.hasUpstreamNode && !through.hasUpstreamNode)
    #expect(checkInvariants([up, plain, through]) == [])
  }

  @Test func `2.1 a link's Cancelable cuts its own life only, not a later link`() {
    let up = MutableNode(1), down = Node<Int>()
    let transform = NodeTransform<Int, Int>()
    let first = down.wiring.link(to: up, through: transform)
    first.cancel()
    transform.from = nil
    transform.to = nil
    let second = down.wiring.link(to: up, through: transform)
    first.cancel()
    up.value = 2
    #expect(down.value == 2)
    second.cancel()
    up.value = 3
    #expect(down.value == 2)
  }

  @Test func `2.1 a link's Cancelable does not cut what its transform became since`() {
    let a = MutableNode(1), b = MutableNode(10), down = Node<Int>()
    let transform = NodeTransform<Int, Int>()
    let first = down.wiring.link(to: a, through: transform)
    transform.from = nil
    transform.to = nil
    transform.from = b
    transform.to = down
    first.cancel()
    b.value = 11
    #expect(down.value == 11)
    #expect(checkInvariants([a, b, down]) == [])
  }

  @Test func `2.1 transform.from and transform.to can be set, re-pointed and cleared at any time`()
  {
    let a = MutableNode(1), b = MutableNode(2), x = Node<Int>(), y = Node<Int>()
    let transform = NodeTransform<Int, Int>()
    #expect(transform.from == nil && transform.to == nil)
    transform.from = a
    transform.to = x
    #expect(transform.from === a && transform.to === x)
    #expect(x.value == 1)
    transform.from = b
    #expect(transform.from === b && transform.to === x)
    #expect(x.value == 2)
    a.value = 10
    #expect(x.value == 2)
    transform.to = y
    #expect([x.value, y.value] == [2, 2])
    b.value = 3
    #expect([x.value, y.value] == [2, 3])
    transform.from = nil
    b.value = 4
    #expect([x.value, y.value] == [2, 3])
    #expect(transform.from == nil && transform.to === y)
    transform.from = a
    #expect([x.value, y.value] == [2, 10])
    transform.to = nil
    #expect(transform.from === a && transform.to == nil)
    a.value = 11
    #expect([x.value, y.value] == [2, 10])
    #expect(checkInvariants([a, b, x, y]) == [])
  }

  @Test
  func
    `2.1 a transform can be re-pointed by a listener in mid-wave: nothing more reaches its old end`()
  {
    let a = MutableNode(1), x = Node<Int>(), y = Node<Int>()
    let transform = NodeTransform<Int, Int>()
    let listening = a.listen { if $0 == 2 { transform.to = y } }
    x.wiring.link(to: a, through: transform)
    let (toX, toY) = (Recorder(x), Recorder(y))
    a.value = 2
    #expect(toX.values == [1])
    #expect(toY.values == [2])
    a.value = 3
    #expect(toX.values == [1])
    #expect(toY.values == [2, 3])
    #expect(checkInvariants([a, x, y]) == [])
    keepAlive(listening)
  }

  @Test
  func `2.2 an edge that gets its second end pushes the value once, at once, without context`() {
    for isFromFirst in [true, false] {
      let up = MutableNode<Int>(), down = Node<Int>()
      let told = Recorder(down)
      up.set(1, context: "set before the link")
      let transform = NodeTransform<Int, Int>()
      if isFromFirst { transform.from = up } else { transform.to = down }
      #expect(told.values == [])
      if isFromFirst { transform.to = down } else { transform.from = up }
      #expect(told.values == [1])
      #expect(told.contexts.count == 1 && told.contexts[0] == nil)
      #expect(checkInvariants([up]) == [])
    }
  }

  @Test func `2.2 a push in the middle of a wave with context carries none`() {
    let a = MutableNode(1), up = MutableNode(7), down = Node<Int>()
    let told = Recorder(down)
    let listening = a.listen { if $0 == 2 { down.wiring.link(to: up) } }
    a.set(2, context: "c")
    #expect(told.values == [7])
    #expect(told.contexts.count == 1 && told.contexts[0] == nil)
    keepAlive(listening)
  }

  @Test func `2.2 an empty upstream pushes nothing: the downstream keeps what it had`() {
    let up = MutableNode<Int>(), down = MutableNode(7)
    let told = Recorder(down)
    down.link(to: up)
    #expect(told.values == [7])
    up.value = 8
    #expect(told.values == [7, 8])
  }

  @Test func `2.2 the push counts for skip, take, scan and zip`() {
    let a = MutableNode(1), b = MutableNode(10)
    let skip = Recorder(a.skip(2)), take = Recorder(a.take(2))
    let scan = Recorder(a.scan(100) { $0 + $1 })
    let zip = Recorder(a.zip(b).map { $0 + $1 })
    for value in 2...4 { a.value = value }
    b.value = 20
    #expect(skip.values == [3, 4])
    #expect(take.values == [1, 2])
    #expect(scan.values == [101, 103, 106, 110])
    #expect(zip.values == [11, 22])
  }

  @Test func `2.2 re-pointing an end repeats the push and resets counters`() throws {
    let a = MutableNode(1), b = MutableNode(10)
    let skip = a.skip(1), take = a.take(2), scan = a.scan(0) { $0 + $1 }
    let distinct = a.distinctUntilChanged()
    let results = [skip, take, scan, distinct]
    let told = results.map { Recorder($0) }
    for value in [2, 3] { a.value = value }
    #expect(told.map(\.values) == [[2, 3], [1, 2], [1, 3, 6], [1, 2, 3]])
    told.forEach { $0.clear() }
    for node in results {
      try #require(node.upstreamTransforms.first as? NodeTransform<Int, Int>).from = b
    }
    for value in [11, 11] { b.value = value }
    a.value = 99
    #expect(told.map(\.values) == [[11, 11], [10, 11], [10, 21, 32], [10, 11]])
    #expect(!a.hasDownstreamNode)
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `2.2 re-pointing to, and setting an end to what it is, repeat the push and reset too`()
    throws
  {
    let a = MutableNode(1), x = a.take(1), y = Node<Int>()
    let transform = try #require(x.upstreamTransforms.first as? NodeTransform<Int, Int>)
    let (toX, toY) = (Recorder(x), Recorder(y))
    a.value = 2
    #expect(toX.values == [1])
    transform.from = a
    a.value = 3
    #expect(toX.values == [1, 2])
    transform.to = y
    a.value = 4
    #expect(toX.values == [1, 2])
    #expect(toY.values == [3])
    #expect(checkInvariants([a, x, y]) == [])
  }

  @Test func `2.3 two edges between the same two nodes both deliver`() {
    let up = MutableNode(1), down = Node<Int>()
    let told = Recorder(down)
    down.wiring.link(to: up)
    down.wiring.link(to: up)
    #expect(told.values == [1, 1])
    up.value = 2
    #expect(told.values == [1, 1, 2, 2])
    #expect(down.upstreamNodes == [up, up])
    #expect(checkInvariants([up]) == [])
  }

  @Test
  func
    `2.3 a node cannot be linked to itself: the call does nothing and returns an already cancelled Cancelable`()
  {
    let a = MutableNode(1)
    let told = Recorder(a)
    let plain = a.link(to: a)
    let transform = NodeTransform<Int, Int>()
    let through = a.link(to: a, through: transform)
    a.value = 2
    #expect(told.values == [1, 2])
    #expect(a.upstreamNodes == [] && a.upstreamTransforms.isEmpty && a.downstreamTransforms.isEmpty)
    #expect(transform.from == nil && transform.to == nil)
    plain.cancel()
    through.cancel()
    let b = MutableNode(5)
    a.link(to: b, through: transform)
    through.cancel()
    b.value = 6
    #expect(a.value == 6)
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `2.3 a transform whose ends are set to one node joins nothing`() {
    let a = MutableNode(1), b = Node<Int>()
    let transform = NodeTransform<Int, Int>()
    transform.from = a
    transform.to = a
    let told = Recorder(a)
    a.value = 2
    #expect(told.values == [1, 2])
    #expect(a.upstreamNodes == [])
    transform.to = b
    #expect(b.value == 2)
    transform.to = a
    a.value = 3
    #expect(told.values == [1, 2, 3])
    #expect(a.upstreamNodes == [] && b.upstreamNodes == [])
    #expect(checkInvariants([a, b]) == [])
  }

  @Test func `2.4 cutting an edge leaves the downstream's value as it is`() {
    let up = MutableNode(1)
    let down = up.map { $0 * 2 }, link = Node<Int>()
    let told = [Recorder(down), Recorder(link)]
    let cancelable = link.wiring.link(to: up)
    down.wiring.removeUpstreamNode(up)
    cancelable.cancel()
    up.value = 2
    #expect([down.value, link.value] == [2, 1])
    #expect(told.map(\.values) == [[2], [1]])
    #expect(checkInvariants([up, down, link]) == [])
  }

  @Test func `2.4 removeUpstreamNode and removeDownstreamNode cut every edge between the two`() {
    let a = MutableNode(1), b = MutableNode(2), x = Node<Int>(), y = Node<Int>()
    for up in [a, b] {
      for down in [x, y] {
        down.wiring.link(to: up)
        down.wiring.link(to: up)
      }
    }
    x.wiring.removeUpstreamNode(a)
    #expect(x.upstreamNodes == [b, b] && y.upstreamNodes == [a, a, b, b])
    b.wiring.removeDownstreamNode(y)
    #expect(b.downstreamNodes == [x, x] && y.upstreamNodes == [a, a])
    x.wiring.removeUpstreamNode(y)
    x.wiring.removeDownstreamNode(y)
    #expect(x.upstreamNodes == [b, b])
    a.value = 10
    #expect([x.value, y.value] == [2, 10])
    b.value = 20
    #expect([x.value, y.value] == [20, 10])
    #expect(checkInvariants([a, b, x, y]) == [])
  }

  @Test func `2.4 removeUpstreamNodes and removeDownstreamNodes cut every edge concerned`() {
    let a = MutableNode(1), b = MutableNode(2)
    let x = a.combine(b).map { $0 + $1 }, y = a.merge(b), z = Node<Int>()
    z.wiring.link(to: a)
    z.wiring.link(to: b)
    z.wiring.removeUpstreamNodes()
    #expect(z.upstreamNodes == [] && !z.hasUpstreamNode)
    a.wiring.removeDownstreamNodes()
    #expect(a.downstreamNodes == [] && y.upstreamNodes == [b])
    a.value = 10
    b.value = 20
    #expect([x.value, y.value, z.value] == [3, 20, 2])
    #expect(checkInvariants([a, b, x, y, z]) == [])
  }

  @Test func `2.4 a node whose upstream edge is cut can be linked again`() {
    let a = MutableNode(1), b = MutableNode(5)
    let down = a.map { $0 * 2 }
    let below = Recorder(down.map { $0 + 1 })
    down.wiring.removeUpstreamNodes()
    down.wiring.link(to: b)
    a.value = 2
    b.value = 6
    #expect(below.values == [3, 6, 7])
    #expect(checkInvariants([a, b, down]) == [])
  }

  /// In a listener, and while another thread is inside the upstream: the edge of a cut link stays until the turn ends.
  private func inTwoPlaces(_ body: @escaping @Sendable (_ up: MutableNode<Int>) -> [AnyNode]) {
    let up = MutableNode(1), other = MutableNode<Int>(), nodes = Journal<[AnyNode]>()
    let listening = other.listen { _ in nodes.note(body(up)) }
    other.value = 1
    listening.cancel()
    whileInside(up, settingTo: 2) { nodes.note(body(up)) }
    #expect(checkInvariants(nodes.entries.joined() + [up, other]) == [])
  }

  @Test func `2.1, 2.4 a transform whose edge is cut joins nothing from then on`() {
    inTwoPlaces { up in
      let down = MutableNode<Int>(), other = MutableNode(7), transform = NodeTransform<Int, Int>()
      let link = down.link(to: up, through: transform)
      link.cancel()
      #expect(transform.from == nil && transform.to == nil)
      transform.from = other
      #expect(transform.from === other && transform.to == nil)
      #expect(down.upstreamNodes == [])
      other.value = 8
      #expect(down.value != 8)
      transform.to = down
      #expect(down.upstreamNodes == [other] && down.value == 8)
      return [down, other]
    }
  }

  @Test func `2.1, 13 a transform whose edge is cut can be linked again at once`() {
    inTwoPlaces { up in
      let down = MutableNode<Int>(), other = MutableNode<Int>()
      let source = MutableNode(7), transform = NodeTransform<Int, Int>()
      down.link(to: up, through: transform)
      down.wiring.removeUpstreamNodes()
      other.link(to: source, through: transform)
      #expect(transform.from === source && transform.to === other)
      #expect(other.value == 7 && down.upstreamNodes == [])
      return [down, other, source]
    }
  }

  @Test func `2.5 a transform keeps the node it comes from where the other one is gone`() {
    inTwoPlaces { up in
      let transform = NodeTransform<Int, Int>(), next = MutableNode<Int>()
      _ = up.through(transform)
      #expect(transform.from === up && transform.to == nil)
      transform.to = next
      #expect(next.upstreamNodes == [up])
      return [next]
    }
  }
}
