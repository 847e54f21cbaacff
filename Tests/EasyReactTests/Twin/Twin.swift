/// The readable twin of the engine: how a value flows (the contract, sections 3 to 6) in plain
/// recursive Swift. One thread, Int values, no cleverness. Random programs run on the twin and on
/// the library, and both must tell the same (`TwinComparison`).
///
/// 1. A *set* opens a turn and is delivered to its node: stored, told to the node's listeners, then
///    passed along its downstream edges, each branch to its end before the next (`put`, `notify`).
/// 2. What arrives at a node that is still notifying waits in the node's queue (`deliver`,
///   `drain`).
/// 3. *Joins* wait for the end of the turn and run by rank, each once (`inTurn`, `runJoins`).
/// 4. Every wave has a number. Edges that could send it round for ever are *filtered*: they pass it
///    only to nodes which it has not reached (`follow`, `drain`).
/// 5. Linking closes cycles and cutting opens them; ranks rise along edges (`attach`, `cut`).
/// 6. An *event* is told and not kept: its node is empty, also while it tells it, and what comes over most edges is
///    an event again (`drain`, `follow`, Twin+Events.swift).
/// 7. A *derivation* is a join whose edges come from what its closure has read (Twin+Derivations.swift).
class Twin {
  final class Node {
    /// Of creation. Joins of one rank run in this order.
    let number: Int
    var value: Int?
    /// Greater than that of all upstreams by edges which do not lead back.
    var rank = 0
    /// The number of the newest wave that reached this node.
    var newest = 0
    /// Tells apart what has that number and had to wait; else zero.
    var sequence = 0
    /// Of a join: when it refused something older last.
    var missedAt = 0
    var listeners: [Listener] = [], edges: [Edge] = []
    var isNotifying = false
    var queue: [Arrival] = []
    /// Of a combine or zip: its edges, what it makes of their values, whether it lost one of them.
    var inputs: [Edge] = [], compute: ([Int]) -> Int = { $0[0] }, hasEnded = false
    /// Of a join that waits in the turn: the newest arrival.
    var reason: Route?
    /// Of a flatten: the edge from its outer node; that has told, so a node is to be chosen; one was
    /// chosen, and its value, or its emptiness, is not told yet.
    var outer: Edge?, isToChoose = false, hasChosen = false
    /// Chosen already, by an event.
    var chosen: Node?
    /// Of a derivation: its closure, and edges from what it has read in its last run, in that order.
    var derivation: (() throws -> Int?)?, followed: [Edge] = []
    /// It waits once more, with the edges of its last run.
    var waitsAgain = false
    /// How many joins had told something when it began to, for its next run; nil: that is another one.
    var waitedAt: Int?
    /// Its values are events; the event that is being told.
    var isEventNode = false, event: Int?
    var sampling: Sampling?
    /// Of a `flattenCombine`: what it follows, in the order of the set, and by which edges.
    var members: [Node]?, memberEdges: [Edge] = []
    /// Told, and followed from its next run on.
    var nextMembers: [Node]?

    init(number: Int, value: Int?) { (self.number, self.value) = (number, value) }
    var inputValues: [Int]? {
      let values = inputs.compactMap(\.up.value)
      return hasEnded || values.count < inputs.count ? nil : values
    }
  }

  final class Edge {
    enum Kind {
      /// map, filter, scan, …; `nil` holds the value back. What it remembers lies in the closure.
      case plain((Int) -> Int?)
      case join, everyValue, zip
      /// Into a join that the other edge makes run; the one that makes it run, and is told with what the other holds.
      case sampled, latest, withLatest
      /// Chooses a set of nodes.
      case members((Int) -> [Node])
      case flatten((Int) -> Node, isJoin: Bool)
      /// From the node that a flatten has chosen.
      case inner
    }
    /// Of attachment.
    let number: Int
    let up: Node, down: Node, kind: Kind, isOfSync: Bool
    /// Of half of a sync.
    var beginning: SyncBeginning?
    /// An event becomes a value on it.
    let keepsEvents: Bool
    /// Closed a cycle, with edges that do not lead back, when it was linked.
    var leadsBack: Bool
    var isCut = false
    /// Of a zip: values that have no partner yet. Of a flatten: the edge from the inner node.
    var waiting: [Waiting] = [], inner: Edge?
    /// What it says of a value that it holds back.
    var refusal = Stop.filtered

    init(
      _ number: Int, _ up: Node, _ down: Node, _ kind: Kind, isOfSync: Bool, keepsEvents: Bool,
      leadsBack: Bool
    ) {
      self.number = number
      (self.up, self.down, self.kind) = (up, down, kind)
      (self.isOfSync, self.leadsBack) = (isOfSync, leadsBack)
      self.keepsEvents = keepsEvents
    }

    /// Is its end a join that tells what it computes from the present values, and not each value once?
    var isOfStateOfJoin: Bool {
      switch kind {
      case .join, .members, .flatten(_, isJoin: true), .inner: true
      default: false
      }
    }

    /// Is its end computed from all its upstreams?
    var isOfJoin: Bool {
      switch kind {
      case .plain, .flatten(_, isJoin: false): false
      default: true
      }
    }
  }

  final class Listener {
    let call: (Int, Int?) -> Void
    var isCut = false
    init(_ call: @escaping (Int, Int?) -> Void) { self.call = call }
  }

  enum Content {
    case value(Int), empty, update((Int) -> Int)
    init(_ value: Int?) { self = value.map(Content.value) ?? .empty }
  }

  /// How something came: by which wave (`nil`: a set, which gets its number when it is applied),
  /// whether an edge that leads back was on the way, whether the last edge was filtered, and what the set
  /// carried.
  struct Route {
    var wave: Int?, sequence = 0, ledBack = false, isFiltered = false, isEvent = false
    var context: Int?
    /// The sets that it comes from, where stops are noted.
    var origins: Set<Int> = []
    /// It waited on its way, in a zip: what lay ahead may have been cut meanwhile.
    var isLate = false
  }
  struct Waiting { let value: Int, origins: Set<Int>, isLate: Bool, stop: Int? }
  struct Arrival { let content: Content, route: Route, isSet: Bool, hadToWait: Bool }

  private(set) var nodes: [Node] = []
  var edgesThatLeadBack: [Edge] = [], gaveWay: [Edge] = []
  private var lastWave = 1, attachments = 0
  private(set) var waitingJoins: [Node] = []
  private var toldJoins = 0
  private var running: Node?
  /// How many joins ran once more for what they had refused round a cycle that was opened.
  private(set) var runsAgain = 0
  /// What is told when all joins have run.
  private var putOff: [() -> Void] = []
  private var isInTurn = false
  private var batches: [[Staged]] = []
  private struct Staged { let node: Node, value: Int?, context: Int? }
  /// Of the derivation whose closure runs: what it has read, in that order; nil: none, or within `untracked`.
  var reads: [Node]?, isComputing = false
  var deliveries = 0, limit = Int.max
  /// Where what sets cause goes no further; see Twin+Stops.swift.
  var log: StopLog?

  deinit {
    for node in nodes {
      (node.edges, node.listeners, node.inputs, node.outer) = ([], [], [], nil)
      (node.derivation, node.followed) = (nil, [])
      (node.members, node.memberEdges, node.nextMembers) = (nil, [], nil)
    }
  }

  private func newWave() -> Int {
    lastWave += 1
    return lastWave
  }
  /// Odd as long as nothing but filtered edges is crossed. With room for those that are newer than it and older than the next.
  private func newSequence() -> Int { 64 * newWave() + 1 }

  // MARK: - Setting, now or in a batch

  func put(_ content: Content, into node: Node, context: Int? = nil) {
    if batches.isEmpty {
      return inTurn { set(content, node, context) }
    }
    switch content {
    case .value(let value): stage(Staged(node: node, value: value, context: context))
    case .empty where node.isEventNode: break  // it is empty, and the event that was staged is told
    case .empty: stage(Staged(node: node, value: nil, context: nil))
    case .update(let change):
      guard let value = read(node) else { return }
      stage(Staged(node: node, value: change(value), context: nil))
    }
  }

  /// What this thread reads: in a batch, what it staged; in a derivation's closure, what is stored.
  func read(_ node: Node) -> Int? {
    reads?.append(node)
    if isComputing || node.isEventNode { return node.value }
    for batch in batches.reversed() {
      if let staged = batch.first(where: { $0.node === node }) { return staged.value }
    }
    return node.value
  }

  private func set(_ content: Content, _ node: Node, _ context: Int?) {
    deliver(content, to: node, Route(context: context, origins: newOrigin(node)))
  }

  private func stage(_ staged: Staged) {
    let inner = batches.count - 1
    if let place = batches[inner].firstIndex(where: { $0.node === staged.node }) {
      batches[inner][place] = staged
    } else {
      batches[inner].append(staged)
    }
  }

  func batch(_ body: () throws -> Void) rethrows {
    batches.append([])
    do { try body() } catch { batches.removeLast(); throw error }
    let staged = batches.removeLast()
    if !batches.isEmpty { return staged.forEach(stage) }
    inTurn {
      for staged in staged {
        set(Content(staged.value), staged.node, staged.context)
      }
    }
  }

  // MARK: - Turns and joins

  func inTurn(_ body: () -> Void) {
    if isInTurn { return body() }
    isInTurn = true
    body()
    runJoins()
    isInTurn = false
    log?.cutInTurn = []
  }

  /// True now, if there is one, and false when all joins have run.
  func whileThisTurnGoesOn(_ body: @escaping (Bool) -> Void) {
    if !isInTurn { return }
    body(true)
    putOff.append { body(false) }
  }

  private func runJoins() {
    while true {
      guard let join = nextJoin(among: waitingJoins) else {
        if putOff.isEmpty { return }
        putOff.removeFirst()()
        continue
      }
      waitingJoins.removeAll { $0 === join }
      if waitingJoins.isEmpty { gaveWay = [] }  // all that was to come first has run
      // An earlier turn's number says nothing of this one.
      if !join.waitsAgain { join.waitedAt = nil }
      join.waitsAgain = false
      var route = join.reason!
      join.reason = nil
      route.isFiltered = route.ledBack
      let before = (join.newest, join.sequence)
      running = join
      defer { running = nil }
      defer { if before != (join.newest, join.sequence) { toldJoins += 1 } }
      if join.members != nil {
        runMembers(join, route)
      } else if let sampling = join.sampling {
        runSampling(join, sampling, route)
      } else if let outer = join.outer {
        runFlatten(join, outer, route)
      } else if let derivation = join.derivation {
        runDerivation(join, derivation, route)
      } else if let values = join.inputValues {
        deliver(.value(join.compute(values)), to: join, route)
      } else {
        if join.hasEnded { stop(.cut, at: join, route) } else { fallSilent(join, route) }
      }
    }
  }

  private func runFlatten(_ join: Node, _ outer: Edge, _ route: Route) {
    if outer.isCut { return stop(.cut, at: join, route) }
    var hasMoved = false
    if join.isToChoose {
      join.isToChoose = false
      if let chosen = join.chosen ?? outer.up.value.map(outer.chosenNode) {
        join.chosen = nil
        if !turn(outer, to: chosen, .inner) { return stop(.filtered, at: join, route) }
        (join.hasChosen, hasMoved) = (true, true)
      }
    }
    if let inner = outer.inner, followAgain([inner], join) { hasMoved = true }
    if hasMoved, waitsAgain(join, route) { return }
    guard let inner = outer.inner, !inner.isCut else { return stop(.cut, at: join, route) }
    if inner.up.value == nil, !join.hasChosen { return stop(.waits, at: join, route) }
    join.hasChosen = false
    deliver(Content(inner.up.value), to: join, route)
  }

  /// What a join turned to may rank higher, so may the join now, and what leads there has not run. But where it has waited, and
  /// nobody has told anything since, it would read what it has read.
  func waitsAgain(_ join: Node, _ route: Route) -> Bool {
    guard let next = nextJoin(among: waitingJoins),
      (next.rank, next.number) < (join.rank, join.number), join.waitedAt != toldJoins
    else { return false }
    wait(join, route)
    (join.waitsAgain, join.waitedAt) = (true, toldJoins)
    return true
  }

  func nextJoin(among waiting: [Node]) -> Node? {
    waiting.min { ($0.rank, $0.number) < ($1.rank, $1.number) }
  }

  private func wait(_ join: Node, _ arrival: Route) {
    guard let reason = join.reason else {
      join.reason = arrival
      return waitingJoins.append(join)
    }
    // The newest arrival counts; of two by the same wave, the one that was led back; else the first.
    let isNewer =
      (arrival.wave!, arrival.sequence) == (reason.wave!, reason.sequence)
      ? arrival.ledBack && !reason.ledBack
      : (arrival.wave!, arrival.sequence) > (reason.wave!, reason.sequence)
    let origins = reason.origins.union(arrival.origins), isLate = reason.isLate || arrival.isLate
    if isNewer { join.reason = arrival }
    (join.reason!.origins, join.reason!.isLate) = (origins, isLate)
  }

  // MARK: - How a value flows

  func deliver(_ content: Content, to node: Node, _ route: Route, hadToWait: Bool = false) {
    // A set has its number from the start.
    let isSet = route.wave == nil
    var route = route
    route.wave = route.wave ?? newWave()
    node.queue.append(
      Arrival(
        content: content, route: route, isSet: isSet, hadToWait: hadToWait || node.isNotifying))
    if !node.isNotifying { drain(node) }
  }

  private func drain(_ node: Node) {
    node.isNotifying = true
    while !node.queue.isEmpty {
      let arrival = node.queue.removeFirst()
      deliveries += 1
      if deliveries > limit { continue }
      var route = arrival.route
      var wave = route.wave!, sequence = route.sequence
      if arrival.route.isFiltered && wasReached(node, by: arrival.route) {
        stop(.reachedAlready, at: node, arrival.route)
        continue
      }
      switch arrival.content {
      case .value(let value):
        if node.isEventNode { route.isEvent = true }
        (node.value, node.event) = route.isEvent ? (nil, value) : (value, nil)
      case .empty: (node.value, route.isEvent) = (nil, false)
      case .update(let change):
        guard let value = node.value else {
          stop(.filtered, at: node, arrival.route)
          continue
        }
        node.value = change(value)
      }
      // What comes over an ordinary edge is told in any case, and the newest from then on. The others
      // keep their number; a set that comes behind a later one has that one's, and is the newest of it.
      if arrival.route.isFiltered {
        if arrival.hadToWait, sequence & 1 == 0 { sequence = newSequence() }
      } else if arrival.hadToWait && !arrival.isSet {
        (wave, sequence) = (newWave(), 0)
      } else if (node.newest, node.sequence) >= (wave, sequence) {
        (wave, sequence) = arrival.isSet ? (node.newest, newSequence()) : (newWave(), 0)
      }
      (node.newest, node.sequence) = (wave, sequence)
      noteStored(node, route)
      if node.value != nil || route.isEvent {
        notify(node, wave, route)
      } else {
        emptySamples(of: node)
      }
      node.event = nil
    }
    node.isNotifying = false
  }

  private func wasReached(_ node: Node, by route: Route) -> Bool {
    (node.newest, node.sequence) >= (route.wave!, route.sequence)
  }

  /// Who is attached meanwhile is not visited, who is cut meanwhile neither.
  private func notify(_ node: Node, _ wave: Int, _ route: Route) {
    let listeners = node.listeners, edges = node.edges
    for listener in listeners where !listener.isCut {
      listener.call(node.told(route), route.context)
    }
    for edge in edges {
      if edge.isCut {
        stop(.cut, at: edge.down, route)
      } else {
        follow(edge, wave, route)
      }
    }
  }

  /// The initial push has no context.
  private func follow(_ edge: Edge, _ wave: Int, _ arrival: Route, isFirst: Bool = false) {
    let up = edge.up, down = edge.down, ledBack = arrival.ledBack || edge.leadsBack
    let isFiltered = edge.leadsBack || edge.isOfSync || (ledBack && reaches(down, up))
    let sequence = up.newest == wave ? up.sequence : 0
    var route = Route(
      wave: wave, sequence: isFiltered ? sequence : sequence & ~1, ledBack: ledBack,
      isFiltered: isFiltered, isEvent: arrival.isEvent && !edge.keepsEvents,
      context: arrival.context, origins: arrival.origins, isLate: arrival.isLate)
    guard let version = crossing(edge, wave, route.sequence) else {
      return stop(.reachedAlready, at: down, route)
    }
    (route.wave, route.sequence) = version
    if isFiltered && wasReached(down, by: route) {
      if edge.isOfStateOfJoin, route.wave! < down.newest { down.missedAt = newWave() }
      // It chooses by the newest all the same, when something makes it run.
      chooseWhenRun(edge, arrival)
      return stop(.reachedAlready, at: down, route)
    }
    switch edge.kind {
    case .plain(let function):
      guard let value = function(up.told(arrival)) else {
        return stop(edge.refusal, at: down, route)
      }
      deliver(.value(value), to: down, route)
    case .inner where route.isEvent:
      if down.outer!.isCut { return stop(.cut, at: down, route) }
      deliver(.value(up.told(arrival)), to: down, route)
    case .join, .inner: note(down, route)
    case .latest where down.sampling!.isCatchingUp: note(down, route)
    case .latest: stop(.notPassedOn, at: down, route)
    case .sampled, .withLatest: sample(edge, up.told(arrival), route)
    case .everyValue:
      guard let values = down.inputValues else {
        return down.hasEnded ? stop(.cut, at: down, route) : fallSilent(down, route)
      }
      deliver(.value(down.compute(values)), to: down, route)
    case .members:
      chooseWhenRun(edge, arrival)
      note(down, route.withoutEvent)
    case .zip: zip(edge, up.told(arrival), route)
    case .flatten(_, isJoin: true) where !isFirst:
      chooseWhenRun(edge, arrival)
      note(down, route.withoutEvent)
    case .flatten(_, let isJoin):
      // The first value of a flatten is there at once; and each, where it is no join.
      if !turn(edge, to: edge.chosenNode(up.told(arrival)), isJoin ? .inner : .plain { $0 }) {
        return stop(.notPassedOn, at: down, route)
      }
      let inner = edge.inner!.up
      if !isJoin, inner.reason != nil, inner.outer == nil {
        return tellIfSilent(edge.inner!, route.withoutEvent)
      }
      deliver(Content(inner.value), to: down, route.withoutEvent)
    }
  }

  /// What this edge brings decides what a join follows from its next run on.
  private func chooseWhenRun(_ edge: Edge, _ arrival: Route) {
    let (up, down) = (edge.up, edge.down)
    switch edge.kind {
    case .members(let choose): down.nextMembers = choose(up.told(arrival))
    case .flatten(_, isJoin: true):
      down.isToChoose = true
      down.chosen = arrival.isEvent ? edge.chosenNode(up.told(arrival)) : nil
    default: break
    }
  }

  /// The edge leads from a join that has still to run, and is told over it then; if it says nothing, what it holds is told.
  private func tellIfSilent(_ edge: Edge, _ route: Route) {
    let up = edge.up
    let (isEmpty, newest, sequence) = (up.value == nil, up.newest, up.sequence)
    let stop = noteStop(.notPassedOn, at: edge.down, route)
    putOff.append { [self] in
      if !edge.isCut, (up.value == nil) == isEmpty, (up.newest, up.sequence) == (newest, sequence) {
        if let stop { log?.goOn([stop]) }
        deliver(Content(up.value), to: edge.down, route, hadToWait: true)
      }
    }
  }

  private func zip(_ edge: Edge, _ value: Int, _ route: Route) {
    let down = edge.down
    if down.hasEnded { return stop(.cut, at: down, route) }
    let waits = down.inputs.contains { $0 !== edge && $0.waiting.isEmpty }
    let stop = waits ? noteStop(.waits, at: down, route) : nil
    edge.waiting.append(
      Waiting(value: value, origins: route.origins, isLate: route.isLate, stop: stop))
    if waits { return }
    let taken = down.inputs.map { $0.waiting.removeFirst() }
    log?.goOn(taken.compactMap(\.stop))
    var route = route
    for waiting in taken { route.origins.formUnion(waiting.origins) }
    route.isLate = taken.contains { $0.isLate || $0.stop != nil }
    deliver(.value(down.compute(taken.map(\.value))), to: down, route)
  }

  /// The join is to run. What reaches it over an ordinary edge makes it run in any case.
  func note(_ join: Node, _ route: Route) {
    if join.hasEnded { return stop(.cut, at: join, route) }
    var route = route
    if !route.isFiltered, wasReached(join, by: route) {
      (route.wave, route.sequence) = (newWave(), 0)
    }
    wait(join, route)
  }

  /// Follows the node that was chosen. False: it is the flatten itself.
  private func turn(_ edge: Edge, to chosen: Node, _ kind: Edge.Kind) -> Bool {
    if chosen === edge.down { return false }
    if edge.inner?.up !== chosen || edge.inner!.isCut {
      cut(edge.inner)
      if case .inner = kind { giveWay(to: chosen, before: edge.down) }
      edge.inner = attach(chosen, edge.down, kind)
    }
    return true
  }

  // MARK: - The shape of the graph

  func node(_ value: Int? = nil) -> Node {
    nodes.append(Node(number: nodes.count, value: value))
    return nodes.last!
  }

  func listen(_ node: Node, _ call: @escaping (Int, Int?) -> Void) -> Listener {
    let listener = Listener(call)
    node.listeners.append(listener)
    notifyNewcomer(of: node) { call(node.value!, nil) }
    return listener
  }

  func cancel(_ listener: Listener, of node: Node) {
    listener.isCut = true
    node.listeners.removeAll { $0 === listener }
  }

  /// A new edge with its initial push.
  @discardableResult
  func link(
    _ up: Node, _ down: Node, _ kind: Edge.Kind = .plain { $0 }, keepsEvents: Bool = false
  ) -> Edge? {
    if up === down { return nil }
    let edge = attach(up, down, kind, keepsEvents: keepsEvents)
    if case .flatten(_, isJoin: true) = kind { down.outer = edge }
    if edge.leadsBack { inTurn { tellFirst(edge) } } else { push(edge) }
    return edge
  }

  private func push(_ edge: Edge) {
    notifyNewcomer(of: edge.up) { follow(edge, newWave(), Route(), isFirst: true) }
  }

  /// A notification for the newcomer alone: what arrives at the node meanwhile waits as well.
  private func notifyNewcomer(of node: Node, _ visit: () -> Void) {
    inTurn {
      if node.value == nil { return }
      let isNested = node.isNotifying
      node.isNotifying = true
      visit()
      if !isNested { drain(node) }
    }
  }

  func attach(
    _ up: Node, _ down: Node, _ kind: Edge.Kind, isOfSync: Bool = false, keepsEvents: Bool = false
  ) -> Edge {
    let leadsBack = reaches(down, up, byOrdinaryEdges: true)
    attachments += 1
    let edge = Edge(
      attachments, up, down, kind, isOfSync: isOfSync, keepsEvents: keepsEvents || isOfSync,
      leadsBack: leadsBack)
    log?.edges.append(edge)
    up.edges.append(edge)
    if leadsBack { edgesThatLeadBack.append(edge) } else { order(up, before: down) }
    return edge
  }

  func cut(_ edge: Edge?) { cut([edge]) }

  /// All at once: no half of a sync becomes ordinary because the other one is gone.
  func cut(_ edges: [Edge?]) {
    let edges = edges.compactMap { $0 }.filter { !$0.isCut }
    if edges.isEmpty { return }
    let roundThem = edges.flatMap { nodesOnCycle(with: $0) }
    var onCycle = nodes.filter(hasMissed).flatMap { node in
      nodes.flatMap(\.edges).filter { $0.down === node && reaches(node, $0.up) }
    }
    for edge in edges {
      edge.isCut = true
      note(cut: edge, inTurn: isInTurn)
      edge.up.edges.removeAll { $0 === edge }
      if let place = edge.down.followed.firstIndex(where: { $0 === edge }) {
        edge.down.followed.swapAt(place, edge.down.followed.count - 1)
        edge.down.followed.removeLast()
      }
      if edge.down.inputs.contains(where: { $0 === edge }) { edge.down.hasEnded = true }
      edgesThatLeadBack.removeAll { $0 === edge }
    }
    let opened = edgesThatLeadBack.filter { !reaches($0.down, $0.up) }
    for edge in opened { edge.leadsBack = false }  // no cycle runs over it any more
    edgesThatLeadBack.removeAll { !$0.leadsBack }
    sink(opened, among: Set(roundThem.map(\.number)))
    for edge in opened { order(edge.up, before: edge.down) }
    // Where a join turns away in its run.
    if !edges.contains(where: { $0.down === running }) { onCycle = [] }
    tellMissed(over: onCycle.filter { !$0.isCut && !$0.isOfSync && !reaches($0.down, $0.up) })
    // A flatten without its outer node lets go of the inner one.
    for edge in edges { cut(edge.inner) }
  }

  /// It has refused something older, and told nothing since.
  private func hasMissed(_ join: Node) -> Bool { join.missedAt > join.newest }

  /// These lie on no cycle any more: ends that have missed something run again when all joins have run.
  private func tellMissed(over edges: [Edge]) {
    if edges.isEmpty { return }
    putOff.append { [self] in
      let ends = Dictionary(grouping: edges, by: \.down.number).sorted { $0.key < $1.key }
      for edges in ends.map(\.value) where hasMissed(edges[0].down) {
        edges[0].down.missedAt = 0
        for edge in edges where !edge.isCut && edge.isOfStateOfJoin {
          runsAgain += 1
          note(edge.down, Route(wave: newWave()))
        }
      }
    }
  }

  func cut(from up: Node, to down: Node) { up.edges.filter { $0.down === down }.forEach(cut) }

  /// Ranks rise along an edge that does not lead back. A node that nothing ordinary leads to goes
  /// below instead of raising all that follows; but one with eight edges only if that is more than a few nodes. Of eight edges one is taken to be
  /// ordinary.
  func order(_ up: Node, before down: Node) {
    if down.rank > up.rank { return }
    let above = nodes.flatMap(\.edges).filter { $0.down === up }
    let isFirst =
      above.count < 8
      && above.allSatisfy { edge in edge.leadsBack && !gaveWay.contains { $0 === edge } }
    let leadsOn = down.edges.count >= 8 || down.edges.contains { !$0.leadsBack }
    let isHubOfMore = up.edges.count >= 8 && effortToRaise([(down, up.rank + 1)]) <= 16
    if isFirst && leadsOn && !isHubOfMore {
      up.rank = down.rank - 1
    } else {
      raise(down, to: up.rank + 1)
    }
  }

  private func nodesOnCycle(with edge: Edge) -> [Node] {
    if !reaches(edge.down, edge.up) { return [] }
    return nodes.filter { reaches(edge.up, $0) && reaches($0, edge.up) }
  }

  /// What led back goes below its end, with what leads to it, if it is not less to raise the end: one
  /// decision for all that lies on no cycle now, and one for each part that still hangs together.
  private func sink(_ opened: [Edge], among members: Set<Int>) {
    func part(_ node: Node) -> Int? {
      if !node.edges.contains(where: { reaches($0.down, node) }) { return nil }
      return nodes.filter { reaches(node, $0) && reaches($0, node) }.map(\.number).min()
    }
    var parts: [Int?] = []
    for edge in opened where !parts.contains(part(edge.up)) { parts.append(part(edge.up)) }
    for present in parts {
      let ends = opened.filter { part($0.up) == present && $0.up.rank >= $0.down.rank }
      if !ends.isEmpty { sinkOrLeave(ends, among: members) }
    }
  }

  private func sinkOrLeave(_ ends: [Edge], among members: Set<Int>) {
    let edges = nodes.flatMap(\.edges)
    var above: Set<Int> = [], found = ends.map(\.up)
    while let node = found.popLast() {
      if !above.insert(node.number).inserted { continue }
      found += edges.filter { $0.down === node && !$0.leadsBack }.map(\.up)
        .filter { members.contains($0.number) }
    }
    let effort = effortToRaise(ends.map { ($0.down, $0.up.rank + 1) })
    var ranks: [Int: Int] = [:], todo = ends.map { ($0.up, $0.down.rank - 1) }
    while let (node, rank) = todo.popLast() {
      if ranks[node.number] ?? node.rank <= rank { continue }
      ranks[node.number] = rank
      todo += edges.filter { $0.down === node && !$0.leadsBack }.map { ($0.up, rank - 1) }
    }
    func looks(_ once: Set<Int>) -> Int {
      let others = Set(ranks.keys).subtracting(once)
      return edges.count { once.contains($0.down.number) }
        + 16 * edges.count { others.contains($0.down.number) }
    }
    // At what goes down, or at all that leads there and was in the component.
    let fewest = min(looks(Set(ends.map(\.up.number))), looks(above))
    var most = 16
    while fewest > most {
      if effort <= most { return }
      most *= 2
    }
    for node in nodes { node.rank = ranks[node.number] ?? node.rank }
  }

  /// How many nodes rise with these, and how many edges they have.
  private func effortToRaise(_ wishes: [(Node, Int)]) -> Int {
    var ranks: [Int: Int] = [:], todo = wishes
    while let (node, rank) = todo.popLast() {
      if ranks[node.number] ?? node.rank >= rank { continue }
      ranks[node.number] = rank
      todo += node.edges.filter { !$0.leadsBack }.map { ($0.down, rank + 1) }
    }
    return nodes.filter { ranks[$0.number] != nil }.reduce(0) { $0 + 1 + $1.edges.count }
  }

  /// What is raised together is raised by twice as much more as it has nodes and edges: up to a quarter of that leaves a place behind each
  /// rank but the three lowest; of the rest half lies below the lowest, a quarter behind the lowest rank, an eighth behind the next, as
  /// much behind the third.
  private func raise(_ node: Node, to rank: Int) {
    var raised: [Int: Node] = [:]
    lift(node, to: rank, &raised)
    let (room, behind) = roomBehind(raised)
    let ranks = Set(raised.values.map(\.rank)).sorted()
    let places = min(max(0, ranks.count - 3), room / 4), rest = room - places
    for node in raised.values {
      let place = ranks.firstIndex(of: node.rank)!
      node.rank += place < 3 ? rest - rest >> (place + 1) : rest + min(places, place - 2)
    }
    for (node, before) in behind.values { node.rank += max(0, room - before) }
    for node in Array(raised.values) + behind.values.map(\.node) {
      for edge in node.edges where !edge.leadsBack { lift(edge.down, to: node.rank + 1, &raised) }
    }
  }

  /// What lies behind gives way, the nearest first, each as far as the gaps before it do not suffice, as long as that has no more nodes
  /// and edges than what is raised.
  private func roomBehind(_ raised: [Int: Node]) -> (
    room: Int, behind: [Int: (node: Node, before: Int)]
  ) {
    let effort = raised.values.reduce(0) { $0 + 1 + $1.edges.count }
    let most = 2 * (effort - 1)
    var behind: [Int: (node: Node, before: Int)] = [:], left = effort
    while true {
      var nearest: (node: Node, before: Int)?
      for (up, before) in raised.values.map({ ($0, 0) }) + behind.values.map({ ($0, $1) }) {
        for edge in up.edges where !edge.leadsBack {
          let room = before + edge.down.rank - up.rank - 1, number = edge.down.number
          if raised[number] == nil, behind[number] == nil, room < nearest?.before ?? most {
            nearest = (edge.down, room)
          }
        }
      }
      guard let nearest else { return (most, behind) }
      left -= 1 + nearest.node.edges.count
      if left < 0 { return (nearest.before, behind) }
      behind[nearest.node.number] = nearest
    }
  }

  private func lift(_ node: Node, to rank: Int, _ raised: inout [Int: Node]) {
    if node.rank >= rank { return }
    node.rank = rank
    raised[node.number] = node
    for edge in node.edges where !edge.leadsBack { lift(edge.down, to: rank + 1, &raised) }
  }

  func upstreamNodes(of node: Node) -> [Node] {
    let edges = nodes.flatMap(\.edges).filter { $0.down === node }
    return edges.sorted { $0.number < $1.number }.map(\.up)
  }

  func reaches(_ from: Node, _ to: Node, byOrdinaryEdges: Bool = false) -> Bool {
    var seen: Set<Int> = [], todo = [from]
    while let node = todo.popLast() {
      if node === to { return true }
      if !seen.insert(node.number).inserted { continue }
      for edge in node.edges where !(byOrdinaryEdges && edge.leadsBack) { todo.append(edge.down) }
    }
    return false
  }

  // MARK: - Operators with several upstreams

  /// The other side wins.
  func sync(
    _ node: Node, _ other: Node, _ transform: @escaping (Int) -> Int,
    _ revert: @escaping (Int) -> Int
  ) -> [Edge] {
    if node === other { return [] }
    let here = attach(other, node, .plain(transform), isOfSync: true)
    let there = attach(node, other, .plain(revert), isOfSync: true)
    let winner = other.value == nil ? there : here
    guard winner.up.value != nil else { return [here, there] }
    let beginning = SyncBeginning(number: newWave(), first: newSequence(), winner: winner)
    (here.beginning, there.beginning) = (beginning, beginning)
    inTurn { follow(winner, winner.up.newest, Route(), isFirst: true) }
    return [here, there]
  }

  /// What the winning side of a sync had before counts on the other side as set when the sync was made, and what the other side
  /// had does not cross. Only the first value comes back, through the other transform.
  final class SyncBeginning {
    let number: Int, first: Int, winner: Edge
    var sequence: Int, crossed: (Int, Int)?, comesBack = true

    init(number: Int, first: Int, winner: Edge) {
      (self.number, self.first, self.winner, sequence) = (number, first, winner, first)
    }
  }

  /// Nil: it does not cross.
  private func crossing(_ edge: Edge, _ wave: Int, _ sequence: Int) -> (Int, Int)? {
    guard let beginning = edge.beginning, wave <= beginning.number else { return (wave, sequence) }
    let number = beginning.number
    if edge === beginning.winner {
      if wave == number { return (wave, sequence) }
      if let crossed = beginning.crossed {
        if (wave, sequence) <= crossed { return nil }
        beginning.sequence = newSequence()
      }
      beginning.crossed = (wave, sequence)
      return (number, beginning.sequence)
    }
    if (wave, sequence) < (number, beginning.sequence) { return nil }
    if sequence == beginning.sequence {
      if sequence != beginning.first || !beginning.comesBack { return nil }
      beginning.comesBack = false
    }
    beginning.sequence = sequence
    beginning.crossed!.1 = (beginning.crossed!.1 | 1) + 2
    return beginning.crossed
  }

  /// Over an edge that leads back, as a set of its end; under the number of its start where that is
  /// the newer one, so that nothing goes back. Values that nodes have from the start are older than any wave.
  private func tellFirst(_ edge: Edge) {
    let (up, down) = (edge.up, edge.down)
    if up.value == nil { return }
    if !down.isNotifying, up.newest <= 1, down.newest <= 1 {
      (up.newest, up.sequence) = (1, newSequence())
    }
    let isNewer =
      !down.isNotifying && (down.newest, down.sequence) < (up.newest, up.sequence)
    follow(edge, isNewer ? up.newest : newWave(), Route(), isFirst: true)
  }

  /// Has its value at once, and nobody is there to be told. As `.join` or `.everyValue`.
  func combine(
    _ ups: [Node], as kind: Edge.Kind = .join, _ compute: @escaping ([Int]) -> Int
  ) -> Node {
    let node = gathering(ups, kind, compute)
    node.value = node.inputValues.map(compute)
    return node
  }

  func zip(_ ups: [Node], _ compute: @escaping ([Int]) -> Int) -> Node {
    let node = gathering(ups, .zip, compute)
    inTurn { node.inputs.forEach(push) }
    return node
  }

  func gathering(
    _ ups: [Node], _ kind: Edge.Kind, _ compute: @escaping ([Int]) -> Int
  ) -> Node {
    let node = node()
    node.compute = compute
    node.inputs = ups.map { attach($0, node, kind) }
    return node
  }

  func merge(_ ups: [Node]) -> Node {
    let node = node()
    inTurn { ups.forEach { link($0, node) } }
    return node
  }
}
