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

  @Test func `2.4 what was chosen and still waits when the outer edge is cut is let go`() {
    let lives = LifetimeTracker()
    let outer = MutableNode<MutableNode<Int>>.eventNode(), first = MutableNode<Int>()
    let result = outer.mergeMap { $0 }
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
}
