// Nodes know the words of sequences; the field's come first.
// expect: 'adjacentPairs()' has been renamed to 'pairwise()'
import EasyReact

func pairs(_ node: Node<Int>) -> Node<(Int, Int)> { node.adjacentPairs() }
