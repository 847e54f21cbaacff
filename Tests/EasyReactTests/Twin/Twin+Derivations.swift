// Derivations: contract 16.

extension Twin {
  /// Has its value at once, as `combine`.
  func derived(_ compute: @escaping () throws -> Int?) -> Node {
    let node = node()
    node.derivation = compute
    inTurn {
      let (value, read) = tracking(node, compute)
      node.value = value
      follow(read, node)
    }
    return node
  }

  func runDerivation(
    _ join: Node, _ compute: () throws -> Int?, _ route: Route
  ) {
    let (value, read) = tracking(join, compute)
    let moved = follow(read, join)
    var route = route
    if moved.leadsBack { (route.ledBack, route.isFiltered) = (true, true) }
    if moved.isNew, waitsAgain(join, route) { return }
    guard let value else { return fallSilent(join, route) }
    deliver(.value(value), to: join, route)
  }

  /// The closure's value, and the nodes that it read, each once; not itself.
  private func tracking(
    _ node: Node, _ compute: () throws -> Int?
  ) -> (value: Int?, read: [Node]) {
    (reads, isComputing) = ([], true)
    let value = try? compute()
    var read: [Node] = []
    for other in reads! where other !== node && !read.contains(where: { $0 === other }) {
      read.append(other)
    }
    (reads, isComputing) = (nil, false)
    return (value, read)
  }

  func untracked(_ body: () -> Int?) -> Int? {
    let outer = reads
    reads = nil
    defer { reads = outer }
    return body()
  }

  /// Moves the edges: first from what was not read any more, the last one in the list first (which decides the ranks where a cut
  /// opens a cycle), then to what is read for the first time. The list is in the order of the last run: what is read comes to its
  /// place, and who stood there goes to the place that it leaves, or to the end.
  /// Returns whether it follows a node that it did not follow before, or that had given way; and whether an edge that is new leads
  /// back: what was read over it is led back.
  @discardableResult
  private func follow(_ read: [Node], _ node: Node) -> (isNew: Bool, leadsBack: Bool) {
    var list = node.followed.map(\.up)
    for (place, up) in read.enumerated() {
      if !list.contains(where: { $0 === up }) { list.append(up) }
      list.swapAt(list.firstIndex { $0 === up }!, place)
    }
    for up in list[read.count...].reversed() { cut(node.followed.first { $0.up === up }) }
    let hasFollowedAgain = followAgain(node.followed.sorted { $0.number < $1.number }, node)
    let new = read.filter { up in !node.followed.contains { $0.up === up } }
    for up in fromHighestRank(new) {
      giveWay(to: up, before: node)
      node.followed.append(attach(up, node, .join, keepsEvents: true))
    }
    node.followed = read.map { up in node.followed.first { $0.up === up }! }
    let leadsBack = node.followed.contains { edge in
      edge.leadsBack && new.contains { $0 === edge.up }
    }
    return (hasFollowedAgain || !new.isEmpty, leadsBack)
  }

  /// In the order in which they are linked below one node: so the others need raise nothing.
  func fromHighestRank(_ nodes: [Node]) -> [Node] {
    nodes.enumerated().sorted {
      ($1.element.rank, $0.offset) < ($0.element.rank, $1.offset)
    }.map(\.element)
  }

  // MARK: - Joins that exchange direction in one turn

  /// What a join turns to comes before it. On the ways from the join to there all edges lead back whose ends wait and may still drop
  /// them in this turn; and of each way that is left the first edge that its end may still drop. False: there is a way of none but
  /// others, or nobody waits.
  @discardableResult
  func giveWay(to up: Node, before join: Node) -> Bool {
    if waitingJoins.isEmpty { return false }
    let certain = edges(from: join, to: up) { _ in true }
    leadBack(certain.filter { edge in mayDrop(edge) && waitingJoins.contains { $0 === edge.down } })
    let left = edges(from: join, to: up) { !mayDrop($0) }
    if left.contains(where: { $0.down === up && !mayDrop($0) }) { return false }
    leadBack(left.filter(mayDrop))
    return true
  }

  private func leadBack(_ edges: [Edge]) {
    for edge in edges { edge.leadsBack = true }
    edgesThatLeadBack += edges
    gaveWay += edges
  }

  /// On ordinary ways.
  private func edges(
    from start: Node, to end: Node, goingOnBeyond isMeant: (Edge) -> Bool
  ) -> [Edge] {
    var found: [Edge] = [], seen: Set<Int> = [], todo = [start]
    while !todo.isEmpty {
      let node = todo.removeFirst()
      if node === end || !seen.insert(node.number).inserted { continue }
      let edges = node.edges.filter {
        !$0.leadsBack && reaches($0.down, end, byOrdinaryEdges: true)
      }
      found += edges
      todo += edges.filter(isMeant).map(\.down)
    }
    return found
  }

  private func mayDrop(_ edge: Edge) -> Bool {
    if edge.down.waitsAgain { return false }
    if case .inner = edge.kind { return true }
    return (edge.down.followed + edge.down.memberEdges).contains { $0 === edge }
  }

  /// The join has run, and goes on to follow what gave way meanwhile. True: there was some.
  func followAgain(_ edges: [Edge], _ join: Node) -> Bool {
    let again = edges.filter { edge in edge.leadsBack && gaveWay.contains { $0 === edge } }
    for edge in again {
      gaveWay.removeAll { $0 === edge }
      if !giveWay(to: edge.up, before: join) { continue }
      edge.leadsBack = false
      edgesThatLeadBack.removeAll { $0 === edge }
      order(edge.up, before: join)
    }
    return !again.isEmpty
  }
}
