import EasyReact

/// Programs on the twin.
class TwinMachine: Machine {
  typealias Node = Twin.Node
  let twin: Twin
  required convenience init() { self.init(Twin()) }
  init(_ twin: Twin) {
    self.twin = twin
    twin.limit = 5_000
  }

  func node(_ value: Int?) -> Node { twin.node(value) }
  func eventNode() -> Node { twin.eventNode() }
  func read(_ node: Node) -> Int? { twin.read(node) }
  func set(_ node: Node, _ value: Int, context: Int?) {
    twin.put(.value(value), into: node, context: context)
  }
  func clean(_ node: Node) { twin.put(.empty, into: node) }
  func update(_ node: Node, _ change: @escaping @Sendable (Int) -> Int) {
    twin.put(.update(change), into: node)
  }
  func batch(_ body: () throws -> Void) throws { try twin.batch(body) }

  func link(_ down: Node, to up: Node) -> Cancel {
    let edge = twin.link(up, down, keepsEvents: true)
    return { [twin] in twin.cut(edge) }
  }
  func sync(
    _ node: Node, with other: Node, _ transform: @escaping @Sendable (Int) -> Int,
    _ revert: @escaping @Sendable (Int) -> Int
  ) -> Cancel {
    let edges = twin.sync(node, other, transform, revert)
    return { [twin] in twin.cut(edges) }
  }
  func removeUpstream(_ up: Node, of down: Node) { twin.cut(from: up, to: down) }
  func listen(_ node: Node, _ call: @escaping @Sendable (Int, Int?) -> Void) -> Cancel {
    let listener = twin.listen(node, call)
    return { [twin] in twin.cancel(listener, of: node) }
  }

  func derive(_ node: Node, _ anOperator: Operator) -> Node {
    if case .events = anOperator { return twin.events(of: node) }
    let result = twin.node()
    let edge = twin.link(
      node, result, .plain(anOperator.function), keepsEvents: anOperator.keepsEvents)
    if case .distinctUntilChanged = anOperator { edge?.refusal = .equal }
    return result
  }
  func merge(_ nodes: [Node]) -> Node { twin.merge(nodes) }
  func combine(_ nodes: [Node]) -> Node { twin.combine(nodes, Sums.digest) }
  func everyValue(_ nodes: [Node]) -> Node { twin.combine(nodes, as: .everyValue, Sums.digest) }
  func zip(_ nodes: [Node]) -> Node { twin.zip(nodes, Sums.digest) }
  func digest(_ join: Node) -> Node { derive(join, .fork) }
  func withLatest(_ node: Node, from other: Node) -> Node {
    digest(twin.sampling(.withLatest, node, other, Sums.digest))
  }
  func sample(_ node: Node, on ticks: Node) -> Node {
    twin.sampling(.sample, node, ticks) { $0[0] }
  }
  func flatten(_ node: Node, _ mode: CombineMode, _ choose: @escaping @Sendable (Int) -> Node)
    -> Node
  {
    let result = twin.node()
    twin.link(node, result, .flatten(choose, isJoin: mode == .latest))
    return result
  }
  func flattenJoins(_ node: Node, _ mode: CombineMode, _ choose: @escaping @Sendable (Int) -> Node)
    -> Node
  { flatten(node, mode, choose) }

  func flattenCombine(_ node: Node, _ sets: [[Node]]) -> Node {
    let chosen = twin.node()
    twin.link(node, chosen)
    return twin.flattenCombine(chosen, { sets[$0 % sets.count] }, Sums.digest)
  }

  func derived(_ compute: @escaping @Sendable () throws -> Int?) -> Node { twin.derived(compute) }
  func get(_ node: Node) throws -> Int {
    guard let value = twin.read(node) else { throw Empty() }
    return value
  }
  private struct Empty: Error {}
  func untracked(_ body: () -> Int?) -> Int? { twin.untracked(body) }
  func upstreamNodes(of node: Node) -> [AnyObject] { twin.upstreamNodes(of: node) }

  func cutEverything() {}
  var violations: [String] { [] }
  var isExhausted: Bool { twin.deliveries > twin.limit }
}

extension Operator {
  var keepsEvents: Bool {
    switch self {
    case .held, .scan: true
    default: false
    }
  }

  /// The operator on one edge: a closure that remembers.
  var function: (Int) -> Int? {
    var last: Int?, count = 0
    func passOn(_ value: Int) -> Int {
      last = value
      return value
    }
    switch self {
    case .fork, .events, .held: return { $0 }
    case .map(let plus): return { Sums.plus($0, plus) }
    case .mapReplace(let value): return { _ in value }
    case .filter(let divisor): return { $0 % max(1, divisor) != 0 ? $0 : nil }
    case .ignore(let ignored): return { $0 == ignored ? nil : $0 }
    case .select(let selected): return { $0 == selected ? $0 : nil }
    case .distinctUntilChanged: return { $0 == last ? nil : passOn($0) }
    case .scan(let start): return { passOn(Sums.plus((last ?? start) * 3, $0)) }
    case .skip(let skipped):
      return {
        count += 1
        return count > skipped ? $0 : nil
      }
    case .take(let taken):
      return {
        count += 1
        return count <= taken ? $0 : nil
      }
    }
  }
}
