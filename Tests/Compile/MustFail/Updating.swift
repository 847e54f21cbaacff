// Contract 1.2: only a mutable node can be updated.
// expect: value of type 'Node<Int>' has no member 'update'
import EasyReact

func update(_ node: Node<Int>) { node.update { $0 += 1 } }
