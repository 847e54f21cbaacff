// Contract 2.6: a read-only node is no Receiver.
// expect: requires that 'Node<Int>' conform to 'Receiver'
import EasyReact

func tell(_ receiver: some Receiver) {}

func hand(_ node: Node<Int>) { tell(node) }
