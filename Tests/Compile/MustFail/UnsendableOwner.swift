// A plain listener may run on any thread, so an owner that it touches must be Sendable (contract 9.3).
// expect: requires that 'Counter' conform to 'Sendable'
import EasyReact

final class Counter { var count = 0 }

func count(_ node: Node<Int>, by counter: Counter) {
  node.listen(by: counter) { counter, _ in counter.count += 1 }
}
