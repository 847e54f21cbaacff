// expect: capture of 'iterator' with non-Sendable type 'NodeValues<Int>.Iterator' in a '@Sendable' closure
import EasyReact

func share(_ node: Node<Int>) -> @Sendable () -> Void {
  let iterator = node.values.makeAsyncIterator()
  return { _ = iterator }
}
