// Example 7: the main-actor forms of listen, which may update a label.
import EasyReact

@MainActor final class Label { var text = "" }

@MainActor func show(_ node: Node<String>, on label: Label) -> Listening {
  node.listenOnMain(by: label) { label, text in label.text = text }
  node.listenOnMainWithContext(by: label) { label, text, _ in label.text = text }
  node.listenOnMainWithContext { text, _ in label.text = text }.cancel()
  return node.listenOnMain { label.text = $0 }
}
