// Links join nodes of one type; others go through a transform.
// expect: cannot convert value of type 'Node<Int>' to expected argument type 'Node<String>'
import EasyReact

func join(_ number: Node<Int>, _ text: Node<String>) { text.link(to: number) }
