// Contract 7.1: the closure of an operator runs on any thread.
// expect: main actor-isolated property 'text' can not be referenced from a Sendable closure
import EasyReact

@MainActor final class Label { var text = "" }

@MainActor func decorate(_ node: Node<String>, with label: Label) -> Node<String> {
  node.map { label.text + $0 }
}
