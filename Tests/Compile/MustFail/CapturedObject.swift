// Contract 7.1: what a listener captures must be Sendable.
// expect: capture of 'draft' with non-Sendable type 'Draft' in a '@Sendable' closure
import EasyReact

final class Draft { var text = "" }

func write(_ node: Node<String>, to draft: Draft) -> Listening {
  node.listen { draft.text = $0 }
}
