import EasyReact
import EasyReactInspection
import EasyReactTesting
import Synchronization
import Testing

extension `18 A graph that explains itself` {
  @Suite struct RecorderAfterRecorder_ {
    /// A thread may still be in a turn of the one before.
    @Test func `18.1 recorders follow each other while threads set, and while one reads`() async {
      let nodes = (0..<3).map { _ in MutableNode("") }
      let joined = Node.combine(nodes).map { $0.joined() }
      let present = Present()
      await onThreads(4) { member in
        for number in 1...(member == 0 ? 500 : 5_000) {
          switch member {
          case 0: present.begin(GraphRecorder(events: 64))
          case 1: _ = present.recorder.withLock { $0 }?.counts
          default: nodes[number % 3].value = "\(member) \(number)"
          }
        }
      }
      #expect(await settle(within: .seconds(300)))
      let last = nodes.compactMap(\.value).joined()
      recorded { recorder in
        nodes[0].value = nodes[0].value!
        let counts = recorder.counts[joined.id]
        #expect(counts?.stored == 1 && counts?.storedEqual == 1)
        #expect(recorder.records.node(joined.id)?.value.text == last)
      }
    }

    private final class Present: Sendable {
      let recorder = Mutex<GraphRecorder?>(nil)
      func begin(_ new: GraphRecorder) {
        new.start()
        let old = recorder.withLock { recorder in
          defer { recorder = new }
          return recorder
        }
        _ = consume old
      }
    }
  }
}
