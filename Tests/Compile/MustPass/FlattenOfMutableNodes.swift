// Contract 10.4: a node that holds mutable nodes can be flattened.
import EasyReact

func flat(_ outer: Node<MutableNode<Int>>, _ other: Node<Node<Int>>) -> [Node<Int>] {
  [outer.flatten(), other.flatten(), other.flattenMap { $0 }]
}
