// An owner that is not Sendable is handed to its listener on the main actor or a scheduler.
import Dispatch
import EasyReact

final class Counter { var count = 0 }

@MainActor func count(_ node: Node<Int>, by counter: Counter) {
  node.listenOnMain(by: counter) { counter, value in counter.count += value }
  node.listenToChangesOnMain(by: counter) { counter, change in counter.count += change.value }
}

func count(_ node: Node<Int>, by counter: Counter, on queue: DispatchQueue) {
  node.listen(by: counter, on: .queue(queue)) { counter, value in counter.count += value }
  node.stopListening(by: counter)
}
