// Contract 1.2, 2.6: only a mutable node is a receiver.
// expect: Only a `MutableNode` is a receiver
import EasyReact

func tell(_ node: Node<Int>) { node.receive(1, from: nil, context: nil) }
