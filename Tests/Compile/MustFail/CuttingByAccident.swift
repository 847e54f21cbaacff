// Contract 1.2: the removals stand behind wiring, also those of a mutable node.
// expect: The edges of a node are cut by `node.wiring.removeUpstreamNodes()`.
import EasyReact

func rewire(_ node: MutableNode<Int>) { node.removeUpstreamNodes() }
