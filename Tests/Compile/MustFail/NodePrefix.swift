// Nodes know the words of sequences; the field's come first.
// expect: 'prefix' has been renamed to 'take(_:)'
import EasyReact

func start(_ node: Node<Int>) -> Node<Int> { node.prefix(2) }
