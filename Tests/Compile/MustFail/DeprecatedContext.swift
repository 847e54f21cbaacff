// expect: Use listenToChanges: its Change has the value and the context.
import EasyReact

func hear(_ node: Node<Int>) -> Listening {
  node.listenWithContext { _, context in print(context as Any) }
}
