// A cut inside a component may break it up (Topology+Cycles.swift).

/// An edge inside the component is cut. Returns the edges that led back and lie on no cycle now, in
/// the order in which they were linked.
///
/// What is split off is found by searches both ways, so it is paid by the smaller side. The law that
/// holds throughout: the members reach each other if every `source` leads to every `target`. So it is
/// enough that each source reaches the root, and the root each target.
func shrink(
  _ component: Component, withoutWayFrom up: NodePointer, to down: NodePointer
) -> [EdgePointer] {
  var rest = Remainder(component, up, down)
  let budget = topology.looks + 16 * component.members.count + 256
  while let (start, goal) = rest.nextDoubt() {
    if topology.looks > budget {
      rest.breakUp()
      break
    }
    let result = start.search(to: goal) { edge, far, list in rest.contains(far) }
    if case .ended(let side, _) = result { rest.splitOff([side]) }
  }
  rest.end()
  return rest.opened.sorted { $0.number < $1.number }.map(\.edge)
}

/// A component that has lost an edge, and may fall apart.
private struct Remainder {
  private let component: Component
  private let address: Unmanaged<Component>
  private var root: NodePointer
  /// Known so far; and those of which it is not known yet whether they hang together with the root.
  private var sources: Set<NodePointer>, targets: Set<NodePointer>
  private var doubtfulSources: [NodePointer] = [], doubtfulTargets: [NodePointer]
  private(set) var opened: [(edge: EdgePointer, number: UInt64)] = []

  init(_ component: Component, _ up: NodePointer, _ down: NodePointer) {
    self.component = component
    address = .passUnretained(component)
    (root, sources, targets) = (up, [up], [down])
    doubtfulTargets = [down]
  }

  func contains(_ storage: NodePointer) -> Bool { storage.component() == address }

  /// Two members of which the first must reach the second.
  mutating func nextDoubt() -> (NodePointer, NodePointer)? {
    if !contains(root) {
      sources = sources.filter(contains)
      targets = targets.filter(contains)
      guard let next = sources.first, !targets.isEmpty else { return nil }
      root = next
      (doubtfulSources, doubtfulTargets) = (Array(sources), Array(targets))
    }
    while let source = doubtfulSources.popLast() { if contains(source) { return (source, root) } }
    while let target = doubtfulTargets.popLast() { if contains(target) { return (root, target) } }
    return nil
  }

  /// Nothing leads from a side to the others, or nothing leads to it.
  mutating func splitOff(_ sides: [Set<NodePointer>]) {
    for side in sides {
      component.remove(side)
      regroup(side)
    }
    for side in sides {
      for storage in side {
        for edge in EdgeWalk(storage, .ins) { look(edge, .ins) }
        for edge in EdgeWalk(storage, .outs) { look(edge, .outs) }
      }
    }
  }

  private func regroup(_ side: Set<NodePointer>) {
    let parts = strongParts(of: side)
    regrouping {
      for part in parts {
        let group = part.count == 1 ? nil : Component(part)
        for storage in part { storage.put(into: group) }
      }
    }
  }

  /// An edge of what was split off. One that is cut and not yet noted counts as a doubt all the same.
  private mutating func look(_ edge: EdgePointer, _ list: EdgeListKind) {
    let far = edge.pointee.far(list)
    if contains(far) {
      if list == .ins {
        if sources.insert(far).inserted { doubtfulSources.append(far) }
      } else if targets.insert(far).inserted {
        doubtfulTargets.append(far)
      }
    }
    let up = edge.pointee.up!.component()
    if up != nil, up == edge.pointee.down!.component() { return }
    if let number = topology.forget(edge), edge.pointee.isUncut() { opened.append((edge, number)) }
  }

  /// Too many doubts: all at once.
  mutating func breakUp() {
    let parts = strongParts(of: component.members).map { Set($0) }
    let largest = parts.max { $0.count < $1.count }
    splitOff(parts.filter { $0 != largest })
  }

  /// A single node is no component.
  func end() {
    guard component.members.count == 1, let last = component.first else { return }
    regrouping { last.put(into: nil) }
  }
}

/// The strongly connected parts of these nodes, over edges among them. Tarjan's algorithm with a stack
/// of its own: R. Tarjan, Depth-first search and linear graph algorithms (1972).
func strongParts(of storages: Set<NodePointer>) -> [[NodePointer]] {
  var index: [NodePointer: Int] = [:]
  var low: [NodePointer: Int] = [:]
  var open: [NodePointer] = []
  var isDone: Set<NodePointer> = []
  var frames: [(storage: NodePointer, walk: EdgeWalk)] = []
  var parts: [[NodePointer]] = []
  func visit(_ storage: NodePointer) {
    index[storage] = index.count
    low[storage] = index[storage]
    open.append(storage)
    frames.append((storage, EdgeWalk(storage, .outs)))
  }
  func close(_ storage: NodePointer) {
    if let below = frames.last?.storage { low[below] = min(low[below]!, low[storage]!) }
    if low[storage] != index[storage] { return }
    let part = Array(open[open.lastIndex(of: storage)!...])
    open.removeLast(part.count)
    isDone.formUnion(part)
    parts.append(part)
  }
  for root in storages where index[root] == nil {
    visit(root)
    while let storage = frames.last?.storage {
      guard let edge = frames[frames.count - 1].walk.next() else {
        frames.removeLast()
        close(storage)
        continue
      }
      let down = edge.pointee.down!
      if !edge.pointee.isUncut() || !storages.contains(down) || isDone.contains(down) { continue }
      if let seen = index[down] { low[storage] = min(low[storage]!, seen) } else { visit(down) }
    }
  }
  return parts
}
