// Contract 15: properties, lenses and observed nodes in classes, structs, actors, and on the main actor.
import EasyReact
import Observation

struct Address: Sendable { var city = "London" }
struct Person: Sendable {
  var name = "Ada"
  var email: String?
  var address = Address()
}

struct Row: Sendable { @Reactive var title = "" }
actor Store {
  @Reactive var count = 0
  func add() { count += 1 }
}
@MainActor final class Screen {
  @Reactive var person = Person()
  @Reactive var note: String?
  var text = "", hint: String?
  func start() {
    let name: MutableNode<String> = $person[\.name]
    name.assign(to: \.text, of: self)
    name.assign(to: \.hint, of: self)
    $note.assign(to: \.hint, of: self)
    name.observed.current = "Grace"
    let count: ObservedNode<Int> = name.map { $0.count }.observed
    text = "\(count.current)"
    person.name = "Joan"
  }
}
func useStore(_ store: Store) async -> MutableNode<Int> { await store.$count }

func lenses(
  _ person: MutableNode<Person>, _ read: Node<Person>, _ all: MutableNode<[Person]>,
  _ named: MutableNode<[String: Person]>
) {
  let city: MutableNode<String> = person[\.address][\.city]
  let email: MutableNode<String> = person[unwrapping: \.email]
  let optional: MutableNode<String?> = person[\.email]
  let length: Node<Int> = person[\.name.count]
  let name: Node<String> = read[\.name]
  let first: MutableNode<String> = all[index: 0][\.name]
  let ada: MutableNode<String> = named[key: "Ada"][\.name]
  first.value = "x"
  ada.sync(with: city)
  _ = (email, optional, length, name)
}

final class Board: Sendable {
  var price: Int {
    get { 0 }
    set {}
  }
}
func anywhere(_ node: Node<Int>, _ board: Board) { node.assign(to: \.price, of: board) }

@MainActor @Observable final class Model {
  var name = ""
  @ObservationIgnored @Reactive var price = 4
}
@MainActor func observe(_ model: Model) -> Node<String> { Node.observing { model.name } }
