// Contract 15.4: a part of a node that is handed out cannot be set.
// expect: cannot assign to property: 'value' is a get-only property
import EasyReact

struct Person: Sendable { var name = "Ada" }

func rename(_ person: Node<Person>) { person[\.name].value = "Grace" }
