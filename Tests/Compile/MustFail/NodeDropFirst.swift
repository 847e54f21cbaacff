// Nodes know the words of sequences; the field's come first.
// expect: 'dropFirst' has been renamed to 'skip(_:)'
import EasyReact

func rest(_ node: Node<Int>) -> Node<Int> { node.dropFirst(2) }
