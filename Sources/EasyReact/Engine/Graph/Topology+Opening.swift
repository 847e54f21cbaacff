// A cut inside a component may break it up (Topology+Cycles.swift).

/// An edge inside the component was cut. Returns the edges that led back and lie on no cycle now, in
/// the order in which they were linked, the nodes that are no longer members, and the edges which lie on no
/// cycle now and lead to a node that has refused something.
///
/// The law that holds throughout: the members reach each other if every `source` leads to every
/// `target`. So it is enough that each source reaches the root, and the root each target. What is split
/// off is found by searches from both sides, so the smaller side determines the cost; once they have taken longer
/// than it may take to look at all members, all members are looked at.
func shrink(
  _ component: Component, withoutWayFrom up: NodePointer, to down: NodePointer
) -> (opened: [EdgePointer], left: Set<NodePointer>, missed: Set<EdgePointer>) {
  var rest = Remainder(component, up, down)
  let budget = topology.looks + 4 * component.members.count + 64
  while let doubt = rest.nextDoubt() {
    if topology.looks > budget {
      rest.breakUp()
      break
    }
    if let side = rest.side(in: doubt) { rest.splitOff(strongParts(of: side)) }
  }
  rest.end()
  return (rest.opened.sorted { $0.number < $1.number }.map(\.edge), rest.left, rest.missed)
}

/// A member of which it is not known yet whether it still belongs together with the root.
private enum Doubt {
  case source(NodePointer), target(NodePointer)
}

/// A component that has lost an edge, and may fall apart.
private struct Remainder {
  private let component: Component
  private let address: Unmanaged<Component>
  private var root: NodePointer
  /// Searches from the root, and to it.
  private var reached: RootSearch, reaching: RootSearch
  /// Those known so far; and those of them that are doubtful.
  private var sources: Set<NodePointer>, targets: Set<NodePointer>
  private var doubtfulSources: [NodePointer] = [], doubtfulTargets: [NodePointer]
  private(set) var opened: [(edge: EdgePointer, number: UInt64)] = []
  private(set) var left: Set<NodePointer> = []
  private(set) var missed: Set<EdgePointer> = []

  init(_ component: Component, _ up: NodePointer, _ down: NodePointer) {
    self.component = component
    address = .passUnretained(component)
    (root, sources, targets) = (up, [up], [down])
    doubtfulTargets = [down]
    reached = RootSearch(up, .outs)
    reaching = RootSearch(up, .ins)
  }

  private func contains(_ storage: NodePointer) -> Bool { storage.component() == address }

  mutating func nextDoubt() -> Doubt? {
    if !contains(root) {
      topology.looks += sources.count + targets.count
      sources = sources.filter(contains)
      targets = targets.filter(contains)
      guard let next = sources.first, !targets.isEmpty else { return nil }
      root = next
      (reached, reaching) = (RootSearch(root, .outs), RootSearch(root, .ins))
      (doubtfulSources, doubtfulTargets) = (Array(sources), Array(targets))
    }
    while let source = doubtfulSources.popLast() { if contains(source) { return .source(source) } }
    while let target = doubtfulTargets.popLast() { if contains(target) { return .target(target) } }
    return nil
  }

  /// Members from which nothing leads to the others, or to which nothing leads from the others. Nil: the doubtful
  /// one belongs together with the root.
  mutating func side(in doubt: Doubt) -> Set<NodePointer>? {
    switch doubt {
    case .source(let source): reaching.side(of: source, in: component)
    case .target(let target): reached.side(of: target, in: component)
    }
  }

  /// Strongly connected parts; no way round leads over the other members.
  mutating func splitOff(_ found: StrongParts) {
    let parts = found.parts
    for part in parts {
      component.remove(part)
      left.formUnion(part)
    }
    regrouping {
      for part in parts {
        let group = part.count == 1 ? nil : Component(part)
        for storage in part { storage.put(into: group) }
      }
    }
    lookBetween(found)
  }

  /// An edge between what was split off and the rest is in the lists of both: so the lists of both sides are read by turns, until one side is at
  /// its end. Either side may have more edges, as a node with a thousand downstreams has beside fields. If there are several parts, some edges
  /// lie between two of them: these are found in the lists that were read in full to find the parts.
  private mutating func lookBetween(_ found: StrongParts) {
    let own = Set(found.parts.joined())
    for (list, opposite) in [(EdgeListKind.ins, EdgeListKind.outs), (.outs, .ins)] {
      var others = component.members.lazy.flatMap { EdgeWalk($0, opposite) }.makeIterator()
      for edge in own.lazy.flatMap({ EdgeWalk($0, list) }) {
        look(edge, list)
        if found.parts.count > 1, list == found.list { continue }
        guard let other = others.next() else { break }
        if own.contains(other.pointee.far(opposite)) { look(other, list) }
      }
    }
  }

  /// Looks at an edge of what was split off. One whose cut is not yet noted raises a doubt all the same.
  private mutating func look(_ edge: EdgePointer, _ list: EdgeListKind) {
    let far = edge.pointee.far(list)
    if contains(far) {
      if list == .ins {
        if sources.insert(far).inserted { doubtfulSources.append(far) }
      } else if targets.insert(far).inserted {
        doubtfulTargets.append(far)
      }
    }
    let down = edge.pointee.down!, component = down.component()
    if component != nil, component == edge.pointee.up!.component() { return }
    if edge.pointee.has(.isBackEdge), let number = topology.forget(edge), edge.pointee.isUncut() {
      // Before the note is looked at: see `refuses`.
      edge.pointee.remove(.isBackEdge)
      opened.append((edge, number))
    }
    // What leads into the component from outside lay on no cycle.
    if contains(far) || left.contains(far), down.hasMissedSomething() { missed.insert(edge) }
  }

  /// Too many doubts: all members are looked at, once.
  mutating func breakUp() {
    var found = strongParts(of: component.members)
    let parts = found.parts
    guard let largest = parts.indices.max(by: { parts[$0].count < parts[$1].count }) else { return }
    found.parts.remove(at: largest)
    splitOff(found)
  }

  /// A single node is no component.
  mutating func end() {
    guard component.members.count == 1, let last = component.first else { return }
    regrouping { last.put(into: nil) }
    left.insert(last)
  }
}

/// A search from a component's root, which goes on from one doubt to the next: what it has seen for one
/// need not be looked for again. It stays right when something is split off meanwhile, since no way from the root
/// to what stays, or back, leads over that.
///
/// It goes breadth first, so that it finds what is near, and by turns depth first, so that a short way over nodes
/// with many edges is found before all these edges have been looked at.
private struct RootSearch {
  private enum Step { case on, met, end }

  private let start: NodePointer
  private var wide: Front
  /// Begun after a few steps: most searches end before that.
  private var deep: Front?
  private var steps = 0

  init(_ start: NodePointer, _ list: EdgeListKind) {
    self.start = start
    wide = Front(start, list)
  }

  fileprivate func sees(_ member: NodePointer) -> Bool {
    wide.seen.contains(member) || deep?.seen.contains(member) ?? false
  }

  /// Goes on by turns with a search from the member, until the two meet (nil) or one is at its end: that one has
  /// seen all of one side. If it is this one, the smaller side is returned: what it has seen, or the others.
  mutating func side(of member: NodePointer, in component: Component) -> Set<NodePointer>? {
    if sees(member) { return nil }
    let address = Unmanaged.passUnretained(component)
    var own = RootSearch(member, wide.list == .outs ? .ins : .outs)
    while true {
      let mine = step(in: address, towards: own)
      if mine == .end {
        let side = wide.seen.filter { $0.component() == address }
        return 2 * side.count <= component.members.count
          ? side : component.members.subtracting(side)
      }
      let other = mine == .met ? .met : own.step(in: address, towards: self)
      if other == .end { return own.wide.seen }
      if other == .met {
        wide.see(member)
        return nil
      }
    }
  }

  /// Looks at one edge breadth first and one depth first. When the former is at its end, it has seen all.
  private mutating func step(
    in component: Unmanaged<Component>, towards other: RootSearch
  ) -> Step {
    guard let near = wide.next() else { return .end }
    if wide.follow(near, in: component, towards: other) { return .met }
    steps += 1
    if steps == 8 { deep = Front(start, wide.list, isDeep: true) }
    guard let next = deep?.next() else { return .on }
    return deep!.follow(next, in: component, towards: other) ? .met : .on
  }
}

extension Front {
  /// Goes over the edge, if it is uncut and leads to a member. True: the other search has seen that member.
  fileprivate mutating func follow(
    _ edge: EdgePointer, in component: Unmanaged<Component>, towards other: RootSearch
  ) -> Bool {
    let far = edge.pointee.far(list)
    if !edge.pointee.isUncut() || far.component() != component { return false }
    see(far)
    return other.sees(far)
  }
}

// MARK: - Strongly connected parts

/// The parts, and the direction in which all their edges have been looked at to find them.
typealias StrongParts = (parts: [[NodePointer]], list: EdgeListKind)

/// The strongly connected parts of these nodes, by edges among them. Tarjan's algorithm with a stack of its own: R. Tarjan,
/// Depth-first search and linear graph algorithms (1972). It runs downwards and upwards by turns, an edge at a time: a node with a thousand
/// downstreams may have few upstreams.
func strongParts(of storages: Set<NodePointer>) -> StrongParts {
  if storages.count == 1 { return ([Array(storages)], .outs) }
  var (down, up) = (PartSearch(storages, .outs), PartSearch(storages, .ins))
  while true {
    if !down.step() { return (down.parts, .outs) }
    if !up.step() { return (up.parts, .ins) }
  }
}

private struct PartSearch {
  private let storages: Set<NodePointer>
  private let list: EdgeListKind
  private var roots: Set<NodePointer>.Iterator
  private(set) var parts: [[NodePointer]] = []
  /// The nodes' numbers, in the order in which they were met; and by number the lowest open one that each reaches.
  private var numbers: [NodePointer: Int]
  private var low: [Int] = []
  private var open: [NodePointer] = []
  private var frames: [(number: Int, walk: EdgeWalk)] = []
  private var isDone: Int { .max }

  init(_ storages: Set<NodePointer>, _ list: EdgeListKind) {
    (self.storages, self.list) = (storages, list)
    roots = storages.makeIterator()
    numbers = Dictionary(minimumCapacity: storages.count)
  }

  /// Looks at one edge. False: the search has ended.
  mutating func step() -> Bool {
    while true {
      guard let number = frames.last?.number else {
        guard let root = roots.next() else { return false }
        if numbers[root] == nil { visit(root) }
        continue
      }
      guard let edge = frames[frames.count - 1].walk.next() else {
        frames.removeLast()
        close(number)
        continue
      }
      look(edge, from: number)
      return true
    }
  }

  private mutating func look(_ edge: EdgePointer, from number: Int) {
    if !edge.pointee.isUncut() { return }
    let far = edge.pointee.far(list)
    if let seen = numbers[far] {
      if low[seen] != isDone { low[number] = min(low[number], seen) }
    } else if storages.contains(far) {
      visit(far)
    }
  }

  private mutating func visit(_ storage: NodePointer) {
    let number = low.count
    numbers[storage] = number
    low.append(number)
    open.append(storage)
    frames.append((number, EdgeWalk(storage, list)))
  }

  private mutating func close(_ number: Int) {
    let lowest = low[number]
    if let below = frames.last?.number { low[below] = min(low[below], lowest) }
    if lowest != number { return }
    var part: [NodePointer] = []
    var last = Int.max
    while last != number {
      let storage = open.removeLast()
      last = numbers[storage]!
      low[last] = isDone
      part.append(storage)
    }
    parts.append(part)
  }
}
