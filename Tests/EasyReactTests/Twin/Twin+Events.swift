// Events, the joins that one of two upstreams makes run, and those of a set of nodes: contract 10.6.3, 10.6.4, 10.6.10,
// decision 0003.

extension Twin {
  func eventNode() -> Node {
    let node = node()
    node.isEventNode = true
    return node
  }

  /// What the node holds is not told.
  func events(of up: Node) -> Node {
    let node = eventNode()
    _ = attach(up, node, .plain { $0 })
    return node
  }

  /// What a join of two remembers.
  struct Sampling {
    enum Kind { case withLatest, sample }
    let kind: Kind
    /// Of a sample: what came since the last tick, and was not emptied.
    var arrived: (value: Int, isEvent: Bool)?
    /// Of the other one: what came, where it was an event.
    var event: Int?
    /// The turn in which it was made goes on: each of its inputs makes it run.
    var isCatchingUp = false
  }

  func sampling(
    _ kind: Sampling.Kind, _ up: Node, _ other: Node, _ compute: @escaping ([Int]) -> Int
  ) -> Node {
    let node = node()
    node.compute = compute
    node.inputs =
      kind == .withLatest
      ? [attach(up, node, .withLatest), attach(other, node, .latest)]
      : [attach(up, node, .sampled), attach(other, node, .join)]
    node.sampling = Sampling(kind: kind)
    if kind == .sample, other.value == nil, let value = up.value {
      node.sampling!.arrived = (value, false)
    }
    node.value = node.inputValues.map(compute)
    whileThisTurnGoesOn { node.sampling!.isCatchingUp = $0 }
    return node
  }

  /// What comes from the node that is sampled, or that is told with the latest of the other.
  func sample(_ edge: Edge, _ told: Int, _ route: Route) {
    let down = edge.down
    switch edge.kind {
    case .sampled:
      down.sampling!.arrived = (told, route.isEvent)
      if down.sampling!.isCatchingUp, !down.hasEnded, down.inputs[1].up.value != nil {
        return note(down, route)
      }
      stop(.waits, at: down, route)
    default:
      if route.isEvent { down.sampling!.event = told }
      note(down, route)
    }
  }

  func runSampling(_ join: Node, _ sampling: Sampling, _ arrival: Route) {
    if join.hasEnded { return stop(.cut, at: join, arrival) }
    let (up, other) = (join.inputs[0].up, join.inputs[1].up)
    var route = arrival
    switch sampling.kind {
    case .withLatest:
      join.sampling!.event = nil
      guard let value = up.value ?? sampling.event, let latest = other.value else {
        return fallSilent(join, route)
      }
      deliver(.value(join.compute([value, latest])), to: join, route)
    case .sample:
      guard let arrived = sampling.arrived else { return fallSilent(join, route) }
      join.sampling!.arrived = nil
      route.isEvent = arrived.isEvent  // not the tick's
      deliver(.value(arrived.value), to: join, route)
    }
  }

  /// The node was emptied: what it has told is sampled no more.
  func emptySamples(of node: Node) {
    for edge in node.edges {
      if !edge.isCut, case .sampled = edge.kind { edge.down.sampling!.arrived = nil }
    }
  }
}

// MARK: - A set of nodes

extension Twin {
  func flattenCombine(
    _ up: Node, _ choose: @escaping (Int) -> [Node], _ compute: @escaping ([Int]) -> Int
  ) -> Node {
    let node = node()
    node.compute = compute
    node.members = []
    node.inputs = [attach(up, node, .members(choose))]
    if let value = up.value {
      follow(choose(value), by: node)
      node.value = memberValues(node).map(compute)
    }
    return node
  }

  /// Edges of nodes that stay are kept; a node in the set twice has one. True: there are new ones.
  @discardableResult
  private func follow(_ new: [Node], by join: Node) -> Bool {
    join.memberEdges.removeAll { $0.isCut }
    var added: [Node] = []
    for up in new where up !== join && !join.memberEdges.contains(where: { $0.up === up }) {
      if !added.contains(where: { $0 === up }) { added.append(up) }
    }
    for edge in join.memberEdges where !new.contains(where: { $0 === edge.up }) { cut(edge) }
    for up in fromHighestRank(added) {
      giveWay(to: up, before: join)
      join.memberEdges.append(attach(up, join, .join))
    }
    join.members = new
    return !added.isEmpty
  }

  private func memberValues(_ join: Node) -> [Int]? {
    let values = join.members!.compactMap { up in
      join.memberEdges.contains { $0.up === up && !$0.isCut } ? up.value : nil
    }
    return values.count < join.members!.count ? nil : values
  }

  func runMembers(_ join: Node, _ route: Route) {
    if join.hasEnded { return stop(.cut, at: join, route) }
    var hasMoved = false
    if let next = join.nextMembers {
      join.nextMembers = nil
      hasMoved = follow(next, by: join)
    }
    let edges = join.memberEdges.filter { !$0.isCut }
    if followAgain(edges.sorted { $0.number < $1.number }, join) { hasMoved = true }
    if hasMoved, waitsAgain(join, route) { return }
    guard let values = memberValues(join) else { return fallSilent(join, route) }
    deliver(.value(join.compute(values)), to: join, route.withoutEvent)  // a member's
  }
}

// MARK: - Why a join says nothing

extension Twin {
  /// It waits for a value; or for one that never comes, of a node that tells events.
  func fallSilent(_ join: Node, _ route: Route) {
    let waitsForEvents = nodes.contains { up in
      up.value == nil && up.edges.contains { $0.down === join && $0.readsLatest } && tellsEvents(up)
    }
    stop(waitsForEvents ? .eventsAreNotKept : .waits, at: join, route)
  }

  private func tellsEvents(_ node: Node) -> Bool {
    var seen: Set<Int> = [], todo = [node]
    while let node = todo.popLast() {
      if node.isEventNode { return true }
      if !seen.insert(node.number).inserted { continue }
      todo += nodes.filter { $0.edges.contains { $0.down === node && !$0.keepsEvents } }
    }
    return false
  }
}

extension Twin.Edge {
  var readsLatest: Bool {
    switch kind {
    case .latest, .members, .everyValue: true
    case .join: down.sampling == nil
    default: false
    }
  }
}

extension Twin.Node {
  /// The event, or the value, that it tells.
  func told(_ route: Twin.Route) -> Int { route.isEvent ? event! : value! }
}

extension Twin.Edge {
  /// Of a flatten.
  func chosenNode(_ value: Int) -> Twin.Node {
    guard case .flatten(let choose, _) = kind else { preconditionFailure("no flatten") }
    return choose(value)
  }
}

extension Twin.Route {
  /// What an event chose.
  var withoutEvent: Twin.Route {
    var route = self
    route.isEvent = false
    return route
  }
}
