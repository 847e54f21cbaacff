// Example 7: the owner's form of the same.
// expect: main actor-isolated property 'text' can not be mutated from a Sendable closure
import EasyReact

@MainActor final class Label { var text = "" }

@MainActor func show(_ node: Node<String>, on label: Label) {
  node.listen(by: label) { label, text in label.text = text }
}
