// Contract 1.2: writing to a read-only node does not compile.
// expect: cannot assign to property: 'value' is a get-only property
import EasyReact

func set(_ node: Node<Int>) { node.value = 2 }
