// Contract 7.1: what an operator computes is a value of a node, so it is Sendable.
// expect: type 'Draft' does not conform to the 'Sendable' protocol
import EasyReact

final class Draft { var text = "" }

func drafts(_ node: Node<String>) -> Node<Draft> {
  node.map { _ in Draft() }
}
