import Foundation

/// One call on a graph. Nodes, links and listeners go by names that the calls which make them give;
/// a call that names something which is not there does nothing, so a program stays valid when calls
/// are removed.
indirect enum Op: Codable, Equatable, Sendable {
  case node(Int, value: Int?)
  case eventNode(Int)
  case set(Int, to: Int, context: Int? = nil)
  case clean(Int)
  case update(Int, plus: Int)
  /// Reads a node and sets another.
  case copy(from: Int, to: Int, plus: Int)
  case batch([Op], throwing: Bool)
  case link(Int, to: Int, named: Int)
  case sync(Int, with: Int, plus: Int, named: Int)
  /// Cuts a link or sync, or cancels a listening.
  case cancel(Int)
  case removeUpstream(Int, of: Int)
  case derive(Int, Operator, named: Int)
  case withLatest(Int, from: Int, named: Int)
  case sample(Int, on: Int, named: Int)
  /// A value chooses one of these sets of nodes.
  case flattenCombine(Int, among: [[Int]], named: Int)
  case combine([Int], named: Int)
  case everyValue([Int], named: Int)
  case zip([Int], named: Int)
  case merge([Int], named: Int)
  /// A value chooses its inner node among those named, or the one flattened where there is none.
  case flatten(Int, among: [Int], everyValue: Bool = false, named: Int)
  /// The same among the nodes that `combine` and `zip` make.
  case flattenJoins(Int, among: [Int], everyValue: Bool = false, named: Int)
  /// A derivation that reads as often as `times` says, each time the node that the values read before choose among
  /// those named, of which some may be made later.
  case derived(among: [Int], times: Int, named: Int)
  /// A listener that makes calls of its own the first few times.
  case listen(Int, times: Int, then: [Op], named: Int)
}

enum Operator: Codable, Equatable, Sendable {
  case fork, distinctUntilChanged, events, held
  case map(Int), mapReplace(Int), filter(Int), ignore(Int), select(Int), scan(Int), skip(Int), take(
    Int)
}

typealias Program = [Op]

extension Program {
  /// Swift source: a failing program is pasted into a test as it is printed.
  var source: String {
    let body = map { "  .\($0)" }.joined(separator: ",\n")
    let module = String(reflecting: Op.self).dropLast(2)
    return "[\n\(body),\n]"
      .replacingOccurrences(of: module, with: "")
      .replacingOccurrences(of: "Operator.", with: ".")
      .replacingOccurrences(of: "Op.", with: ".")
      .replacingOccurrences(of: "Optional(", with: "(")
  }
}

// MARK: - Random programs

struct SplitMix64: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

/// Each program has its own taste: it likes some calls and leaves others out, so that rare
/// companions meet often in some programs (swarm testing: Groce et al., ISSTA 2012).
struct ProgramGenerator {
  private var random: SplitMix64
  private var nodes: [Int] = [], joins: [Int] = [], cancelables: [Int] = []
  private var derivations: [(name: Int, among: [Int])] = []
  private var lastName = 0
  private var taste: [Int] = []

  /// - Parameter hasEvents: With event nodes too; without them a seed gives the program that it always gave.
  static func program(seed: UInt64, hasEvents: Bool = false) -> Program {
    var generator = ProgramGenerator(random: SplitMix64(state: seed), hasEvents: hasEvents)
    return generator.program()
  }

  private let hasEvents: Bool
  private init(random: SplitMix64, hasEvents: Bool) {
    (self.random, self.hasEvents) = (random, hasEvents)
  }

  private mutating func program() -> Program {
    let usual = hasEvents ? Self.usual + Self.usualOfEvents : Self.usual
    let liked = usual.map { roll(3) == 0 ? 0 : $0 * (1 + roll(3)) }
    var ops = (0..<2 + roll(4)).map { _ in
      hasEvents && roll(3) == 0
        ? Op.eventNode(newNode()) : Op.node(newNode(), value: roll(2) == 0 ? nil : roll(97))
    }
    // First a graph, then life in it.
    taste = liked.enumerated().map { $0 < 5 ? 0 : $1 }
    taste[9] += 1
    for _ in 0..<2 + roll(12) { ops.append(op(depth: 0)) }
    for node in nodes where roll(2) == 0 {
      ops.append(.listen(node, times: 0, then: [], named: newCancelable()))
    }
    taste = liked.enumerated().map { $0 < 5 ? $1 : ($1 + 1) / 2 }
    taste[0] += 12
    for _ in 0..<4 + roll(20) { ops.append(op(depth: 0)) }
    return ops
  }

  /// A derivation closes a ring over a join and opens it again, among sets of what leads to the joins of the ring: much of
  /// what comes late round the ring is refused.
  static func ring(seed: UInt64) -> Program {
    var generator = ProgramGenerator(random: SplitMix64(state: seed), hasEvents: false)
    return generator.ring()
  }

  private mutating func ring() -> Program {
    taste = Self.usual
    let (direction, x, a) = (newNode(), newNode(), newNode())
    let (fed, join, gate, below) = (newNode(), newJoin(), newNode(), newNode())
    let joining: Op =
      switch roll(6) {
      case 0: .withLatest(roll(2) == 0 ? a : fed, from: fed, named: join)
      case 1: .flatten(fed, among: [a, x, direction], named: join)
      case 2: .flattenCombine(fed, among: [[a], [a, x], [fed, a]], named: join)
      case 3: .derived(among: [a, fed, x], times: 3, named: join)
      default: .combine([a, fed], named: join)
      }
    var ops: [Op] = [
      .node(direction, value: 0), .node(x, value: 1), .node(a, value: 1),
      // 2 turns it to what lies below the join; 13 away from there, and it says nothing.
      .derived(among: [below, a, direction], times: 2, named: fed), joining,
      .derive(join, roll(3) == 0 ? anOperator() : .filter(2 + roll(3)), named: gate),
      roll(3) == 0
        ? .derived(among: [gate, x], times: 2, named: below) : .combine([x, gate], named: below),
    ]
    for node in [fed, join, below] {
      ops.append(.listen(node, times: 0, then: [], named: newCancelable()))
    }
    for _ in 0..<3 + roll(6) {
      let late = [Op.set(x, to: roll(97)), .set(a, to: roll(97))]
      ops += [.set(direction, to: 2), .batch(late, throwing: false)]
      switch roll(6) {
      case 0: ops.append(op(depth: 0))
      case 1: ops.append(.set(a, to: roll(97)))
      case 2: ops.append(.batch([.set(direction, to: 13)] + late.reversed(), throwing: false))
      default: break
      }
      ops.append(.set(direction, to: roll(6) == 0 ? roll(97) : 13))
    }
    return ops
  }

  /// How often, in order of the cases of `op`; the first five are calls on a graph as it is.
  private static let usual = [8, 1, 2, 2, 4, 5, 4, 1, 1, 4, 4, 1, 1, 2, 2, 2, 6, 5]
  /// What is theirs alone.
  private static let usualOfEvents = [2, 3, 3, 2, 3]

  private mutating func op(depth: Int) -> Op {
    var choice = roll(taste.reduce(0, +)), kind = 0
    while choice >= taste[kind] { (choice, kind) = (choice - taste[kind], kind + 1) }
    switch kind {
    case 1: return .clean(node())
    case 2: return .update(node(), plus: roll(97))
    case 3: return .copy(from: node(), to: node(), plus: roll(3))
    case 4 where depth < 3: return .batch(ops(depth), throwing: roll(4) == 0)
    case 5: return .link(node(), to: node(), named: newCancelable())
    case 6: return .sync(node(), with: node(), plus: max(0, roll(12) - 8), named: newCancelable())
    case 7: return .cancel(cancelables.randomElement(using: &random) ?? 0)
    case 8:
      guard let derivation = derivations.randomElement(using: &random), roll(3) > 0 else {
        return .removeUpstream(node(), of: node())
      }
      return .removeUpstream(
        derivation.among.randomElement(using: &random)!, of: derivation.name)
    case 9: return .derive(node(), anOperator(), named: newNode())
    case 10: return .combine(some(), named: newJoin())
    case 11: return .everyValue([node(), node()], named: newNode())
    case 12: return .zip(some(), named: newJoin())
    case 13: return .merge(some(), named: newNode())
    case 14:
      return .flatten(
        node(), among: some() + (roll(4) == 0 ? [lastName + 1] : []), everyValue: roll(3) == 0,
        named: newNode())
    case 15:
      return .flattenJoins(
        node(), among: (0...roll(3)).map { _ in join() }, everyValue: roll(3) == 0,
        named: newJoin())
    case 16 where depth < 3:
      let reaction = roll(2) == 0 ? [] : ops(depth)
      return .listen(node(), times: 1 + roll(3), then: reaction, named: newCancelable())
    case 17: return derived()
    case 18: return .derive(node(), .events, named: newNode())
    case 19: return .derive(node(), .held, named: newNode())
    case 20: return .withLatest(node(), from: node(), named: newNode())
    case 21: return .sample(node(), on: node(), named: newNode())
    case 22:
      return .flattenCombine(node(), among: (0...roll(3)).map { _ in some() }, named: newJoin())
    default:
      return .set(node(), to: roll(97), context: roll(3) == 0 ? roll(5) : nil)
    }
  }

  private mutating func ops(_ depth: Int) -> [Op] {
    (0...roll(3)).map { _ in op(depth: depth + 1) }
  }

  /// A few nodes, or many, itself and later ones among them at times.
  private mutating func derived() -> Op {
    var among = some()
    if roll(6) == 0 { among += (0..<12).map { _ in node() } }
    for _ in 0..<max(0, roll(6) - 3) { among.append(lastName + 1 + roll(8)) }
    let times = 1 + roll(among.count + 2)
    derivations.append((newNode(), among))
    return .derived(among: among, times: times, named: lastName)
  }

  private mutating func anOperator() -> Operator {
    switch roll(13) {
    case 0: .fork
    case 1: .distinctUntilChanged
    case 2: .mapReplace(roll(97))
    case 3: .filter(2 + roll(3))
    case 4: .ignore(roll(97))
    case 5: .select(roll(97))
    case 6: .scan(roll(97))
    case 7: .skip(1 + roll(3))
    case 8: .take(1 + roll(3))
    default: .map(roll(97))
    }
  }

  private mutating func roll(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
  private mutating func node() -> Int { nodes.randomElement(using: &random)! }
  private mutating func join() -> Int { joins.randomElement(using: &random) ?? 0 }
  private mutating func some() -> [Int] { (0...roll(3)).map { _ in node() } }
  private mutating func newName() -> Int {
    lastName += 1
    return lastName
  }
  private mutating func newNode() -> Int {
    nodes.append(newName())
    return lastName
  }
  private mutating func newJoin() -> Int {
    joins.append(newNode())
    return lastName
  }
  private mutating func newCancelable() -> Int {
    cancelables.append(newName())
    return lastName
  }
}

// MARK: - Shrinking

extension Program {
  /// A small program for which `fails` still holds: first without whole stretches of calls, then by
  /// taking the program as a tree of arrays and numbers and making those smaller, one at a time.
  func shrunk(attempts: Int = 3000, while fails: (Program) -> Bool) -> Program {
    var best = self, left = attempts
    func accept(_ candidate: Program) -> Bool {
      left -= 1
      guard candidate != best && fails(candidate) else { return false }
      best = candidate
      return true
    }
    var stretch = Swift.max(1, count / 2)
    while stretch > 0 {
      var start = 0
      while start < best.count && left > 0 {
        var shorter = best
        shorter.removeSubrange(start..<Swift.min(start + stretch, best.count))
        if !accept(shorter) { start += stretch }
      }
      stretch /= 2
    }
    var goesOn = true
    while goesOn && left > 0 {
      let smaller = Tree(best).smaller.lazy.compactMap { try? Program($0) }
      goesOn = smaller.contains { left > 0 && accept($0) }
    }
    return best
  }
}

extension Program {
  fileprivate init(_ tree: Tree) throws {
    self = try JSONDecoder().decode(Program.self, from: JSONEncoder().encode(tree))
  }
}

/// A program as JSON has it.
private indirect enum Tree: Codable {
  case flag(Bool), number(Int), array([Tree]), object([String: Tree])

  init(_ program: Program) {
    self = try! JSONDecoder().decode(Tree.self, from: JSONEncoder().encode(program))
  }

  init(from decoder: any Decoder) throws {
    let box = try decoder.singleValueContainer()
    if let flag = try? box.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? box.decode(Int.self) {
      self = .number(number)
    } else if let array = try? box.decode([Tree].self) {
      self = .array(array)
    } else {
      self = .object(try box.decode([String: Tree].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var box = encoder.singleValueContainer()
    switch self {
    case .flag(let flag): try box.encode(flag)
    case .number(let number): try box.encode(number)
    case .array(let array): try box.encode(array)
    case .object(let object): try box.encode(object)
    }
  }

  /// Trees that differ from this one in one place, where they are smaller.
  var smaller: [Tree] {
    switch self {
    case .flag(let flag): return flag ? [.flag(false)] : []
    case .number(let number): return number > 0 ? [0, number / 2, number - 1].map(Tree.number) : []
    case .array(let array):
      return array.indices.flatMap { place -> [Tree] in
        var rest = array
        let element = rest.remove(at: place)
        let within = element.smaller.map { smaller -> Tree in
          var copy = array
          copy[place] = smaller
          return .array(copy)
        }
        return [.array(rest)] + within
      }
    case .object(let object):
      return object.keys.sorted().flatMap { key in
        object[key]!.smaller.map { smaller in .object(object.merging([key: smaller]) { $1 }) }
      }
    }
  }
}
