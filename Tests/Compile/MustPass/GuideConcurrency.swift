// The code of the guide "Concurrency".
import Dispatch
import EasyReact

@MainActor final class Label { var text = "" }

@MainActor final class Screen {
  let label = Label()
  let progress = MutableNode("0 %")
  var listenings: [Listening] = []

  func start() {
    progress.listenOnMain { [label] in label.text = $0 }.store(in: &listenings)
    DispatchQueue.global().async { [progress] in progress.value = "100 %" }
  }
}

func goesOn() -> Int? {
  let node = MutableNode(0), done = DispatchSemaphore(value: 0)
  let listening = node.listen { value in
    if value != 1 { return }
    DispatchQueue.global().async {
      node.value = 2
      done.signal()
    }
    done.wait()
  }
  node.value = 1
  listening.cancel()
  return node.value
}

func count(_ counter: MutableNode<Int>) {
  counter.update { $0 += 1 }
  counter.value = (counter.value ?? 0) + 1
}
