import EasyReact

/// Something that runs programs: the twin, or the library. All that a program can ask for is here.
protocol Machine: AnyObject, SendableMetatype {
  associatedtype Node: AnyObject
  /// A node of several values, made by `combine` and `zip`.
  associatedtype Join
  typealias Cancel = () -> Void
  init()

  func node(_ value: Int?) -> Node
  func eventNode() -> Node
  func read(_ node: Node) -> Int?
  func set(_ node: Node, _ value: Int, context: Int?)
  func clean(_ node: Node)
  func update(_ node: Node, _ change: @escaping @Sendable (Int) -> Int)
  func batch(_ body: () throws -> Void) throws

  func link(_ down: Node, to up: Node) -> Cancel
  func sync(
    _ node: Node, with other: Node, _ transform: @escaping @Sendable (Int) -> Int,
    _ revert: @escaping @Sendable (Int) -> Int
  ) -> Cancel
  func removeUpstream(_ up: Node, of down: Node)
  func removeUpstream(_ up: Node, of down: Join)
  /// A value and its context.
  func listen(_ node: Node, _ call: @escaping @Sendable (Int, Int?) -> Void) -> Cancel

  func derive(_ node: Node, _ anOperator: Operator) -> Node
  func merge(_ nodes: [Node]) -> Node
  func combine(_ nodes: [Node]) -> Join
  func everyValue(_ nodes: [Node]) -> Join
  func zip(_ nodes: [Node]) -> Join
  /// A node with one value for the several.
  func digest(_ join: Join) -> Node
  /// With one value for the pair.
  func withLatest(_ node: Node, from other: Node) -> Node
  func sample(_ node: Node, on ticks: Node) -> Node
  func flatten(_ node: Node, _ mode: CombineMode, _ choose: @escaping @Sendable (Int) -> Node)
    -> Node
  func flattenJoins(
    _ node: Node, _ mode: CombineMode, _ choose: @escaping @Sendable (Int) -> Join
  ) -> Join
  func flattenCombine(_ node: Node, _ sets: [[Node]]) -> Join

  /// What it reads by the two functions below, but not within `untracked`, makes an edge.
  func derived(_ compute: @escaping @Sendable () throws -> Int?) -> Node
  /// Throws where the node is empty.
  func get(_ node: Node) throws -> Int
  func untracked(_ body: () -> Int?) -> Int?
  func upstreamNodes(of node: Node) -> [AnyObject]

  /// So that what goes round for ever comes to an end.
  func cutEverything()
  /// Whatever must hold between calls and does not.
  var violations: [String] { get }
  /// The program is too much for this machine.
  var isExhausted: Bool { get }
}

/// The functions that operators of programs apply: on small numbers, so that equal values happen.
enum Sums {
  static func plus(_ a: Int, _ b: Int) -> Int { ((a + b) % 97 + 97) % 97 }
  static func digest(_ values: [Int]) -> Int { values.reduce(1) { ($0 * 31 + $1 + 1) % 9973 } }
}

struct Told: Equatable, CustomStringConvertible {
  let listener: Int, value: Int, context: Int?
  /// For the model, which has no contexts.
  var plain: String { "\(listener):\(value)" }
  var description: String { plain + (context.map { "@\($0)" } ?? "") }
}

/// A program under way on a machine. It finds what names stand for and keeps the log.
final class Run<M: Machine>: @unchecked Sendable {
  // Unchecked: a program runs on one thread.
  struct Stop: Error {}

  let machine = M()
  private(set) var told: [Told] = []
  private(set) var operations = 0
  /// Told more than this, the machine seems to go round for ever, and its graph is taken apart.
  var tellLimit = Int.max
  private(set) var nodes: [Int: M.Node] = [:], joins: [Int: M.Join] = [:]
  private var derivations: [Int] = []
  private var cancels: [Int: M.Cancel] = [:], names: Set<Int> = []

  var values: [Int: Int] { nodes.compactMapValues(machine.read) }

  /// What each derivation follows, by names.
  var followed: [Int: [Int]] {
    if derivations.isEmpty { return [:] }
    let names = Dictionary(
      uniqueKeysWithValues: nodes.map { (ObjectIdentifier($0.value), $0.key) })
    return Dictionary(
      uniqueKeysWithValues: derivations.map { name in
        (name, machine.upstreamNodes(of: nodes[name]!).map { names[ObjectIdentifier($0)] ?? -1 })
      })
  }

  func apply(_ op: Op) {
    operations += 1
    switch op {
    case .node(let name, let value): make(name) { machine.node(value) }
    case .eventNode(let name): make(name) { machine.eventNode() }
    case .set(let name, let value, let context):
      with(name) { machine.set($0, value, context: context) }
    case .clean(let name): with(name, machine.clean)
    case .update(let name, let plus): with(name) { machine.update($0) { Sums.plus($0, plus) } }
    case .copy(let from, let to, let plus):
      with(from) { from in
        guard let value = machine.read(from) else { return }
        with(to) { machine.set($0, Sums.plus(value, plus), context: nil) }
      }
    case .batch(let ops, let throwing):
      try? machine.batch {
        ops.forEach(apply)
        if throwing { throw Stop() }
      }
    case .cancel(let name): cancels[name]?()
    default: connect(op)
    }
  }

  private func connect(_ op: Op) {
    switch op {
    case .link(let down, let up, let name):
      with(down) { down in with(up) { up in keep(name) { machine.link(down, to: up) } } }
    case .sync(let a, let b, let plus, let name):
      with(a) { a in
        with(b) { b in
          keep(name) {
            machine.sync(a, with: b, { Sums.plus($0, plus) }, { Sums.plus($0, -plus) })
          }
        }
      }
    case .removeUpstream(let up, let down):
      with(up) { up in
        if let join = joins[down] { return machine.removeUpstream(up, of: join) }
        with(down) { machine.removeUpstream(up, of: $0) }
      }
    case .listen(let name, let times, let reaction, let own):
      with(name) { listen($0, times, reaction, own) }
    default: derive(op)
    }
  }

  private func derive(_ op: Op) {
    switch op {
    case .derive(let up, let anOperator, let name):
      with(up) { up in make(name) { machine.derive(up, anOperator) } }
    case .withLatest(let up, let other, let name):
      with(up) { up in with(other) { other in make(name) { machine.withLatest(up, from: other) } } }
    case .sample(let up, let ticks, let name):
      with(up) { up in with(ticks) { ticks in make(name) { machine.sample(up, on: ticks) } } }
    case .merge(let ups, let name): with(ups) { ups in make(name) { machine.merge(ups) } }
    case .combine(let ups, let name): gather(ups, name, machine.combine)
    case .everyValue(let ups, let name): gather(ups, name, machine.everyValue)
    case .zip(let ups, let name): gather(ups, name, machine.zip)
    case .flatten(let up, let inner, let everyValue, let name):
      with(up) { up in
        // Unsafe: one thread: a machine and its program are driven by the test alone.
        nonisolated(unsafe) let up = up
        make(name) {
          machine.flatten(up, everyValue ? .everyValue : .latest) { [unowned self] in
            inner.isEmpty ? up : nodes[inner[$0 % inner.count]] ?? up
          }
        }
      }
    case .flattenJoins(let up, let inner, let everyValue, let name):
      let there = inner.filter { joins[$0] != nil }
      if there.isEmpty { return }
      with(up) { up in
        make(name) {
          let join = machine.flattenJoins(up, everyValue ? .everyValue : .latest) {
            [unowned self] in joins[there[$0 % there.count]]!
          }
          joins[name] = join
          return machine.digest(join)
        }
      }
    case .flattenCombine(let up, let among, let name):
      let sets = among.map { $0.compactMap { nodes[$0] } }
      if sets.isEmpty { return }
      with(up) { up in
        make(name) {
          let join = machine.flattenCombine(up, sets)
          joins[name] = join
          return machine.digest(join)
        }
      }
    case .derived(let among, let times, let name):
      if names.contains(name) { return }
      make(name) {
        machine.derived { [unowned self] in try compute(among, times) }
      }
      derivations.append(name)
    default: preconditionFailure("no such call: \(op)")
    }
  }

  /// What a derivation's closure computes.
  private func compute(_ among: [Int], _ times: Int) throws -> Int? {
    if among.isEmpty { return times }
    var sum = times
    for time in 0..<times {
      guard let node = nodes[among[(sum + time) % among.count]] else { continue }
      let value =
        switch sum % 5 {
        case 0: try machine.get(node)
        case 1: machine.untracked { machine.read(node) } ?? 1
        default: machine.read(node) ?? 1
        }
      sum = Sums.plus(sum * 3, value)
    }
    return sum % 7 == 0 ? nil : sum
  }

  private func gather(_ ups: [Int], _ name: Int, _ several: ([M.Node]) -> M.Join) {
    with(ups) { ups in
      make(name) {
        let join = several(ups)
        joins[name] = join
        return machine.digest(join)
      }
    }
  }

  private func listen(_ node: M.Node, _ times: Int, _ reaction: [Op], _ name: Int) {
    var left = times
    keep(name) {
      // Unsafe: one thread: a machine and its program are driven by the test alone.
      nonisolated(unsafe) let react = { [unowned self] (value: Int, context: Int?) in
        told.append(Told(listener: name, value: value, context: context))
        if told.count > tellLimit { machine.cutEverything() }
        if left == 0 || told.count > tellLimit { return }
        left -= 1
        reaction.forEach(apply)
      }
      return machine.listen(node) { react($0, $1) }
    }
  }

  // MARK: Names

  private func with(_ name: Int, _ body: (M.Node) -> Void) {
    if let node = nodes[name] { body(node) }
  }
  private func with(_ several: [Int], _ body: ([M.Node]) -> Void) {
    let there = several.compactMap { nodes[$0] }
    if !there.isEmpty { body(there) }
  }
  private func make(_ name: Int, _ body: () -> M.Node) {
    if names.insert(name).inserted { nodes[name] = body() }
  }
  private func keep(_ name: Int, _ body: () -> M.Cancel) {
    if names.insert(name).inserted { cancels[name] = body() }
  }
}
