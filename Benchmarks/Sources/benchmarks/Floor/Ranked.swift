/// The floor of everything with joins: nodes by rank, each computed once an update. One thread, no
/// listeners' order, no cycles, no edge that changes.
final class RankedGraph {
  /// It owns all its nodes, which own each other freely.
  fileprivate var nodes: [RankedNode] = []
  private var waiting: [[RankedNode]] = []
  private var lowest = Int.max
  private var isOpen = false

  init() {}
  deinit {
    for node in nodes { node.followers = [] }
    // The last first, or a long chain would be released recursively.
    while nodes.popLast() != nil {}
  }

  fileprivate func enqueue(_ node: RankedNode) {
    if node.isQueued { return }
    node.isQueued = true
    while waiting.count <= node.rank { waiting.append([]) }
    waiting[node.rank].append(node)
    if node.rank < lowest { lowest = node.rank }
  }

  /// What is set inside is computed at the end, once.
  func batch(_ body: () -> Void) {
    isOpen = true
    body()
    isOpen = false
    drain()
  }

  fileprivate func drain() {
    if isOpen { return }
    var rank = lowest
    while rank < waiting.count {
      while let node = waiting[rank].popLast() {
        node.isQueued = false
        if node.update() {
          for follower in node.followers { enqueue(follower) }
        }
      }
      rank += 1
    }
    lowest = Int.max
  }
}

/// What a node is without its type. Its work is a closure made in a generic function, which the
/// compiler specialises; a method of a generic class it would not.
final class RankedNode {
  fileprivate let rank: Int
  fileprivate var isQueued = false
  fileprivate var followers: [RankedNode] = []
  /// True: tell those that follow.
  fileprivate let update: () -> Bool

  fileprivate init(
    _ graph: RankedGraph, after upstreams: [RankedNode], _ update: @escaping () -> Bool
  ) {
    rank = (upstreams.map(\.rank).max() ?? -1) + 1
    self.update = update
    for upstream in upstreams { upstream.followers.append(self) }
    graph.nodes.append(self)
  }
}

/// A node and its value.
struct RankedCell<Value> {
  private final class Box {
    var value: Value
    init(_ value: Value) { self.value = value }
  }
  private unowned let graph: RankedGraph
  private let node: RankedNode
  private let box: Box

  var value: Value { box.value }

  @inline(__always) init(_ graph: RankedGraph, _ value: Value) {
    self.graph = graph
    box = Box(value)
    node = RankedNode(graph, after: []) { true }
  }

  /// - Parameter compute: Nil: nothing new.
  @inline(__always) init<Input>(
    _ graph: RankedGraph, after upstreams: [RankedCell<Input>], _ compute: @escaping () -> Value?
  ) {
    self.graph = graph
    let box = Box(compute()!)
    self.box = box
    node = RankedNode(graph, after: upstreams.map(\.node)) {
      guard let next = compute() else { return false }
      box.value = next
      return true
    }
  }

  @inline(__always) func set(_ value: Value) {
    box.value = value
    graph.enqueue(node)
    graph.drain()
  }

  @inline(__always) func map<Output>(_ transform: @escaping (Value) -> Output) -> RankedCell<Output>
  {
    let box = box
    return RankedCell<Output>(graph, after: [self]) { transform(box.value) }
  }

  @inline(__always) func join(
    _ other: RankedCell<Value>, _ transform: @escaping (Value, Value) -> Value
  ) -> RankedCell<Value> {
    let (first, second) = (box, other.box)
    return RankedCell(graph, after: [self, other]) { transform(first.value, second.value) }
  }

  @inline(__always) func distinct() -> RankedCell<Value> where Value: Equatable {
    let box = box
    var last: Value?
    return RankedCell(graph, after: [self]) {
      if box.value == last { return nil }
      last = box.value
      return last
    }
  }
}
