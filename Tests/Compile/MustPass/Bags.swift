// One bag keeps whatever can be cancelled, and `let` will do; an array of one's own works too.
import EasyReact

final class Panel: ListeningOwner, Sendable {
  let listenings = CancelableBag()
}

func keep(_ a: MutableNode<Int>, _ b: MutableNode<Int>, _ panel: Panel) {
  let bag = CancelableBag()
  var cancelables: [any Cancelable] = []
  var listenings: [Listening] = []
  a.listen { print($0) }.store(in: bag)
  a.listen(by: panel) { _, value in print(value) }.store(in: bag)
  b.link(to: a).store(in: bag)
  a.sync(with: b).store(in: &cancelables)
  a.listen { print($0) }.store(in: &cancelables)
  a.listen { print($0) }.store(in: &listenings)
  ClosureCancelable { print("over") }.store(in: panel.listenings)
  bag.store(in: &cancelables)
}
