// expect: conformance of 'NodeValues<Element>.Iterator' to 'Sendable' is unavailable
import EasyReact

func share(_ node: Node<Int>) -> @Sendable () -> Void {
  let iterator = node.values.makeAsyncIterator()
  return { _ = iterator }
}
