// A plain listener may run on any thread, so an owner that it touches must be Sendable (contract 9.3).
// expect: type 'Counter' does not conform to the 'Sendable' protocol
import EasyReact

final class Counter { var count = 0 }

func count(_ node: Node<Int>, by counter: Counter) {
  node.listen(by: counter) { counter, _ in counter.count += 1 }
}
