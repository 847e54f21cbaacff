import CEasyReact
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// What a thread reads while others are inside.
@Suite(.watched) struct ReadingTests {
  /// One reader in some millions of reads found the event in the place of the value: between its look
  /// whether there is one and its copy, the node was emptied for an event.
  @Test func `7.5 an event is never read as the value of a node that tells events too`() {
    Stress.rounds(1) { round in
      let values = MutableNode(1), events = MutableNode<Int>.eventNode()
      let both = values.merge(events), joined = both.combine(values).map { $0 + $1 }
      round.threads(2) { member in
        if member == 0 {
          for number in 1...Stress.part(of: 100_000) {
            values.value = number * 2
            events.value = -number
          }
        } else {
          for _ in 0..<Stress.part(of: 1_000_000) {
            let read = both.value ?? 0
            round.expect(read >= 0, "\(read) is an event")
          }
        }
      }
      round.expectRest([values, both, joined])
    }
  }

  /// Others are as fast as ever: what one thread stages is no business of theirs.
  @Test func `4.3 another thread's batch changes nothing for this one`() {
    let node = MutableNode(1), told = Recorder(node)
    whileInBatch {
      node.value = 2
      #expect(node.value == 2 && told.values == [1, 2])
      node.clean()
      #expect(node.isEmpty)
      node.set(3, context: "mine")
    }
    #expect(told.values == [1, 2, 3])
  }

  private func whileInBatch(_ body: @escaping @Sendable () -> Void) {
    let gate = StartingGate(for: 2), end = StartingGate(for: 2)
    onThreads(2) { number in
      if number == 0 {
        batch {
          gate.pass()
          end.pass()
        }
      } else {
        gate.pass()
        body()
        end.pass()
      }
    }
  }

  /// A thread that has a node's short lock may have lost its core, and get it back only when nobody of
  /// a higher priority wants it.
  @Test func `7.3 who waits for a short lock does not keep its core for long`() {
    let node = MutableNode("a")
    let naps = easyreact_naps()
    withShortLock(of: node) {
      onThreads(1) { _ in #expect(node.value == "a") }
    } until: {
      easyreact_naps() &- naps >= 3
    }
  }
}
