// Contract 1.2: nor is a node cut whose type is not known.
// expect: The edges of a node are cut by `node.wiring.removeDownstreamNode(_:)`.
import EasyReact

func rewire(_ node: AnyNode, _ other: AnyNode) { node.removeDownstreamNode(other) }
