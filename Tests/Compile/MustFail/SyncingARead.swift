// Contract 1.2: nor synced.
// expect: A node that is handed out is not synced by accident: `node.wiring.sync(with:)`, or make it a `MutableNode`.
import EasyReact

func rewire(_ node: Node<Int>, _ other: MutableNode<Int>) { node.sync(with: other) }
