// Tuples from combine are not Equatable: compare by a closure or on a property.
// expect: type '(Int, Int)' cannot conform to 'Equatable'
import EasyReact

func changes(_ a: Node<Int>, _ b: Node<Int>) -> Node<(Int, Int)> {
  let pair = a.combine(b)
  return pair.distinctUntilChanged()
}
