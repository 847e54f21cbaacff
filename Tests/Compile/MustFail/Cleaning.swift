// Contract 1.2: only a mutable node can be emptied.
// expect: 'clean()' is unavailable: A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it.
import EasyReact

func clean(_ node: Node<Int>) { node.clean() }
