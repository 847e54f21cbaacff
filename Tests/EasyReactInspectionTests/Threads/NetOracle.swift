import EasyReactInspection

/// Says of a net in plain code where each set's ways to each node ended, by what the listeners heard.
///
/// A set that a node's listener heard, and that of the next node did not, ended between them; the operator there says why.
struct NetOracle {
  struct Answer: Equatable, CustomStringConvertible {
    var outcome: WhyNot.Outcome
    var ends: Set<String> = []
    var description: String { "\(outcome) \(ends.sorted())" }
  }
  /// A set of one node.
  struct Made {
    let node: Int, phase: Int
  }
  /// The region of this source is in the hands of a turn that does not end, of this set.
  struct Closed {
    let gate: Int, set: Int
  }

  private let net: Net
  private let made: [Int: Made]
  /// Up to now.
  private let phase: Int
  private let closed: Closed?
  /// By node and set: the phase in which it came there first.
  private var came: [[Int: Int]]
  /// How often; what had to wait for another thread may come round a sync a second time.
  private let times: [[Int: Int]]
  /// The place of each set among what the cutter's source told.
  private var hearings: [Int: Int] = [:]

  /// When the cutter's link was cut, by the next phase.
  private var cutterPhase = Int.max

  init(
    _ net: Net, told: [[(set: Int, phase: Int)]], made: [Int: Made], phase: Int,
    closed: Closed? = nil
  ) {
    self.net = net
    self.phase = phase
    self.made = made
    self.closed = closed
    came = told.map { Dictionary($0.map { ($0.set, $0.phase) }) { first, _ in first } }
    times = told.map { Dictionary($0.map { ($0.set, 1) }, uniquingKeysWith: +) }
    if let cutter = net.cutter {
      let heard = told[net.ways[cutter.way].up]
      for (place, (set, _)) in heard.enumerated() { hearings[set] = place + 1 }
      if heard.count >= cutter.hearing { cutterPhase = heard[cutter.hearing - 1].phase + 1 }
    }
    if let closed { forgetAhead(of: closed) }
    followJoins()
  }

  /// What the gate holds already is in what a combine makes of it for another set, before its own turn passes it on.
  private mutating func forgetAhead(of closed: Closed) {
    for node in net.pieces.indices where node != closed.gate && net.isBelowZip(node) {
      came[node][closed.set] = nil
    }
  }

  /// Of a join, and of what passes it on, listeners hear one value for several sets. Places rise along the edges.
  private mutating func followJoins() {
    var isBelow = net.pieces.map { $0.kind == .combine }
    for node in net.pieces.indices {
      for way in net.ways
      where way.down == node && way.form != .sync && (isBelow[way.up] || isBelow[node]) {
        if way.up > node { continue }
        isBelow[node] = isBelow[node] || isBelow[way.up]
        for (set, phase) in came[way.up] where came[node][set] == nil {
          if passesAlways(way, set, phase) { came[node][set] = phase }
        }
      }
    }
  }

  private func passesAlways(_ way: Net.Way, _ set: Int, _ phase: Int) -> Bool {
    if !isThere(way, phase) || isLeft(way, set) { return false }
    // Its own turn is under way.
    if set == closed?.set { return false }
    switch net.pieces[way.down].kind {
    case .map, .merge, .source: return true
    case .combine: return !isTerminated(way.down, phase)
    default: return false
    }
  }

  private func isThere(_ way: Net.Way, _ phase: Int) -> Bool {
    way.made <= phase && phase < cut(way)
  }

  /// The phase from which on it is not there.
  private func cut(_ way: Net.Way) -> Int {
    if let cutter = net.cutter, net.ways[cutter.way].down == way.down { return cutterPhase }
    return way.cut
  }

  /// At the end of this way another thread is inside.
  private func isLeft(_ way: Net.Way, _ set: Int) -> Bool {
    guard let closed, way.down == closed.gate else { return false }
    // Also what waited in a zip before, and found its partner now.
    return came[way.up][set] == made[closed.set]!.phase
      || made[set]?.phase == made[closed.set]!.phase
  }

  private func isTerminated(_ join: Int, _ phase: Int) -> Bool {
    net.ways.contains { $0.down == join && $0.cut <= phase }
  }

  // MARK: - Shapes

  private func reached(from start: Int, _ isThere: (Net.Way) -> Bool) -> Set<Int> {
    var found: Set<Int> = [start], waiting = [start]
    while let node = waiting.popLast() {
      for way in net.ways where way.up == node && isThere(way) && found.insert(way.down).inserted {
        waiting.append(way.down)
      }
    }
    return found
  }

  private func leads(_ node: Int, to target: Int, _ phase: Int) -> Bool {
    reached(from: node) { isThere($0, phase) }.contains(target)
  }

  // MARK: - The answer

  func answer(_ set: Int, _ target: Int) -> Answer {
    if came[target][set] != nil { return Answer(outcome: .arrived) }
    guard let start = made[set] else { return Answer(outcome: .noWay) }
    var ends: Set<String> = []
    if came[start.node][set] == nil, leads(start.node, to: target, start.phase) {
      ends.insert("\(start.node) leftInMailbox")
    }
    for (place, way) in net.ways.enumerated() {
      guard let phase = came[way.up][set], isOpen(place, way, set, phase) else { continue }
      if !leads(way.down, to: target, phase) { continue }
      if let reason = reason(place, way, set, phase) { ends.insert("\(way.down) \(reason)") }
    }
    if !ends.isEmpty { return Answer(outcome: .stopped, ends: ends) }
    let cuts = cuts(set, start, target)
    return cuts.isEmpty ? Answer(outcome: .noWay) : Answer(outcome: .noWayAnyMore, ends: cuts)
  }

  /// Was the edge there when the set came to its upstream?
  private func isOpen(_ place: Int, _ way: Net.Way, _ set: Int, _ phase: Int) -> Bool {
    if let cutter = net.cutter, cutter.way == place, let hearing = hearings[set] {
      return hearing <= cutter.hearing
    }
    return isThere(way, phase)
  }

  /// Why it did not come over the edge; nil: it did.
  private func reason(_ place: Int, _ way: Net.Way, _ set: Int, _ phase: Int) -> String? {
    if let closed, closed.set == set {
      return way.form != .operation || came[way.down][set] == nil ? "notPassedOn" : nil
    }
    if let cutter = net.cutter, cutter.way == place, hearings[set] == cutter.hearing {
      return "cut"
    }
    if let cutter = net.cutter, cutter.way == place, came[way.down][set] == nil, !isLeft(way, set) {
      return "cut"  // while it was left with the thread inside of the downstream
    }
    if way.form == .sync { return reasonOfSync(way, set) }
    if came[way.down][set] != nil, passedAll(way, set, phase) { return nil }
    if isLeft(way, set) { return "leftInMailbox" }
    switch net.pieces[way.down].kind {
    case .filter, .never, .skip, .throttleFirst: return "filtered"
    case .distinct: return "equal"
    case .delay, .debounce, .throttleLatest: return "heldBackByTimer"
    case .deliver: return "waitsOnScheduler"
    case .call: return "waitsForCall"
    case .zip where isTerminated(way.down, phase): return "cut"
    case .zip: return "waitsForAnotherUpstream"
    case .combineWithEmpty where !isTerminated(way.down, phase): return "waitsForAnotherUpstream"
    case .combineWithEvents where !isTerminated(way.down, phase): return "eventsAreNotKept"
    case .combine, .combineWithEmpty, .combineWithEvents: return "cut"
    case .source, .events, .map, .merge: return "a way that passes everything passed nothing"
    }
  }

  /// What came to the upstream several times may have been refused once, and what came to a join by one way may end there by another.
  private func passedAll(_ way: Net.Way, _ set: Int, _ phase: Int) -> Bool {
    switch net.pieces[way.down].kind {
    case .source, .events, .map, .merge: true
    case .combine: !isTerminated(way.down, phase)
    default: (times[way.down][set] ?? 0) >= (times[way.up][set] ?? 0)
    }
  }

  /// It goes over a sync from either side as often as that side tells it; what the other side did not store was refused.
  private func reasonOfSync(_ way: Net.Way, _ set: Int) -> String? {
    if isLeft(way, set) { return "leftInMailbox" }
    let near = net.ways.filter { $0.form == .sync && $0.down == way.down }.map(\.up)
    let attempts = near.reduce(0) { $0 + (times[$1][set] ?? 0) }
    let stored = (times[way.down][set] ?? 0) - (made[set]?.node == way.down ? 1 : 0)
    return attempts > stored ? "reachedAlready" : nil
  }

  /// The cut edges at which ways ended that led from the set to the target once.
  private func cuts(_ set: Int, _ start: Made, _ target: Int) -> Set<String> {
    let near = reached(from: start.node) { isThere($0, start.phase) }
    var cuts: Set<String> = []
    for (place, way) in net.ways.enumerated()
    where reached(from: way.down, { $0.made <= self.phase }).contains(target) {
      let wasCutBefore = cut(way) <= start.phase && near.contains(way.up)
      let cameTooLate =
        came[way.up][set].map {
          ledSince(way, start.phase, $0, target) || isBehindCutter(place, set)
        }
        ?? false
      if wasCutBefore || cameTooLate { cuts.insert("\(way.down) cutBefore") }
    }
    return cuts
  }

  /// Was it cut since the one phase, up to the other, and led on to the target over edges of that time?
  private func ledSince(_ way: Net.Way, _ start: Int, _ end: Int, _ target: Int) -> Bool {
    if cut(way) <= start || cut(way) > end { return false }
    return reached(from: way.down) { $0.made <= end && self.cut($0) > start }.contains(target)
  }

  /// Up to the end of the turn in which it was cut an edge is still met: that is `cut`, too.
  func withoutTurns(_ answer: Answer, _ set: Int) -> Answer {
    guard let cutter = net.cutter, isBehindCutter(cutter.way, set) else { return answer }
    let down = net.ways[cutter.way].down
    let rest = answer.ends.subtracting(["\(down) cut"])
    if rest == answer.ends || !rest.isEmpty { return Answer(outcome: answer.outcome, ends: rest) }
    return Answer(outcome: .noWayAnyMore, ends: ["\(down) cutBefore"])
  }

  private func isBehindCutter(_ place: Int, _ set: Int) -> Bool {
    guard let cutter = net.cutter, cutter.way == place, let hearing = hearings[set] else {
      return false
    }
    return hearing > cutter.hearing
  }
}
