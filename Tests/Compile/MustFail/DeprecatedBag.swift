// A bag is a class: it is passed as it is.
// expect: is deprecated: A bag is passed as it is: `store(in: bag)`.
import EasyReact

func keep(_ node: Node<Int>) -> CancelableBag {
  var bag = CancelableBag()
  node.listen { print($0) }.store(in: &bag)
  bag = CancelableBag()
  return bag
}
