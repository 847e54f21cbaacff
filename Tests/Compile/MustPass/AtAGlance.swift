// Contract 0: the spelling of everything.
import Dispatch
import EasyReact

final class Owner: Sendable {
  func show(_ value: Int) {}
}
struct Person: Sendable {
  var name: String
}
struct Printer: NodeVisitor {
  func visit(_ node: AnyNode, depth: Int) -> VisitResult { .continue }
}

func values() {
  let a = MutableNode(1), b = MutableNode<Int>()
  a.value = 2
  a.set(3, context: "who")
  a.update { $0 += 1 }
  a.clean()
  _ = a.value ?? 0
  _ = a.isEmpty
  let read: Node<Int> = a
  _ = read.isMutable
  Node(15).mutablify().value = 16
  _ = a.named("price").name
  batch {
    a.value = 1
    b.value = 2
  }
}

func several(_ a: MutableNode<Int>, _ b: MutableNode<Int>, _ c: Node<Int>) {
  let sum: Node<Int> = a.combine(b).map { $0 + $1 }
  _ = a.combine(b, c)
  _ = Node.combine([a, b])
  _ = Node.combine([sum, c])
  _ = a.merge(b, c)
  _ = a.zip(b)
  _ = Node.merge([a, b])
  _ = Node.zip([a, b])
  _ = a.combine(b, mode: .everyValue)
}

func listening(_ a: Node<Int>, _ owner: Owner, _ queue: DispatchQueue) {
  var bag: [Listening] = []
  let listenings = CancelableBag()
  a.listen { value in print(value) }.store(in: &bag)
  a.listenToChanges { print($0.value, $0.context as Any, $0.path) }.store(in: listenings)
  a.listen(on: .queue(queue)) { print($0) }.store(in: &bag)
  a.listenOnMain { print($0) }.store(in: &bag)
  a.listen(by: owner) { owner, value in owner.show(value) }
  a.listen(by: owner, calling: Owner.show)
  a.listenToChanges(by: owner) { owner, change in print(change.context as Any) }
    .store(in: listenings)
  a.listen(by: owner, on: .queue(queue)) { owner, value in owner.show(value) }
  a.listen(by: owner, on: .main) { owner, value in owner.show(value) }
  a.listenToChanges(by: owner, on: .queue(queue)) { owner, change in owner.show(change.value) }
  a.listenOnMain(by: owner) { owner, value in owner.show(value) }
  a.stopListening(by: owner)
  // More than the value, on a scheduler and on the main actor.
  a.listenToChanges(on: .queue(queue)) { print($0.value, $0.context as Any) }.store(in: &bag)
  a.listenToChangesOnMain { print($0.value, $0.context as Any) }.store(in: &bag)
  a.listenToChangesOnMain(by: owner) { owner, change in owner.show(change.value) }
}

func linking(_ a: MutableNode<Int>, _ b: MutableNode<Int>, _ text: MutableNode<String>) {
  let transform = NodeTransform<Int, Int>()
  b.link(to: a)
  b.link(to: a, through: transform)
  transform.from = a
  transform.to = nil
  a.sync(with: b)
  a.sync(with: text, transform: { Int($0)! }, revert: { String($0) })
}

func operators(_ a: Node<Int>, _ person: Node<Person>, _ queue: DispatchQueue) {
  _ = a.fork().map { $0 + 1 }.mapReplace(1).compactMap { Int?($0) }.filter { $0 > 0 }
    .ignore(1).select(2).distinctUntilChanged().skip(2).take(2)
  _ = a.distinctUntilChanged(by: ==)
  _ = person.distinctUntilChanged(on: \.name)
  _ = a.scan(0) { total, next in total + next }
  _ = a.scanIndexed(0) { total, next, index in total + next + index }
  a.then { node in print(node) }
  _ = a.map { MutableNode($0) as Node<Int> }.flatten()
  _ = a.flattenMap { Node($0) }
  _ = a.deliver(on: .queue(queue)).deliver(on: .main).delay(.seconds(1), on: .queue(queue))
    .debounce(.seconds(1), on: .main)
}

func branching(_ a: Node<Int>, _ script: Node<String>) {
  let lines = script.switch { $0.first }
  _ = lines.case("L")
  _ = lines.default
  _ = lines.unmatched
  _ = script.switchMap { ($0.first, $0.count) }.case("L").map { $0 + 1 }
  let signs = a.if { $0 > 0 }
  signs.then { print($0) }.else { print($0) }
  _ = signs.thenNode
  _ = signs.elseNode
}

func looking(_ a: Node<Int>) {
  _ = a.upstreamNodes
  _ = a.downstreamTransforms
  var visitor = Printer()
  a.visit(&visitor)
  for (node, depth) in a.reachable { print(node, depth) }
  _ = a.dot()
  _ = a.mermaid()
  _ = a.snapshot()
  _ = leakReport()
}
