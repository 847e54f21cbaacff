import EasyReact

/// Programs on the library.
final class EngineMachine: Machine {
  typealias Node = EasyReact.Node<Int>
  typealias Join = EasyReact.Node<[Int]>

  private var nodes: [AnyNode] = []
  init() {}

  /// Rings of links keep themselves alive until they are cut.
  deinit { cutEverything() }

  private func keep<Value>(_ node: EasyReact.Node<Value>) -> EasyReact.Node<Value> {
    nodes.append(node)
    return node
  }

  func node(_ value: Int?) -> Node {
    keep(value.map { MutableNode($0) } ?? MutableNode<Int>())
  }
  func eventNode() -> Node { keep(MutableNode<Int>.eventNode()) }
  func read(_ node: Node) -> Int? { node.value }
  func set(_ node: Node, _ value: Int, context: Int?) {
    guard let context else { return node.mutablify().value = value }
    node.mutablify().set(value, context: context)
  }
  func clean(_ node: Node) { node.mutablify().clean() }
  func update(_ node: Node, _ change: @escaping @Sendable (Int) -> Int) {
    node.mutablify().update { $0 = change($0) }
  }
  func batch(_ body: () throws -> Void) throws { try EasyReact.batch(body) }

  func link(_ down: Node, to up: Node) -> Cancel {
    let link = down.wiring.link(to: up)
    return { link.cancel() }
  }
  func sync(
    _ node: Node, with other: Node, _ transform: @escaping @Sendable (Int) -> Int,
    _ revert: @escaping @Sendable (Int) -> Int
  ) -> Cancel {
    let sync = node.wiring.sync(with: other, transform: transform, revert: revert)
    return { sync.cancel() }
  }
  func removeUpstream(_ up: Node, of down: Node) { down.wiring.removeUpstreamNode(up) }
  func removeUpstream(_ up: Node, of down: Join) { down.wiring.removeUpstreamNode(up) }
  func listen(_ node: Node, _ call: @escaping @Sendable (Int, Int?) -> Void) -> Cancel {
    let listening = node.listenToChanges { call($0.value, $0.context.map { $0 as! Int }) }
    return { listening.cancel() }
  }

  func derive(_ node: Node, _ anOperator: Operator) -> Node {
    switch anOperator {
    case .fork: keep(node.fork())
    case .events: keep(node.events())
    case .held: keep(node.held())
    case .map(let plus): keep(node.map { Sums.plus($0, plus) })
    case .mapReplace(let value): keep(node.mapReplace(value))
    case .filter(let divisor): keep(node.filter { $0 % max(1, divisor) != 0 })
    case .ignore(let value): keep(node.ignore(value))
    case .select(let value): keep(node.select(value))
    case .distinctUntilChanged: keep(node.distinctUntilChanged())
    case .scan(let start): keep(node.scan(start) { Sums.plus($0 * 3, $1) })
    case .skip(let count): keep(node.skip(count))
    case .take(let count): keep(node.take(count))
    }
  }
  func merge(_ nodes: [Node]) -> Node { keep(Node.merge(nodes)) }
  func combine(_ nodes: [Node]) -> Join { keep(Node.combine(nodes)) }
  func everyValue(_ nodes: [Node]) -> Join { keep(Node.combine(nodes, mode: .everyValue)) }
  func zip(_ nodes: [Node]) -> Join { keep(Node.zip(nodes)) }
  func digest(_ join: Join) -> Node { keep(join.map(Sums.digest)) }
  func withLatest(_ node: Node, from other: Node) -> Node {
    keep(keep(node.withLatest(from: other)).map { Sums.digest([$0.0, $0.1]) })
  }
  func sample(_ node: Node, on ticks: Node) -> Node { keep(node.sample(on: ticks)) }
  func flatten(_ node: Node, _ mode: CombineMode, _ choose: @escaping @Sendable (Int) -> Node)
    -> Node
  { keep(node.flattenMap(mode: mode, choose)) }
  func flattenJoins(_ node: Node, _ mode: CombineMode, _ choose: @escaping @Sendable (Int) -> Join)
    -> Join
  { keep(node.flattenMap(mode: mode, choose)) }

  func flattenCombine(_ node: Node, _ sets: [[Node]]) -> Join {
    keep(keep(node.map { sets[$0 % sets.count] }).flattenCombine())
  }

  func derived(_ compute: @escaping @Sendable () throws -> Int?) -> Node {
    keep(Node.derived(compute))
  }
  func get(_ node: Node) throws -> Int { try node.get() }
  func untracked(_ body: () -> Int?) -> Int? { EasyReact.untracked(body) }
  func upstreamNodes(of node: Node) -> [AnyObject] { node.upstreamNodes }

  func cutEverything() { for node in nodes { node.wiring.removeUpstreamNodes() } }
  var violations: [String] { checkInvariants(nodes) }
  var isExhausted: Bool { false }
}
