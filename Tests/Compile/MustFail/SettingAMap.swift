// Contract 1.2: what an operator returns cannot be set.
// expect: 'set' is unavailable: A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it.
import EasyReact

func set(_ node: MutableNode<Int>) { node.map { $0 + 1 }.set(2) }
