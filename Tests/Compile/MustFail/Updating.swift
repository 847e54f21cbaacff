// Contract 1.2: only a mutable node can be updated.
// expect: 'update' is unavailable: A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it.
import EasyReact

func update(_ node: Node<Int>) { node.update { $0 += 1 } }
