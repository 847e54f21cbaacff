import EasyReact
import EasyReactTesting
import Testing

/// Contract, 4.5 and 7.2: an inner node is followed from when the outer node told it, also where another thread is
/// inside the result.
@Suite(.watched) struct FollowedElsewhere {
  /// While one thread is in a listener of the result, which hears that it holds -1, another one runs `body`.
  private func whileInside(_ result: Node<Int>, _ body: @escaping @Sendable () -> Void) -> [Int] {
    let steps = Steps(), heard = Heard<Int>(), listenings = CancelableBag()
    onThreads(2) { thread in
      if thread == 1 {
        steps.wait { $0.runs[0] == 1 }
        body()
        return steps.note { $0.runs[1] = 1 }
      }
      listenings.add(
        result.listen { value in
          heard.hear(value)
          if value != -1 { return }
          steps.note { $0.runs[0] = 1 }
          steps.wait { $0.runs[1] == 1 }
        })
    }
    #expect(settle())
    listenings.cancel()
    return heard.values
  }

  @Test(arguments: ["mergeMap", "flattenMerge"])
  func `4.5, 7.2 each value of an inner node counts, while another thread is inside the result`(
    _ name: String
  ) {
    let outer = MutableNode<MutableNode<Int>>.eventNode(), first = MutableNode<Int>()
    let result =
      name == "mergeMap" ? outer.mergeMap { $0 } : outer.map { $0 as Node<Int> }.flattenMerge()
    outer.value = first
    first.value = -1
    let inners = [MutableNode(9), MutableNode<Int>()]
    let heard = whileInside(result) {
      for inner in inners {
        outer.value = inner
        for value in [10, 20, 30] { inner.value = value }
      }
    }
    #expect(heard == [-1, 9, 10, 20, 30, 10, 20, 30])
    #expect(checkInvariants([outer, result, first] + inners) == [])
  }

  @Test func `4.5, 7.2 of a new group no value is lost, while another thread is inside the result`()
  {
    let source = MutableNode(-1)
    let result = source.groupBy { $0 / 10 }.mergeMap { $0.values }
    let values = [20, 21, 22, 30, 31, 23]
    let heard = whileInside(result) { for value in values { source.value = value } }
    #expect(heard == [-1] + values)
  }

  @Test func `10.6.5.1 one that is followed already is told again, and then each value once`() {
    let outer = MutableNode<MutableNode<Int>>.eventNode(), first = MutableNode<Int>()
    let result = outer.mergeMap { $0 }
    outer.value = first
    first.value = -1
    let heard = whileInside(result) {
      outer.value = first
      outer.value = first
    }
    #expect(heard == [-1, -1, -1])
    first.value = 5
    #expect(result.value == 5 && first.downstreamNodes.count == 1)
    #expect(checkInvariants([outer, result, first]) == [])
  }

  @Test(arguments: ["mergeMap", "flattenMerge"])
  func `7.2 one that is followed already is told again in its place, before what was set later`(
    _ name: String
  ) {
    let outer = MutableNode<MutableNode<Int>>.eventNode(), first = MutableNode<Int>()
    let result =
      name == "mergeMap" ? outer.mergeMap { $0 } : outer.map { $0 as Node<Int> }.flattenMerge()
    let known = MutableNode(100), fresh = MutableNode(200)
    outer.value = known
    outer.value = first
    first.value = -1
    let heard = whileInside(result) {
      outer.value = known
      outer.value = fresh
      fresh.value = 201
      known.value = 101
    }
    #expect(heard == [-1, 100, 200, 201, 101])
    #expect(known.downstreamNodes.count == 1)
    #expect(checkInvariants([outer, result, first, known, fresh]) == [])
  }

  @Test func `10.6.5.1 of a join that waits, the value after it ran`() {
    let source = MutableNode(1), other = MutableNode(10), first = MutableNode<Int>()
    let sum = source.combine(other).map { $0 * 100 + $1 }
    let join = Node.combine([source, other])
    let result = source.mergeMap { $0 == 1 ? first.map { [$0] } : join }.map { values in
      values.reduce(0) { $0 * 100 + $1 }
    }
    first.value = -1
    let heard = whileInside(result) { source.value = 2 }
    #expect(heard == [-1, 210] && sum.value == 210)
    #expect(checkInvariants([source, other, result, first]) == [])
  }

  @Test(arguments: ["flatten", "flattenMap", "catch"])
  func `4.6, 7.2 each value of the chosen node counts, and those of one that was left do not`(
    _ name: String
  ) {
    struct Choice: Error { let node: MutableNode<Int> }
    let outer = MutableNode<MutableNode<Int>>(), first = MutableNode<Int>()
    let result =
      switch name {
      case "flatten": outer.map { $0 as Node<Int> }.flatten(mode: .everyValue)
      case "flattenMap": outer.flattenMap(mode: .everyValue) { $0 }
      default:
        outer.map { Result<Int, Choice>.failure(Choice(node: $0)) }.catch { $0.node }
      }
    outer.value = first
    first.value = -1
    let x = MutableNode(1), y = MutableNode(5)
    let heard = whileInside(result) {
      outer.value = x
      x.value = 2
      outer.value = y
      x.value = 100
      y.value = 6
      outer.value = y
      outer.value = x
      x.value = 3
    }
    #expect(heard == [-1, 1, 2, 5, 6, 6, 100, 3])
    #expect(y.downstreamNodes.isEmpty && x.downstreamNodes.count == 1)
    y.value = 7
    x.value = 4
    #expect(result.value == 4)
    #expect(checkInvariants([outer, result, first, x, y]) == [])
  }

  @Test func `4.5 an empty one that was chosen meanwhile empties the result`() {
    let outer = MutableNode<MutableNode<Int>>(), first = MutableNode<Int>()
    let result = outer.flattenMap(mode: .everyValue) { $0 }
    outer.value = first
    first.value = -1
    let empty = MutableNode<Int>()
    #expect(whileInside(result) { outer.value = empty } == [-1] && result.isEmpty)
    empty.value = 3
    #expect(result.value == 3)
    #expect(checkInvariants([outer, result, first, empty]) == [])
  }

  @Test(arguments: ["mergeMap", "everyValue"])
  func `2.4 what was chosen and still waits when the outer edge is cut is let go`(_ name: String) {
    let lives = LifetimeTracker()
    let outer = MutableNode<MutableNode<Int>>.eventNode(), first = MutableNode<Int>()
    let result =
      name == "mergeMap" ? outer.mergeMap { $0 } : outer.flattenMap(mode: .everyValue) { $0 }
    outer.value = first
    first.value = -1
    let heard = whileInside(result) {
      let inner = lives.track(MutableNode(7))
      outer.value = inner
      outer.wiring.removeDownstreamNode(result)
      inner.value = 8
    }
    #expect(heard == [-1])
    #expect(lives.alive.isEmpty)
    #expect(checkInvariants([outer, result, first]) == [])
  }

  @Test(arguments: ["mergeMap", "flattenMerge", "flatten", "everyValue", "catch"])
  func `5.1, 7.3 the result itself, chosen while another thread is inside it, is not followed`(
    _ name: String
  ) {
    struct Choice: Error { let node: Node<Int> }
    let first = MutableNode<Int>()
    let outer = MutableNode<Node<Int>>(first)
    let result =
      switch name {
      case "mergeMap": outer.mergeMap { $0 }
      case "flattenMerge": outer.flattenMerge()
      case "flatten": outer.flatten()
      case "everyValue": outer.flatten(mode: .everyValue)
      default: outer.map { Result<Int, Choice>.failure(Choice(node: $0)) }.catch { $0.node }
      }
    first.value = -1
    let heard = whileInside(result) {
      outer.value = result
      first.value = 10
      MutableNode(1).link(to: Node(2))  // the shape of the graphs is nobody's
    }
    #expect(heard == [-1, 10])
    #expect(result.downstreamNodes.isEmpty && first.downstreamNodes == [result])
    #expect(checkInvariants([outer, result, first]) == [])
    outer.value = first  // else they keep each other
  }
}
