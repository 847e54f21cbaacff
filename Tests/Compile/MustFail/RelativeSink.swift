// A name of Combine says what to write here.
// expect: has been renamed to 'listen(_:)': Keep what `listen` returns: releasing it ends the listening. A node does not complete.
import EasyReact

func hear(_ node: Node<Int>) {
  _ = node.sink { print($0) }
}
