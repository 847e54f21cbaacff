// Contract 15.5: a property of the main actor is set there.
// expect: cannot form key path to main actor-isolated property 'text'
import EasyReact

@MainActor final class Label { var text = "" }

func show(_ node: Node<String>, in label: Label) { node.assign(to: \.text, of: label) }
