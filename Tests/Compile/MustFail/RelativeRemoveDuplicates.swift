// A name of Combine is renamed.
// expect: 'removeDuplicates()' has been renamed to 'distinctUntilChanged()'
import EasyReact

func calm(_ node: Node<Int>) -> Node<Int> {
  node.removeDuplicates()
}
