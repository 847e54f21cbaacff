import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// What comes between two values must not change their order.
@Suite(.watched) struct OrderTests {
  @Test(arguments: [CombineMode.latest, .everyValue])
  func `7.2 a flatten that follows its inner node again tells nothing out of order`(
    mode: CombineMode
  ) {
    let inner = MutableNode(0), outer = MutableNode(1), heard = Heard<Int>()
    let door = MutableNode(0)
    let flat = outer.flattenMap(mode: mode) { _ in inner }
    flat.wiring.link(to: door)  // who sets the door is inside the result
    let listening = flat.listen { heard.hear($0) }
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let block = flat.listen {
      if $0 != -1 { return }
      isInside.signal()
      wait(for: mayGo)
    }
    onThreads(2) { number in
      if number == 0 { return door.value = -1 }
      wait(for: isInside)
      outer.value = 2
      for value in 1...3 { inner.value = value }
      mayGo.signal()
    }
    // A join reads what there is when its turn comes; each message is one. Where each value counts, they are told as if
    // nobody had been inside.
    #expect(heard.values == (mode == .latest ? [0, -1, 3, 3, 3, 3] : [0, -1, 0, 1, 2, 3]))
    listening.cancel()
    block.cancel()
  }

  /// Values of one thread for one node, while the node's region splits under them: it becomes
  /// mutable, gets a second upstream edge, loses its only one.
  @Test func `one thread's own sets keep their order while regions split`() {
    Stress.rounds(60) { round in
      let root = MutableNode(0)
      let chain = (0..<4).reduce(into: [root.map { $0 }]) { nodes, _ in
        nodes.append(nodes.last!.map { $0 })
      }
      let heard = chain.map { _ in Heard<Int>(letsOthersRunEvery: 2) }
      let listenings = zip(chain, heard).map { node, heard in node.listen { heard.hear($0) } }
      round.threads(4) { member in
        var generator = round.generator(member)
        switch member {
        case 0, 1:
          for number in 1...40 { root.value = (member + 1) * 1_000 + number }
        case 2:
          // Each becomes the head of a region at some time, and is then set besides.
          for index in [2, 0, 4, 1, 3] {
            let node = chain[index].mutablify()
            for number in 1...8 { node.value = (10 + index) * 1_000 + number }
          }
        default:
          for _ in 0..<10 {
            let node = chain[generator.below(chain.count)]
            let extra = node.map { $0 }
            extra.wiring.link(to: root)
            extra.wiring.removeUpstreamNode(node)
          }
        }
      }
      for (index, receiver) in heard.enumerated() {
        let stamps = receiver.values.map { WordStamp($0 / 1_000, $0 % 1_000) }
        // What is set in the chain reaches what lies below, in the same order.
        let senders = [1, 2] + (0...index).map { $0 + 10 }
        for sender in senders {
          let count = sender < 10 ? 40 : 8
          round.expectAll(
            stamps.filter { $0.sender == sender }, of: [sender], count: count, "node \(index)")
        }
        round.expect(receiver.overlaps == 0, "calls at node \(index) overlapped")
      }
      round.expectRest([root] + chain)
      keepAlive(listenings as AnyObject)
    }
  }

  /// The thread that is inside sets again; before that another thread left something.
  @Test func `a re-entrant set never overtakes what another thread left`() {
    let node = MutableNode(0), heard = Journal<Int>()
    let listenings = [
      node.listen { value in
        if value != 1 { return }
        node.value = 2  // waits in the node's queue: nobody left anything yet
        onThread { node.value = 3 }
        node.value = 4  // behind the 3
        onThread { node.value = 5 }
        node.value = 6
      },
      node.listen { heard.note($0) },
    ]
    node.value = 1
    #expect(heard.entries == [0, 1, 2, 3, 4, 5, 6])
    keepAlive(listenings as AnyObject)
  }

  @Test func `re-entrant sets of several threads keep each thread's order`() {
    Stress.rounds(60) { round in
      let node = MutableNode(WordStamp(0, 0)), heard = Heard<WordStamp>(letsOthersRunEvery: 2)
      let echoes = (1...3).map { _ in Tally() }
      let listenings = [
        // Whoever is inside sets again, as a sender of its own: its echoes come in order too.
        node.listen { stamp in
          if stamp.number == 0 || stamp.sender > 3 { return }
          let echo = echoes[stamp.sender - 1]
          echo.add()
          node.value = WordStamp(stamp.sender + 10, echo.count)
        },
        node.listen { heard.hear($0) },
      ]
      round.threads(3) { member in
        for number in 1...40 { node.value = WordStamp(member + 1, number) }
      }
      round.expectAll(heard.values, of: [1, 2, 3, 11, 12, 13], count: 40, "the listener")
      round.expectRest([node])
      keepAlive(listenings as AnyObject)
    }
  }

  @Test func `sets, cleans, updates and links of one thread keep their order`() {
    Stress.rounds(60) { round in
      let node = MutableNode(0), log = Journal<Int?>()
      final class Hearing: ListenEdge<Int>, @unchecked Sendable {
        // Unchecked: adds a constant.
        let log: Journal<Int?>
        init(_ log: Journal<Int?>) { self.log = log }
        override func receive(_ value: Int, from: AnyNode?, context: (any Sendable)?) {
          log.note(value)
          letOthersRun()
        }
        override func receiveEmpty(from: AnyNode?, context: (any Sendable)?) { log.note(nil) }
      }
      let listening = node.listen(with: Hearing(log))
      round.threads(3) { member in
        for number in 1...20 {
          if member > 0 {
            node.update { $0 += 0 }
            continue
          }
          node.value = number
          node.update { $0 += 100 }
          node.clean()
          // Not cut at once, for that would stop a push which waits in the mailbox.
          node.link(to: MutableNode(number + 200))
        }
      }
      // Each value of the first thread for the first time; the others only repeat.
      var seen: Set<Int?> = []
      var runs: [Int?] = []
      for value in log.entries {
        if value == nil { seen.remove(nil) }
        if seen.insert(value).inserted { runs.append(value) }
      }
      let expected = [0] + (1...20).flatMap { [$0, $0 + 100, nil, $0 + 200] as [Int?] }
      round.expect(runs == expected, "told \(runs)")
      node.wiring.removeUpstreamNodes()
      round.expectRest([node])
      listening.cancel()
    }
  }
}
