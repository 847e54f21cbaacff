// Where what each set caused went no further: the oracle for what a recorder answers to "why not" (contract 18.2).

extension Twin {
  /// The words of `GraphEvent.Stop`, and two for what says nothing.
  enum Stop: String {
    case filtered, equal, reachedAlready, cut, waits = "waitsForAnotherUpstream", eventsAreNotKept
    case emptinessDoesNotPass, notPassedOn
  }

  final class StopLog {
    struct Entry {
      let origins: Set<Int>, at: Node, reason: Stop
      /// The nodes that a way led on to from there, itself included.
      let towards: Set<Int>
      var wentOn = false
    }
    struct Origin {
      let node: Node
      /// What a way led to when it was set; how many edges had been cut.
      let towards: Set<Int>, cuts: Int
      /// The nodes that it came to.
      var reached: Set<Int> = []
      /// Those that it came to late, how many edges had been cut by then, and the number of the last one that there was.
      var late: [(node: Node, cuts: Int, lastEdge: Int)] = []
    }
    fileprivate(set) var entries: [Entry] = [], origins: [Origin] = []
    private(set) var cuts: [Edge] = []
    /// All that there ever were.
    var edges: [Edge] = []
    /// They are still met on the way, until the turn is over.
    var cutInTurn: [Edge] = []

    func note(cut edge: Edge, inTurn: Bool) {
      cuts.append(edge)
      if inTurn { cutInTurn.append(edge) }
    }
    /// A zip has taken what waited.
    func goOn(_ stops: [Int]) { for stop in stops { entries[stop].wentOn = true } }
  }

  func newOrigin(_ node: Node) -> Set<Int> {
    guard let log else { return [] }
    log.origins.append(
      StopLog.Origin(
        node: node, towards: nodes(below: node), cuts: log.cuts.count))
    return [log.origins.count - 1]
  }

  /// It is still there.
  func note(cut edge: Edge, inTurn: Bool) {
    log?.note(cut: edge, inTurn: inTurn)
  }

  func noteStop(_ reason: Stop, at node: Node, _ route: Route) -> Int? {
    guard let log, !route.origins.isEmpty else { return nil }
    var towards = nodes(below: node)
    // Of an edge that passes nothing on a recorder hears nothing: it answers by the ways that there were at the set.
    if reason == .notPassedOn {
      towards.formIntersection(route.origins.flatMap { log.origins[$0].towards })
    }
    log.entries.append(
      StopLog.Entry(origins: route.origins, at: node, reason: reason, towards: towards))
    return log.entries.count - 1
  }
  func stop(_ reason: Stop, at node: Node, _ route: Route) {
    _ = noteStop(reason, at: node, route)
  }

  /// A node has stored something. Emptiness goes no further; and what was cut in this turn is met all the same.
  func noteStored(_ node: Node, _ route: Route) {
    guard let log else { return }
    for origin in route.origins {
      log.origins[origin].reached.insert(node.number)
      if route.isLate {
        log.origins[origin].late.append((node, log.cuts.count, log.edges.last?.number ?? 0))
      }
    }
    if node.value == nil, !route.isEvent {
      for edge in node.edges { stop(.emptinessDoesNotPass, at: edge.down, route) }
    }
    for edge in log.cutInTurn where edge.up === node { stop(.cut, at: edge.down, route) }
  }

  private func nodes(below start: Node) -> Set<Int> {
    var seen: Set<Int> = [start.number], waiting = [start]
    while let node = waiting.popLast() {
      for edge in node.edges where seen.insert(edge.down.number).inserted {
        waiting.append(edge.down)
      }
    }
    return seen
  }

  // MARK: - The answer

  enum Answer: Equatable {
    case arrived, noWay
    /// `4 filtered`.
    case stopped(Set<String>)
    case noWayAnyMore
  }

  /// What became of a set on its way to a node. `name` says what nodes are called.
  func answer(_ origin: Int, _ target: Node, _ name: (Node) -> String) -> Answer {
    let log = log!
    let start = log.origins[origin]
    if start.reached.contains(target.number) { return .arrived }
    let ends = log.entries.filter {
      !$0.wentOn && $0.origins.contains(origin) && $0.towards.contains(target.number)
    }
    if !ends.isEmpty { return .stopped(Set(ends.map { "\(name($0.at)) \($0.reason.rawValue)" })) }
    // Ways that were: over edges that had been cut, from where it came to.
    let leading = nodes(above: target, log.edges)
    let wasThere = log.cuts[..<start.cuts].contains {
      start.towards.contains($0.up.number) && leading.contains($0.down.number)
    }
    // Or that were cut while it waited.
    let cutBefore = Set(log.cuts[..<start.cuts].map(\.number))
    let wentMeanwhile = start.late.contains { late in
      let leading = nodes(
        above: target,
        log.edges.filter { $0.number <= late.lastEdge && !cutBefore.contains($0.number) })
      return log.cuts[start.cuts..<late.cuts].contains {
        $0.up === late.node && leading.contains($0.down.number)
      }
    }
    return wasThere || wentMeanwhile ? .noWayAnyMore : .noWay
  }

  /// Itself included.
  private func nodes(above target: Node, _ edges: [Edge]) -> Set<Int> {
    var leading: Set<Int> = [target.number], isNew = true
    while isNew {
      isNew = false
      for edge in edges where leading.contains(edge.down.number) {
        if leading.insert(edge.up.number).inserted { isNew = true }
      }
    }
    return leading
  }
}
