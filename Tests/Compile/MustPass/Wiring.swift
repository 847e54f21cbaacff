// Contract 1.2: whoever rewires a node that is handed out says so, whatever is known of its type.
import EasyReact

func rewire(_ node: Node<Int>, _ text: Node<String>, _ any: AnyNode, _ mutable: MutableNode<Int>) {
  node.wiring.link(to: mutable)
  node.wiring.link(to: mutable, through: NodeTransform())
  node.wiring.link(to: text, through: NodeTransform())
  node.wiring.sync(with: mutable)
  node.wiring.sync(with: text, transform: { Int($0) ?? 0 }, revert: { String($0) })
  mutable.wiring.link(to: node).cancel()
  mutable.link(to: node).cancel()
  mutable.sync(with: node).cancel()
  for transform in node.upstreamTransforms { (transform as? NodeTransform<Int, Int>)?.from = nil }
  any.wiring.removeUpstreamNodes()
  any.wiring.removeDownstreamNodes()
  node.wiring.removeUpstreamNode(any)
  mutable.wiring.removeDownstreamNode(any)
  _ = ([mutable] as [any Receiver<Int>]).map { $0.receive(1, from: node, context: nil) }
}
