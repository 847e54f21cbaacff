// Contract 1.2: nor through a transform.
// expect: A node that is handed out is not linked by accident: `node.wiring.link(to:through:)`
import EasyReact

func rewire(_ node: Node<Int>, _ other: Node<Int>) {
  node.link(to: other, through: NodeTransform())
}
