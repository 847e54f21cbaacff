// An owner that is not Sendable is the main actor's only if it is given there (contract 9.3).
// expect: call to main actor-isolated instance method
import EasyReact

final class Counter { var count = 0 }

func count(_ node: Node<Int>, by counter: Counter) {
  node.listenOnMain(by: counter) { counter, _ in counter.count += 1 }
}
