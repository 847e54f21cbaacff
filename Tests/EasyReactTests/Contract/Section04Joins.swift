import Dispatch
import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 4. The sentences on batches stand in Section04Batch.swift, those on order in
/// Section04Order.swift.
@Suite("4 Joins: no glitches", .watched) struct Section4 {
  @Test
  func `4.1 b = a + 1, c = a * 10, d = combine(b, c): a from 1 to 2 tells d exactly (3, 20)`() {
    let a = MutableNode(1)
    let b = a.map { $0 + 1 }
    let c = a.map { $0 * 10 }
    let d = b.combine(c)
    let told = Recorder(d)
    #expect(told.values.map { "\($0)" } == ["(2, 10)"])
    told.clear()
    a.value = 2
    #expect(told.values.map { "\($0)" } == ["(3, 20)"])
    #expect(checkInvariants([a]) == [])
  }

  @Test
  func `4.1 a join runs once, however many of its upstreams changed`() {
    let a = MutableNode(0)
    let runs = Tally()
    let parts = (1...50).map { factor in a.map { $0 * factor } }
    let sum = Node.combine(parts).map { values in
      runs.add()
      return values.reduce(0, +)
    }
    let told = Recorder(sum)
    #expect(runs.take() == 1)
    a.value = 1
    a.value = 2
    #expect(told.values == [0, 1275, 2550])
    #expect(runs.count == 2)
    #expect(checkInvariants([a]) == [])
  }

  @Test
  func `4.1 a join of one node with itself runs once a set`() {
    let a = MutableNode(1)
    let told = Recorder(a.combine(a, a))
    a.value = 2
    #expect(told.values.map { "\($0)" } == ["(1, 1, 1)", "(2, 2, 2)"])
  }

  @Test
  func `4.1 a join runs after every node of lower rank that the turn reaches has its final value`()
  {
    // The deep side is linked last, so following edges in order alone would run every join too
    // early.
    let a = MutableNode(1)
    let shallow = a.map { $0 }
    let deep = (0..<20).reduce(a.map { $0 }) { node, _ in
      node.combine(shallow).map { $0 + $1 }
    }
    let bottom = shallow.combine(deep, a)
    let told = Recorder(bottom)
    a.value = 2
    a.value = 3
    #expect(told.values.map { "\($0)" } == ["(1, 21, 1)", "(2, 42, 2)", "(3, 63, 3)"])
    #expect(checkInvariants([a]) == [])
  }

  @Test
  func `4.1 no listener hears a mixture of old and new inputs`() {
    let a = MutableNode(0)
    let mixtures = Tally()
    let calls = Tally()
    var layer = (0..<4).map { index in a.map { $0 + index } }
    var listenings: [Listening] = []
    for depth in 1...6 {
      layer = layer.indices.map { index in
        let node = layer[index].combine(layer[(index + 1) % 4]).map { ($0 + $1) / 2 }
        // Every node of every layer lies between the smallest and largest first-layer value.
        node.combine(a).listen { value, source in
          calls.add()
          if value < source || value > source + 3 { mixtures.add() }
        }.store(in: &listenings)
        return node
      }
      #expect(layer.count == 4, "layer \(depth)")
    }
    _ = calls.take()
    for value in stride(from: 100, through: 1000, by: 100) { a.value = value }
    #expect(mixtures.count == 0)
    #expect(calls.count == 10 * 24)
    #expect(checkInvariants([a]) == [])
  }

  @Test
  func `4.1 it runs again in the same turn if a listener changes an input after it ran`() {
    let a = MutableNode(1)
    let b = MutableNode(10)
    let sum = a.combine(b).map { $0 + $1 }
    let told = Recorder(sum)
    let raising = sum.listen { if $0 < 20 { b.value = 20 } }
    #expect(told.values == [11, 21])
    told.clear()
    b.value = 10
    #expect(told.values == [11, 21])
    #expect(b.value == 20)
    _ = raising
  }

  @Test
  func
    `4.1 a join that is built in the middle of a turn may start with a mixture and is told again in the same turn`()
  {
    let a = MutableNode(1)
    let told = Journal<String>()
    var kept: [Listening] = []
    let made = Journal<Listening>()
    let late = MutableNode<Int>()
    // The listener runs before a's edge to `c` is followed, so `c` is old when the join is built.
    a.listen { value in
      guard value == 2 else { return }
      let join = a.combine(late)
      made.note(join.listen { told.note("\($0)") })
    }.store(in: &kept)
    late.link(to: a.map { $0 * 10 })
    a.value = 2
    #expect(told.take() == ["(2, 10)", "(2, 20)"])
    a.value = 3
    #expect(told.take() == ["(3, 30)"])
    #expect(checkInvariants([a]) == [])
  }

  @Test
  func
    `4.1 a flatten that switches to an inner node waiting to run tells only the value after it ran`()
  {
    let a = MutableNode(1)
    let tens = a.map { $0 * 10 }
    let join = a.combine(tens)
    let other = MutableNode((0, 0))
    let flat = a.flattenMap { $0 == 1 ? other : join }
    let told = Recorder(flat)
    a.value = 2
    a.value = 3
    #expect(told.values.map { "\($0)" } == ["(0, 0)", "(2, 20)", "(3, 30)"])
    #expect(checkInvariants([a]) == [])
  }

  @Test
  func
    `4.1 under contention the part of the turn that reaches a held node is delivered by the thread that holds it`()
  {
    let a = MutableNode(1)
    let b = MutableNode(10)
    let sum = a.combine(b)
    let told = Journal<String>()
    let entered = DispatchSemaphore(value: 0)
    let `continue` = DispatchSemaphore(value: 0)
    let listening = sum.listen { x, y in
      told.note("\(x) \(y)")
      if x == 2, y == 10 {
        entered.signal()
        wait(for: `continue`)
      }
    }
    let setting = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      a.value = 2
      setting.signal()
    }
    wait(for: entered)
    // The other thread is inside `sum`: this set returns without waiting for its listener.
    b.value = 20
    #expect(b.value == 20)
    #expect(told.entries == ["1 10", "2 10"])
    `continue`.signal()
    wait(for: setting)
    // (2, 10) was really held by both; the final combination comes from the thread that was inside.
    #expect(told.entries == ["1 10", "2 10", "2 20"])
    #expect(checkInvariants([a]) == [])
    _ = listening
  }
}

// MARK: - 4.2

extension Section4 {
  @Test(arguments: [1, 10, 30, 200])
  func `4.2 a ladder of k diamonds of joins costs O(k), not 2^k`(diamonds: Int) {
    let a = MutableNode(1)
    let runs = Tally()
    let bottom = (0..<diamonds).reduce(a as Node<Int>) { top, _ in
      let left = top.map { $0 }
      let right = top.map { $0 }
      return left.combine(right).map { left, right in
        runs.add()
        return max(left, right)
      }
    }
    let told = Recorder(bottom)
    #expect(runs.take() == diamonds)
    a.value = 2
    #expect(runs.count == diamonds)
    #expect(told.values == [1, 2])
  }

  @Test(arguments: [10, 100])
  func
    `4.2 the cost of a turn is linear in the edges it runs: joins over all nodes before them run once each`(
      count: Int
    )
  {
    let a = MutableNode(1)
    let runs = Tally()
    var nodes: [Node<Int>] = [a]
    for _ in 0..<count {
      nodes.append(
        Node.combine(nodes).map { values in
          runs.add()
          return values.last!
        })
    }
    _ = runs.take()
    a.value = 7
    #expect(runs.count == count)
    #expect(nodes.last!.value == 7)
    #expect(checkInvariants([a]) == [])
  }
}
