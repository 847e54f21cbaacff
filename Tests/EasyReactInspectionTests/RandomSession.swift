import EasyReact
import EasyReactInspection

/// A random graph of named nodes, of several types, in one piece; and random sets of it. Of one seed always the same.
struct RandomGraph {
  let integers: [MutableNode<Int>]
  let text: MutableNode<String>
  let limit: MutableNode<Int?>
  let share: MutableNode<Double>
  let isOpen: MutableNode<Bool>
  /// Everything derived, joined.
  let all: Node<[String]>
  private let listenings: [Listening]

  init(seed: UInt64) {
    var random = SplitMix64(state: seed)
    func roll(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    integers = (0..<3).map { MutableNode(0).named("integer \($0)") }
    text = MutableNode("").named("text")
    limit = MutableNode<Int?>(nil).named("limit")
    share = MutableNode(0.5).named("share")
    isOpen = MutableNode(true).named("is open")
    var nodes: [Node<Int>] = integers
    nodes.append(text.map(\.count).named("length"))
    nodes.append(limit.map { $0 ?? 100 }.named("limit or 100"))
    nodes.append(share.map { Int($0 * 100) }.named("percent"))
    nodes.append(isOpen.map { $0 ? 1 : 0 }.named("open"))
    for number in 0..<10 {
      let node = Self.derived(
        nodes[roll(nodes.count)], nodes[roll(nodes.count)], roll(9), 2 + roll(3))
      nodes.append(node.named("node \(number)"))
    }
    let last = MutableNode<Int>().named("last")
    listenings = [nodes[10].listen { last.value = $0 }]
    all = Node.merge((nodes + [last]).map { node in node.map { "\($0)" } }).map { [$0] }.named(
      "all")
  }

  private static func derived(_ a: Node<Int>, _ b: Node<Int>, _ kind: Int, _ number: Int) -> Node<
    Int
  > {
    switch kind {
    case 0: a.map { $0 &* number }
    case 1: a.filter { $0 % number != 0 }
    case 2: a.distinctUntilChanged()
    case 3: a.scan(number) { $0 &+ $1 }
    case 4: a.skip(number)
    case 5: a.combine(b).map { $0 &- $1 }
    case 6: a.merge(b)
    case 7: a.zip(b).map { $0 &+ $1 }
    default: a.flattenMap { $0 % number == 0 ? b : a }
    }
  }

  /// What is done to it.
  func play(seed: UInt64) {
    var random = SplitMix64(state: ~seed)
    for _ in 0..<25 { set(&random, depth: 0) }
  }

  private func set(_ random: inout SplitMix64, depth: Int) {
    func roll(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    let integer = integers[roll(3)]
    switch roll(depth == 0 ? 9 : 8) {
    case 0: text.value = ["", "a \"word\"", "two\nlines", "\\ and é 🦋"][roll(4)]
    case 1: limit.value = roll(3) == 0 ? nil : roll(50)
    case 2: share.value = Double(roll(1_000)) / 1_000
    case 3: isOpen.value = roll(2) == 0
    case 4: integer.clean()
    case 5: integer.set(-roll(50), context: "random")
    case 6, 7: integer.value = roll(100)
    default: batch { for _ in 0...roll(3) { set(&random, depth: 1) } }
    }
  }
}
