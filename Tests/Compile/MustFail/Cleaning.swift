// Contract 1.2: only a mutable node can be emptied.
// expect: value of type 'Node<Int>' has no member 'clean'
import EasyReact

func clean(_ node: Node<Int>) { node.clean() }
