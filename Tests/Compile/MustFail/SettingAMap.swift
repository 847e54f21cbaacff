// Contract 1.2: what an operator returns cannot be set.
// expect: value of type 'Node<Int>' has no member 'set'
import EasyReact

func set(_ node: MutableNode<Int>) { node.map { $0 + 1 }.set(2) }
