// The original's crash: a download ends on a background queue, sets a node, and the listener updates a label there.
// expect: main actor-isolated property 'text' can not be mutated from a Sendable closure
import Dispatch
import EasyReact

@MainActor final class Label { var text = "" }

@MainActor final class Screen {
  let label = Label()
  let progress = MutableNode("0 %")
  var listenings: [Listening] = []

  func start() {
    progress.listen { [label] in label.text = $0 }.store(in: &listenings)
    DispatchQueue.global().async { [progress] in progress.value = "100 %" }
  }
}
