// Example 7: a plain listener, which any thread may call, updates a label of the main actor.
// expect: main actor-isolated property 'text' can not be mutated from a Sendable closure
import EasyReact

@MainActor final class Label { var text = "" }

@MainActor func show(_ node: Node<String>, on label: Label) -> Listening {
  node.listen { label.text = $0 }
}
