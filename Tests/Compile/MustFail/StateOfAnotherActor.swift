// Contract 14.5: a plain listener is on no actor; `listen(isolatedTo:)` is.
// expect: actor-isolated property 'total' can not be mutated from a Sendable closure
import EasyReact

actor Account {
  var total = 0

  func follow(_ price: Node<Int>) -> Listening {
    price.listen { value in self.total += value }
  }
}
