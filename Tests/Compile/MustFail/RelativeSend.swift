// A subject is sent to, a node is set.
// expect: 'send' has been renamed to 'set(_:)'
import EasyReact

func put(_ node: MutableNode<Int>) {
  node.send(1)
}
