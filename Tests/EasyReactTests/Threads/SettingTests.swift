import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Several threads set; what every receiver heard is compared with what was set, value by value.
@Suite(.watched) struct SettingTests {
  private static let threadGroups = [2, 3, 8]

  // MARK: One node

  @Test(arguments: StampKind.allCases, threadGroups)
  func `threads set one node and every receiver hears one sequence`(kind: StampKind, threads: Int) {
    switch kind {
    case .word: setOneNode(WordStamp.self, threads)
    case .text: setOneNode(TextStamp.self, threads)
    }
  }

  private func setOneNode<Value: Stamp>(_: Value.Type, _ threads: Int) {
    let count = 60
    Stress.rounds(40) { round in
      let node = MutableNode(Value(0, 0))
      let derived = node.map { $0 }
      let mutable = node.map { $0 }.mutablify()
      let heard = (0..<4).map { Heard<Value>(letsOthersRunEvery: $0 + 2) }
      let listenings = [
        node.listen { heard[0].hear($0) }, derived.listen { heard[1].hear($0) },
        mutable.listen { heard[2].hear($0) }, node.listen { heard[3].hear($0) },
      ]
      round.threads(threads) { member in
        for number in 1...count { node.value = Value(member + 1, number) }
      }
      for (number, receiver) in heard.enumerated() {
        round.expect(receiver.overlaps == 0, "calls of receiver \(number) overlapped")
        round.expectAll(
          receiver.values, of: 1...threads, count: count, "receiver \(number)")
        round.expect(
          receiver.values == heard[0].values, "receiver \(number) heard another sequence")
      }
      let last = heard[0].values.last
      round.expect(node.value == last && derived.value == last, "\(node) ends with \(last!)")
      round.expect(mutable.value == last, "\(mutable) ends with \(last!)")
      round.expectRest([node])
      keepAlive(listenings as AnyObject)
    }
  }

  @Test func `threads update a shared counter and reach the exact total`() {
    Stress.rounds(40) { round in
      let counter = MutableNode(0), heard = Heard<Int>()
      let listening = counter.listen { heard.hear($0) }
      round.threads(4) { _ in for _ in 0..<100 { counter.update { $0 += 1 } } }
      round.expect(counter.value == 400, "the counter ends with \(counter.value!)")
      round.expect(heard.values == Array(0...400), "the listener missed a step")
      listening.cancel()
    }
  }

  // MARK: A sync and a ring

  @Test(arguments: StampKind.allCases, threadGroups)
  func `threads set the two ends of a sync, which end equal`(kind: StampKind, threads: Int) {
    switch kind {
    case .word: setRing(WordStamp.self, threads, size: 2, isSync: true)
    case .text: setRing(TextStamp.self, threads, size: 2, isSync: true)
    }
  }

  @Test(arguments: [3, 4], [true, false])
  func `threads set all members of a ring`(size: Int, isSync: Bool) {
    setRing(WordStamp.self, size, size: size, isSync: isSync)
    setRing(TextStamp.self, size, size: size, isSync: isSync)
  }

  /// Each thread sets one member, or one of the two ends.
  private func setRing<Value: Stamp>(_: Value.Type, _ threads: Int, size: Int, isSync: Bool) {
    let count = 30
    Stress.rounds(30) { round in
      let nodes = (0..<size).map { _ in MutableNode(Value(0, 0)) }
      for index in nodes.indices where size > 2 || index == 0 {
        let next = nodes[(index + 1) % size]
        if isSync { nodes[index].sync(with: next) } else { next.link(to: nodes[index]) }
      }
      let heard = nodes.map { _ in Heard<Value>(letsOthersRunEvery: 3) }
      let listenings = zip(nodes, heard).map { node, heard in node.listen { heard.hear($0) } }
      round.threads(threads) { member in
        for number in 1...count { nodes[member % size].value = Value(member + 1, number) }
      }
      for (index, receiver) in heard.enumerated() {
        let own = (0..<threads).filter { $0 % size == index }.map { $0 + 1 }
        round.expect(receiver.overlaps == 0, "calls at member \(index) overlapped")
        round.expect(
          nodes[index].value == receiver.values.last, "member \(index) holds what it told last")
        // What is set here is told here, each value; it may come again from the others.
        for sender in own {
          let numbers = Set(receiver.values.filter { $0.sender == sender }.map(\.number))
          round.expect(numbers.count == count, "member \(index) lost a value of \(sender)")
        }
        // Where values have two ways round, one that waits on a way comes after its successors.
        let oneWay = isSync && size > 2 ? Set(own) : Set(1...threads)
        round.expectFirstTimesInOrder(
          receiver.values.filter { oneWay.contains($0.sender) }, "member \(index)")
      }
      round.expect(
        Set(nodes.map { $0.value! }).count == 1,
        "the members end with \(nodes.map { $0.value!.description })")
      round.expectRest(nodes)
      for node in nodes { node.wiring.removeUpstreamNodes() }
      keepAlive(listenings as AnyObject)
    }
  }

  // MARK: Several sources

  @Test func `threads set the sources of a merge, which loses nothing`() {
    Stress.rounds(40) { round in
      let sources = (0..<4).map { _ in MutableNode<TextStamp>() }
      let merged = Node.merge(sources), heard = Heard<TextStamp>(), below = Heard<TextStamp>()
      let listenings = [
        merged.listen { heard.hear($0) }, merged.map { $0 }.listen { below.hear($0) },
      ]
      round.threads(4) { member in
        for number in 1...60 { sources[member].value = TextStamp(member + 1, number) }
      }
      round.expectAll(heard.values, of: 1...4, count: 60, "the merge")
      round.expect(below.values == heard.values, "what lies below heard another sequence")
      round.expect(heard.overlaps + below.overlaps == 0, "calls overlapped")
      round.expect(merged.value == heard.values.last, "the merge holds what it told last")
      round.expectRest([merged])
      keepAlive(listenings as AnyObject)
    }
  }

  @Test func `threads set the sources of a zip, which pairs the first with the first`() {
    Stress.rounds(40) { round in
      let a = MutableNode<Int>(), b = MutableNode<Int>(), c = MutableNode<String>()
      let rows = a.zip(b, c).map { "\($0) \($1) \($2)" }, heard = Heard<String>()
      let listening = rows.listen { heard.hear($0) }
      round.threads(3) { member in
        for number in 1...60 {
          switch member {
          case 0: a.value = number
          case 1: b.value = -number
          default: c.value = "n\(number)"
          }
        }
      }
      let expected = (1...60).map { "\($0) \(-$0) n\($0)" }
      round.expect(heard.values == expected, "\(heard.values.count) rows, or others")
      round.expect(heard.overlaps == 0, "calls overlapped")
      listening.cancel()
    }
  }

  @Test func `threads set the inner and the outer node of a flatten`() {
    Stress.rounds(60) { round in
      let inner = (0..<3).map { MutableNode(WordStamp($0 + 1, 0)) }
      let outer = MutableNode(0), heard = Heard<WordStamp>(letsOthersRunEvery: 2)
      let flat = outer.flattenMap { inner[$0] }
      let listening = flat.listen { heard.hear($0) }
      round.threads(4) { member in
        var generator = round.generator(member)
        for number in 1...60 {
          if member < 3 {
            inner[member].value = WordStamp(member + 1, number)
          } else {
            outer.value = generator.below(3)
          }
        }
      }
      round.expectInOrder(heard.values, "the flatten")
      round.expect(heard.overlaps == 0, "calls overlapped")
      let last = inner[outer.value!].value
      round.expect(flat.value == last, "\(flat.value!) where \(last!) is followed")
      round.expect(
        heard.values.last == last, "the last told is \(heard.values.last!), not \(last!)")
      round.expectRest([flat, outer] + inner)
      listening.cancel()
    }
  }
}

extension Round {
  /// A value may come round a cycle again; when each came for the first time, its sender's order
  /// held.
  func expectFirstTimesInOrder<Value: Stamp>(_ heard: [Value], _ who: String) {
    var seen: Set<Value> = []
    expectInOrder(heard.filter { seen.insert($0).inserted }, "\(who), at first")
  }
}
