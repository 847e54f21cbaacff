// Contract 7.1: main-actor classes are Sendable, so nodes can hold them; their properties are touched on the main actor.
import EasyReact

@MainActor final class Page {
  var title = ""
}

@MainActor func follow(_ pages: Node<Page>, in listenings: inout [Listening]) {
  pages.listenOnMain { $0.title += "!" }.store(in: &listenings)
  pages.combine(Node("suffix")).listenOnMain { page, suffix in page.title += suffix }
    .store(in: &listenings)
}

@MainActor final class Screen {
  let page = MutableNode<Page>()
  var shown = ""
  var listenings: [Listening] = []

  func start(_ progress: Node<String>) {
    progress.listenOnMain { [weak self] in self?.shown = $0 }.store(in: &listenings)
    progress.listenOnMain(by: self) { screen, text in screen.shown = text }
  }
}
