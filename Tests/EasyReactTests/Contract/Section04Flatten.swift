import EasyReact
import EasyReactTesting
import Testing

/// Contract 4.5 and 4.6: `flatten` and `flattenMap` are joins of the outer node and the chosen inner one.
@Suite(.watched) struct Section04Flatten {
  @Test(arguments: ["first", "last"])
  func `4.5 a turn that changes the choice and the chosen node tells one value`(order: String) {
    let x = MutableNode(1)
    func choice() -> Node<Bool> { x.map { $0 % 2 == 0 } }
    var isEven: Node<Bool>? = order == "first" ? choice() : nil
    let sum = x.combine(x.map { $0 * 10 }).map { $0 + $1 }
    let big = sum.map { $0 }, small = Node(0)
    isEven = isEven ?? choice()
    let told = Recorder(isEven!.flattenMap { $0 ? big : small })
    x.value = 2
    #expect(told.values == [0, 22])
    x.value = 4
    #expect(told.values == [0, 22, 44])
    x.value = 3
    #expect(told.values == [0, 22, 44, 0])
  }

  @Test func `4.5 the switch waits for a chosen node that ranks higher, and for what leads there`()
  {
    let x = MutableNode(0)
    func deep(_ factor: Int) -> Node<Int> {
      (0..<5).reduce(x.map { $0 * factor }) { deep, _ in deep.combine(x).map { $0 + $1 } }
    }
    let ways = [Node(-1), deep(1), deep(10)]
    let flat = x.flattenMap { ways[$0 % 3] }, told = Recorder(flat)
    let after = Recorder(flat.combine(x).map { $0 - $1 })
    for value in 1...4 { x.value = value }
    #expect(told.values == [-1, 6, 30, -1, 24])
    #expect(after.values == [-1, 5, 28, -4, 20])
  }

  @Test func `4.5 the closure runs once a turn, with the outer node's final value`() {
    let outer = MutableNode(0), inner = MutableNode(10), calls = Journal<Int>()
    let told = Recorder(
      outer.flattenMap { value in
        calls.note(value)
        return inner
      })
    let listening = outer.listen { if $0 == 1 { outer.value = 2 } }
    outer.value = 1
    inner.value = 11
    #expect(calls.entries == [0, 2])
    #expect(told.values == [10, 10, 11])
    keepAlive(listening)
  }

  @Test func `4.5 several sets in a batch tell one value, that of the new choice`() {
    let a = MutableNode(1), b = MutableNode(2), outer = MutableNode<Node<Int>>(a)
    let told = Recorder(outer.flatten())
    for isOuterFirst in [true, false] {
      batch {
        if isOuterFirst { outer.value = b }
        (a.value, b.value) = (3, 4)
        if !isOuterFirst { outer.value = a }
      }
    }
    #expect(told.values == [1, 4, 3])
  }

  @Test func `4.5 a listener that changes an input after it ran makes it run again`() {
    let outer = MutableNode(0), nodes = [MutableNode(10), MutableNode(20)]
    let flat = outer.flattenMap { nodes[$0] }, told = Recorder(flat)
    let listening = flat.listen { if $0 == 20 { nodes[1].value = 21 } }
    outer.value = 1
    #expect(told.values == [10, 20, 21])
    keepAlive(listening)
  }

  @Test func `4.5 a flatten of flattens of one node tells one value`() {
    let x = MutableNode(0), small = x.map { $0 + 1 }, large = x.map { $0 * 100 }
    let inner = x.flattenMap { $0 % 2 == 0 ? small : large }
    let outer = x.map { $0 % 3 }.flattenMap { $0 == 0 ? inner : $0 == 1 ? small : large }
    let told = Recorder(outer)
    for value in 1...6 { x.value = value }
    #expect(told.values == [1, 2, 200, 300, 5, 500, 7])
  }

  @Test func `4.5 an event of the inner node is told as it comes, each`() {
    let taps = MutableNode<Int>.eventNode(), outer = MutableNode<Node<Int>>(taps)
    let told = Recorder(outer.flatten())
    batch {
      taps.value = 1
      taps.value = 2
    }
    let ticks = MutableNode(0), listening = ticks.listen { for tap in 0..<$0 { taps.value = tap } }
    ticks.value = 3
    #expect(told.values == [2, 0, 1, 2])
    keepAlive(listening)
  }

  @Test func `4.5 an event of the outer node chooses, and a value is told`() {
    let choice = MutableNode<Bool>.eventNode(), a = MutableNode(1), b = MutableNode(2)
    let flat = choice.flattenMap { $0 ? a : b }, told = Recorder(flat)
    #expect(flat.isEmpty)
    choice.value = true
    choice.value = false
    b.value = 3
    #expect(told.values == [1, 2, 3])
    #expect(flat.value == 3)
  }

  @Test func `4.6 as everyValue it tells each value as it comes`() {
    let x = MutableNode(1)
    let sum = x.combine(x.map { $0 * 10 }).map { $0 + $1 }
    let told = Recorder(x.flattenMap(mode: .everyValue) { $0 % 2 == 0 ? sum : x })
    x.value = 2
    #expect(told.values.last == 22)
    let outer = MutableNode<Node<Int>>(x), every = Recorder(outer.flatten(mode: .everyValue))
    let listening = x.listen { if $0 == 3 { (4...6).forEach { outer.value = Node($0) } } }
    x.value = 3
    #expect(every.values == [2, 4, 5, 6])
    keepAlive(listening)
  }

  @Test func `8.1 the newest wave that made it run gives the context`() {
    let outer = MutableNode(0), nodes = [MutableNode(10), MutableNode(20)]
    let told = Journal<String>()
    let listening = outer.flattenMap { nodes[$0] }.listenToChanges { change in
      told.note("\(change.value) \(change.context.map { "\($0)" } ?? "–")")
    }
    outer.set(1, context: "outer")
    nodes[1].set(21, context: "inner")
    #expect(told.entries == ["10 –", "20 outer", "21 inner"])
    keepAlive(listening)
  }

  @Test
  func `4.5 where an event of the outer node comes before a value in a turn, the value chooses`() {
    let event = MutableNode<Int>.eventNode(), value = MutableNode<Int>()
    let outer = event.merge(value), flat = outer.flattenMap { Node($0) }
    let told = Recorder(flat)
    batch {
      event.value = 3
      value.value = 4
    }
    #expect(told.values == [4] && flat.value == 4)
    batch {
      value.value = 5
      event.value = 6
    }
    #expect(told.values == [4, 6])
  }

  @Test func `2.1 what a user hands to the transform of a flatten chooses`() {
    let outer = MutableNode(1), flat = outer.flattenMap { Node($0 * 10) }
    let transform = flat.upstreamTransforms[0] as! NodeTransform<Int, Int>
    transform.receive(7, from: nil, context: nil)
    #expect(flat.value == 70)
    transform.receive(8, from: nil, context: "by hand")
    #expect(flat.value == 80)
    outer.value = 2
    #expect(flat.value == 20)
  }

  @Test func `2.1 a flatten whose ends are set is a join where it leads then`() {
    let x = MutableNode(1), sum = x.combine(x.map { $0 * 10 }).map { $0 + $1 }, small = Node(0)
    let flat = x.flattenMap { $0 % 2 == 0 ? sum : small }
    let transform = flat.upstreamTransforms[0] as! NodeTransform<Int, Int>
    let target = MutableNode<Int>(), told = Recorder(target)
    transform.to = target
    x.value = 2
    #expect(told.values == [0, 22])
    let other = MutableNode(4)
    transform.from = other
    #expect(told.values == [0, 22, 22])
    x.value = 4
    #expect(told.values == [0, 22, 22, 44])
    #expect(checkInvariants([x, flat, target, other]) == [])
  }
}
