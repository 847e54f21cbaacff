// Contract 1.2: a node that is handed out is not linked by accident.
// expect: A node that is handed out is not linked by accident: `node.wiring.link(to:)`, or make it a `MutableNode`.
import EasyReact

func rewire(_ node: Node<Int>, _ other: Node<Int>) { node.link(to: other) }
