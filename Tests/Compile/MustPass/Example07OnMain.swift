// Example 7: the main-actor forms of listen, which may update a label.
import EasyReact

@MainActor final class Label { var text = "" }

@MainActor func show(_ node: Node<String>, on label: Label) -> Listening {
  node.listenOnMain(by: label) { label, text in label.text = text }
  node.listenToChangesOnMain(by: label) { label, change in label.text = change.value }
  node.listenToChangesOnMain { label.text = $0.value }.cancel()
  return node.listenOnMain { label.text = $0 }
}
