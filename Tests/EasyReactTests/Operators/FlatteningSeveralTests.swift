import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 10.6: operators that follow several inner nodes.
@Suite("10.6 Following several nodes", .watched) struct FlatteningSeveralTests {
  /// What a test makes in steps, each of which needs the one before.
  private final class Made<Value: Sendable>: @unchecked Sendable {
    // Unchecked: one thread.
    var node: Node<Value>?
    func forget() { node = nil }
  }

  @Test(arguments: [false, true])
  func `2.4, 10.6 the death of an inner node's old value may cut its edge, with its last one`(
    isOuter: Bool
  ) {
    let outer = MutableNode(0), inner = MutableNode<Dying>(), made = Made<Dying>()
    let result = outer.concatMap { _ in inner }
    made.node = result
    inner.value = Dying(1) {
      if isOuter {
        made.node?.wiring.removeUpstreamNodes()
      } else {
        made.node?.wiring.removeUpstreamNode(inner)
      }
    }
    inner.clean()
    let told = Recorder(result.map(\.number))
    outer.value = 1  // it is followed again; the result alone has its old value
    inner.value = Dying(2)
    outer.value = 2  // done at once
    #expect(told.values == (isOuter ? [1, 2] : [1, 2, 2]))
    made.forget()
  }

  @Test func `10.6.5 an inner node that isDone itself cuts is done: what waits begins`() {
    let outer = MutableNode<Int>(), a = MutableNode<Int>(), b = MutableNode<Int>()
    let made = Made<Int>()
    let result = outer.concatMap(until: { value in
      if value < 0 { made.node?.wiring.removeUpstreamNode(a) }
      return true
    }) { [a, b][$0] }
    made.node = result
    let told = Recorder(result)
    outer.value = 0
    outer.value = 1
    a.value = -1
    b.value = 7
    #expect(told.values == [7])
    outer.value = 1  // done at once
    #expect(told.values == [7, 7])
    made.forget()
  }

  @Test func `10.6 flattenMerge follows every node that was told, and each of their values counts`()
  {
    let first = MutableNode(1), second = MutableNode<Int>()
    let outer = MutableNode(first)
    let told = Recorder(outer.flattenMerge())
    outer.value = second
    first.value = 2
    second.value = 10
    first.clean()
    first.value = 3
    #expect(told.values == [1, 2, 10, 3])
    #expect(checkInvariants([outer]) == [])
  }

  @Test func `10.6 flattenMerge follows a node that comes again once, and tells its value again`() {
    let inner = MutableNode(1)
    let outer = MutableNode(inner)
    let merged = outer.flattenMerge()
    let told = Recorder(merged)
    outer.value = inner
    inner.value = 2
    #expect(told.values == [1, 1, 2])
    merged.wiring.removeUpstreamNode(inner)
    inner.value = 3
    #expect(told.values == [1, 1, 2])
    outer.value = inner  // its edge was cut: a new one
    inner.value = 4
    #expect(told.values == [1, 1, 2, 3, 4])
    #expect(checkInvariants([outer, inner]) == [])
  }

  @Test func `10.6 mergeMap makes a node for each value, with the outer set's context at first`() {
    let outer = MutableNode(1)
    let made = Tally(), inners = (0...3).map { MutableNode($0 * 10) }
    let merged = outer.mergeMap { index -> Node<Int> in
      made.add()
      return inners[index]
    }
    let told = Recorder(merged)
    outer.set(2, context: "outer")
    inners[1].set(11, context: "inner")
    #expect(told.values == [10, 20, 11])
    #expect(told.contexts.map { $0 as? String } == [nil, "outer", "inner"])
    #expect(made.count == 2)
  }

  /// Requests that are answered by hand.
  private final class Requests: Sendable {
    let asked = Journal<Int>()
    let answers = (0...9).map { _ in MutableNode<String>() }
    func ask(_ number: Int) -> Node<String> {
      asked.note(number)
      return answers[number]
    }
  }

  @Test
  func `10.6 mergeMap(maxConcurrent:) makes the next node when one is done, first in first out`() {
    let requests = Requests()
    let outer = MutableNode(0)
    let told = Recorder(outer.mergeMap(maxConcurrent: 2) { requests.ask($0) })
    for number in 1...4 { outer.value = number }
    #expect(requests.asked.take() == [0, 1])
    requests.answers[1].value = "one"
    #expect(requests.asked.take() == [2])
    requests.answers[1].value = "too late"
    requests.answers[2].value = "two"
    requests.answers[0].value = "zero"
    #expect(requests.asked.take() == [3, 4])
    #expect(told.values == ["one", "two", "zero"])
    #expect(
      requests.answers.map(\.hasDownstreamNode).prefix(5) == [false, false, false, true, true])
    #expect(checkInvariants([outer] + requests.answers) == [])
  }

  @Test func `10.6 concatMap follows one node after the other, in order, none left out`() {
    let requests = Requests()
    let outer = MutableNode<Int>()
    let told = Recorder(outer.concatMap { requests.ask($0) })
    for number in 1...3 { outer.set(number, context: number) }
    outer.clean()
    requests.answers[2].value = "two, early"
    requests.answers[3].value = "three, early"
    #expect(told.values == [])
    requests.answers[1].set("one", context: "inner")
    #expect(told.values == ["one", "two, early", "three, early"])
    #expect(told.contexts.map { "\($0 ?? "none")" } == ["inner", "2", "3"])
    #expect(requests.asked.entries == [1, 2, 3])
    #expect(checkInvariants([outer] + requests.answers) == [])
  }

  @Test func `10.6 concatMap(until:) follows an inner node up to the value that says so`() {
    let requests = Requests()
    let outer = MutableNode(1)
    let told = Recorder(outer.concatMap(until: { $0 == "end" }) { requests.ask($0) })
    outer.value = 2
    requests.answers[1].value = "10 %"
    requests.answers[2].value = "unheard"
    requests.answers[1].value = "20 %"
    requests.answers[1].value = "end"
    requests.answers[1].value = "unheard"
    requests.answers[2].value = "end"
    #expect(told.values == ["10 %", "20 %", "end", "unheard", "end"])
  }

  @Test func `10.6 exhaustMap drops the values that come before its node is done`() {
    let requests = Requests()
    let taps = MutableNode(1)
    let told = Recorder(taps.exhaustMap { requests.ask($0) })
    taps.value = 2
    taps.value = 3
    requests.answers[1].value = "one"
    taps.value = 4
    requests.answers[4].value = "four"
    requests.answers[1].value = "unheard"
    #expect(told.values == ["one", "four"])
    #expect(requests.asked.entries == [1, 4])
    #expect(checkInvariants([taps] + requests.answers) == [])
  }

  @Test
  func
    `10.6 inner nodes that hold a value are done at once, 100,000 of them on a small stack`()
  {
    onThread {
      let outer = MutableNode<Int>()
      let gate = MutableNode<Int>()
      let last = Journal<Int>(), told = Tally()
      let all = outer.concatMap { $0 == 0 ? gate : Node($0) }
      let listening = all.listen { value in
        told.add()
        if value == 100_000 { last.note(value) }
      }
      for number in 0...100_000 { outer.value = number }
      gate.value = 0
      #expect(told.count == 100_001)
      #expect(last.entries == [100_000])
      keepAlive(listening)
    }
  }

  @Test func `10.6 a set of the outer node by the closure that makes inner nodes keeps the limit`()
  {
    let outer = MutableNode<Int>()
    let answers = (0...2).map { _ in MutableNode<Int>() }
    let made = Journal<Int>()
    let told = Recorder(
      outer.concatMap { [weak outer] number -> Node<Int> in
        made.note(number)
        if number == 0 { outer?.value = 1 }
        return answers[number]
      })
    outer.value = 0
    #expect(made.entries == [0])
    answers[0].value = 5
    #expect(made.entries == [0, 1])
    answers[1].value = 6
    #expect(told.values == [5, 6])
  }

  @Test
  func `10.6 a cut of an inner edge counts as done; a cut of the outer edge drops what waits`() {
    let requests = Requests()
    let outer = MutableNode(1)
    let all = outer.concatMap { requests.ask($0) }
    outer.value = 2
    outer.value = 3
    all.wiring.removeUpstreamNode(requests.answers[1])
    #expect(requests.asked.entries == [1, 2])
    all.wiring.removeUpstreamNode(outer)
    #expect(!all.hasUpstreamNode)
    requests.answers[2].value = "two"
    #expect(all.isEmpty && requests.asked.entries == [1, 2])
    #expect(checkInvariants([outer, all] + requests.answers) == [])
  }

  @Test func `10.6 the result itself as inner node is not followed`() {
    let outer = MutableNode<Int>()
    let place = Journal<Node<Int>>()
    let merged = outer.mergeMap { _ in place.entries[0] }
    place.note(merged)
    let told = Recorder(merged)
    outer.value = 1
    #expect(told.values == [] && merged.upstreamNodes == [outer])
    _ = place.take()
  }

  @Test func `10.6 an inner node that leads back to the outer one ends: a wave goes round once`() {
    let outer = MutableNode(1)
    let merged = outer.mergeMap(maxConcurrent: 9, until: { _ in false }) { _ in outer }
    let told = Recorder(merged)
    outer.value = 2
    #expect(!told.values.isEmpty && merged.value == 2)
    merged.wiring.removeUpstreamNodes()
    #expect(checkInvariants([outer, merged]) == [])
  }

  @Test func `10.6 mergeMap of a join that waits in this turn tells only the value after it ran`() {
    let a = MutableNode(1)
    let sum = a.combine(a.map { $0 * 10 }).map { $0 + $1 }
    let joined = a.combine(a.map { $0 * 10 })
    let told = Recorder(a.mergeMap { _ in joined }.map { $0.0 + $0.1 })
    a.value = 2
    #expect(told.values == [11, 22])
    #expect(sum.value == 22)
  }

  /// Of x and y, with x told and y emptied in one turn: what waits does not run, and keeps what it had.
  @Test(arguments: ["mergeMap", "mergeMap until", "flatten"], [false, true])
  func `10.6 who turns to a join which waits and then says nothing has its value`(
    _ way: String, _ isChosenAgain: Bool
  ) {
    let x = MutableNode(1), y = MutableNode(10)
    let waiting: Node<[Int]> = Node.combine([x, y])
    let outer = MutableNode<Node<[Int]>>()
    if isChosenAgain { outer.value = waiting }
    let result =
      switch way {
      case "mergeMap": outer.mergeMap { $0 }
      case "flatten": outer.flatten(mode: .everyValue)
      default: outer.mergeMap(maxConcurrent: 2, until: { _ in false }) { $0 }
      }
    let told = Recorder(result)
    let listening = x.map { $0 }.listen { value in
      if value != 2 { return }
      outer.value = waiting
      y.clean()
    }
    x.value = 2
    #expect(told.values == (isChosenAgain ? [[1, 10], [1, 10]] : [[1, 10]]))
    y.value = 20
    #expect(told.values.last == [2, 20])
    let before = told.values.count
    x.value = 3
    let edges = way == "mergeMap until" && isChosenAgain ? 2 : 1
    #expect(told.values.suffix(from: before) == Array(repeating: [3, 20], count: edges)[...])
    keepAlive(listening)
  }

  @Test
  func
    `10.4 flatten(mode: .everyValue) that turns to an empty join which waits empties its result`()
  {
    let x = MutableNode(1), y = MutableNode<Int>(), full = MutableNode([0])
    let waiting: Node<[Int]> = Node.combine([x, y])
    let outer = MutableNode<Node<[Int]>>(full)
    let result = outer.flatten(mode: .everyValue)
    let listening = x.map { $0 }.listen { if $0 == 2 { outer.value = waiting } }
    x.value = 2
    #expect(result.value == nil)
    y.value = 10
    #expect(result.value == [2, 10])
    keepAlive(listening)
  }

  @Test func `10.6 mergeMap(maxConcurrent:) of less than one stops with a message`() async {
    let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("source").mergeMap(maxConcurrent: 0) { Node($0) }
    }
    Operators.expectMessage(zero, "mergeMap(maxConcurrent:): the count 0 is not positive")
  }
}
