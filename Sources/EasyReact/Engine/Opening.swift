// A cut inside a component may break it up (Cycles.swift).

/// An edge inside the component is cut. Returns the edges that led back and lie on no cycle now, in
/// the order in which they were linked.
///
/// What is split off is found by searches both ways, so it is paid by the smaller side. The law that
/// holds throughout: the members reach each other if every `source` leads to every `target`. So it is
/// enough that each source reaches the root, and the root each target.
func shrink(
  _ component: Component, withoutWayFrom up: CorePointer, to down: CorePointer
) -> [EdgePointer] {
  var rest = Remainder(component, up, down)
  let budget = surgery.looks + 16 * component.members.count + 256
  while let (start, goal) = rest.nextDoubt() {
    if surgery.looks > budget {
      rest.breakUp()
      break
    }
    let result = search(from: start, to: goal) { edge, far, list in rest.contains(far) }
    if case .ended(let side, _) = result { rest.splitOff([side]) }
  }
  rest.end()
  return rest.opened.sorted { $0.number < $1.number }.map(\.edge)
}

/// A component that has lost an edge, and may fall apart.
private struct Remainder {
  private let component: Component
  private let address: Unmanaged<Component>
  private var root: CorePointer
  /// Known so far; and those of which it is not known yet whether they hang together with the root.
  private var sources: Set<CorePointer>, targets: Set<CorePointer>
  private var doubtfulSources: [CorePointer] = [], doubtfulTargets: [CorePointer]
  private(set) var opened: [(edge: EdgePointer, number: UInt64)] = []

  init(_ component: Component, _ up: CorePointer, _ down: CorePointer) {
    self.component = component
    address = .passUnretained(component)
    (root, sources, targets) = (up, [up], [down])
    doubtfulTargets = [down]
  }

  func contains(_ core: CorePointer) -> Bool { EasyReact.component(of: core) == address }

  /// Two members of which the first must reach the second.
  mutating func nextDoubt() -> (CorePointer, CorePointer)? {
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
  mutating func splitOff(_ sides: [Set<CorePointer>]) {
    for side in sides {
      component.remove(side)
      regroup(side)
    }
    for side in sides {
      for core in side {
        for edge in EdgeWalk(core, .ins) { look(edge, .ins) }
        for edge in EdgeWalk(core, .outs) { look(edge, .outs) }
      }
    }
  }

  private func regroup(_ side: Set<CorePointer>) {
    let parts = strongParts(of: side)
    regrouping {
      for part in parts {
        let group = part.count == 1 ? nil : Component(part)
        for core in part { put(core, into: group) }
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
    let up = EasyReact.component(of: edge.pointee.up!)
    if up != nil, up == EasyReact.component(of: edge.pointee.down!) { return }
    if let number = surgery.forget(edge), edge.pointee.isUncut() { opened.append((edge, number)) }
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
    regrouping { put(last, into: nil) }
  }
}

/// The strongly connected parts of these nodes, over edges among them. Tarjan's algorithm with a stack
/// of its own: R. Tarjan, Depth-first search and linear graph algorithms (1972).
func strongParts(of cores: Set<CorePointer>) -> [[CorePointer]] {
  var index: [CorePointer: Int] = [:]
  var low: [CorePointer: Int] = [:]
  var open: [CorePointer] = []
  var isDone: Set<CorePointer> = []
  var frames: [(core: CorePointer, walk: EdgeWalk)] = []
  var parts: [[CorePointer]] = []
  func visit(_ core: CorePointer) {
    index[core] = index.count
    low[core] = index[core]
    open.append(core)
    frames.append((core, EdgeWalk(core, .outs)))
  }
  func close(_ core: CorePointer) {
    if let below = frames.last?.core { low[below] = min(low[below]!, low[core]!) }
    if low[core] != index[core] { return }
    let part = Array(open[open.lastIndex(of: core)!...])
    open.removeLast(part.count)
    isDone.formUnion(part)
    parts.append(part)
  }
  for root in cores where index[root] == nil {
    visit(root)
    while let core = frames.last?.core {
      guard let edge = frames[frames.count - 1].walk.next() else {
        frames.removeLast()
        close(core)
        continue
      }
      let down = edge.pointee.down!
      if !edge.pointee.isUncut() || !cores.contains(down) || isDone.contains(down) { continue }
      if let seen = index[down] { low[core] = min(low[core]!, seen) } else { visit(down) }
    }
  }
  return parts
}
