// A name that means several things says which to choose.
// expect: Choose: `flattenMap` follows the latest inner node, `mergeMap` all of them, `concatMap` one after the other.
import EasyReact

func follow(_ node: Node<Int>, _ other: Node<Int>) -> Node<Int> {
  node.flatMap { _ in other }
}
