// Contract 7.1: a value that was delivered on the main queue is told on it, but the compiler does not know; the main-actor
// form of listen says so.
// expect: main actor-isolated property 'text' can not be mutated from a Sendable closure
import EasyReact

@MainActor final class Label { var text = "" }

@MainActor func show(_ node: Node<String>, on label: Label) -> Listening {
  node.deliver(on: .main).listen { label.text = $0 }
}
