import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Two threads build, set, cut and let go of one graph of most operators, at random, without rings:
/// one with a queue in it need not come to rest. At rest each definition holds; when all is let go
/// of, nothing that a closure kept is left. What is freed too early is the address sanitizer's to
/// find. In processes of their own: a test beside would not let the graph come to rest.
@Suite("Random graphs of two threads", .watched) struct RandomGraphTests {
  @Test func `7.6 at rest every map and combine off cycles equals its definition`() async {
    await #expect(processExitsWith: .success) {
      let defined = Tally()
      Stress.rounds(300) { round in
        let world = World(isCutting: false)
        Self.race(round, world)
        round.expect(settleWithTimers(), "it does not come to rest")
        let (nodes, definitions) = world.state.withLock { ($0.nodes, $0.definitions) }
        let broken = definitions.compactMap { $0.breach(defined) } + checkInvariants(nodes)
        round.expect(broken.isEmpty, broken.joined(separator: "; "))
      }
      #expect(defined.count > 0)
    }
  }

  @Test func `9.8 what two threads made, cut and let go of leaves nothing behind`() async {
    await #expect(processExitsWith: .success) {
      Stress.rounds(300) { round in
        let made = Tally(), gone = DispatchSemaphore(value: 0)
        do {
          let world = World(isCutting: true, made, gone)
          Self.race(round, world)
          Self.letGo(world)
        }
        round.expect(settle(), "it does not come to rest")
        round.expect(made.count > 0, "nothing was made")
        // A queue lets go of a block, and of what that holds, when it has run and all is quiet.
        let count = made.count
        let left =
          count
          - (0..<count).prefix { _ in
            gone.wait(timeout: patience) == .success
          }.count
        round.expect(left == 0, "\(left) closures are left")
      }
    }
  }

  /// Kept by the closures of the graph.
  private final class Mark: Sendable {
    let made: Tally, gone: DispatchSemaphore
    init(_ made: Tally, _ gone: DispatchSemaphore) {
      (self.made, self.gone) = (made, gone)
      made.add()
    }
    deinit { gone.signal() }
  }

  private final class Forward: NodeTransform<Int, Int>, @unchecked Sendable {
    // Unchecked: adds a constant.
    let mark: Mark
    init(_ mark: Mark) { self.mark = mark }
    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) {
      send(value &+ 1)
      if value.isMultiple(of: 3) { send(value &+ 2) }
    }
  }

  private struct Definition: Sendable {
    let node: Node<Int>, ups: [Node<Int>]
    let compute: @Sendable ([Int]) -> Int

    /// What is wrong with it at rest.
    func breach(_ checked: Tally) -> String? {
      let values = ups.compactMap(\.value)
      if values.count < ups.count { return nil }
      checked.add()
      let want = compute(values), has = node.value
      if has == want { return nil }
      let kinds = { (node: Node<Int>) in node.upstreamTransforms.map(\.name) }
      return """
        a node by \(kinds(node)) has \(has.map(String.init) ?? "nothing"), not \(want), \
        from \(zip(values, ups.map(kinds)).map { "\($0) by \($1)" })
        """
    }
  }

  private final class World: Sendable {
    struct State {
      var nodes: [Node<Int>] = []
      var definitions: [Definition] = []
      var listenings: [any Cancelable] = []
      var owners: [Token] = []
      var heardByOwners: [Weak<Node<Int>>] = []
    }
    let state = Mutex(State())
    let made: Tally, gone: DispatchSemaphore
    /// Else nodes only come to the graph: their definitions are checked.
    let isCutting: Bool
    let queue = QueueScheduler(DispatchQueue(label: "random graphs", attributes: .concurrent))

    init(
      isCutting: Bool, _ made: Tally = Tally(),
      _ gone: DispatchSemaphore = DispatchSemaphore(value: 0)
    ) {
      (self.isCutting, self.made, self.gone) = (isCutting, made, gone)
      let sources = (0..<3).map { MutableNode($0) }
      state.withLock { $0.nodes = sources }
    }

    func pick(_ generator: inout SeededGenerator) -> Node<Int> {
      let number = generator.below(1 << 20)
      return state.withLock { $0.nodes[number % $0.nodes.count] }
    }

    /// One of the three that are never let go of.
    func source(_ generator: inout SeededGenerator) -> MutableNode<Int> {
      let number = generator.below(3)
      return state.withLock { $0.nodes[number] }.mutablify()
    }

    func add(
      _ node: Node<Int>, of ups: [Node<Int>] = [], _ generator: inout SeededGenerator,
      _ compute: (@Sendable ([Int]) -> Int)? = nil
    ) {
      let number = generator.below(1 << 20)
      // What goes, goes outside of the lock.
      let gone = state.withLock { state -> Node<Int>? in
        if state.nodes.count < 24 {
          state.nodes.append(node)
          if let compute {
            state.definitions.append(Definition(node: node, ups: ups, compute: compute))
          }
          return nil
        }
        if !isCutting { return nil }
        let place = 3 + number % (state.nodes.count - 3)
        defer { state.nodes[place] = node }
        return state.nodes[place]
      }
      withExtendedLifetime(gone) {}
    }

    func keep(_ listening: any Cancelable, _ owner: Token? = nil) {
      let gone = state.withLock { state -> [AnyObject] in
        var gone: [AnyObject] = []
        state.listenings.append(listening)
        if state.listenings.count > 16 { gone.append(state.listenings.removeFirst()) }
        if let owner { state.owners.append(owner) }
        if state.owners.count > 6 { gone.append(state.owners.removeFirst()) }
        return gone
      }
      withExtendedLifetime(gone) {}
    }
  }

  /// What a thread may do next.
  private enum Action: CaseIterable {
    case set, setWithContext, batch
    case map, combine, merge, zip, filter, flattenMap, mergeMap, concatMap, exhaustMap, deliver
    case takeUntil, withLatest, sample, race, flattenCombine, groupBy, branch, time, through, scan
    case listenByOwner, listen, cancel, look
    case cutEdges, clearEnd, ownItself, write

    /// Sets are eight times as frequent as each of the others.
    private static let all = allCases + Array(repeating: .set, count: 7)
    static func any(_ generator: inout SeededGenerator) -> Action {
      all[generator.below(all.count)]
    }
  }

  private static func act(_ world: World, _ generator: inout SeededGenerator) {
    let mark = Mark(world.made, world.gone)
    let a = world.pick(&generator), b = world.pick(&generator)
    let short = Duration.microseconds(50)
    switch Action.any(&generator) {
    case .set: world.source(&generator).value = generator.below(1_000)
    case .setWithContext: world.source(&generator).set(generator.below(1_000), context: "context")
    case .batch:
      let (one, other) = (world.source(&generator), world.source(&generator))
      let (first, second) = (generator.below(1_000), generator.below(1_000))
      batch {
        one.value = first
        other.value = second
      }
    case .map:
      let node = a.map { value in
        keepAlive(mark)
        return value &+ 1
      }
      world.add(node, of: [a], &generator) { $0[0] &+ 1 }
    case .combine:
      let node = a.combine(b).map { one, other in
        keepAlive(mark)
        return one &+ other
      }
      world.add(node, of: [a, b], &generator) { $0[0] &+ $0[1] }
    case .merge: world.add(a.merge(b), &generator)
    case .zip:
      world.add(
        a.zip(b).map {
          keepAlive(mark); return $0.0 &+ $0.1
        }, &generator)
    case .filter:
      world.add(
        a.filter {
          keepAlive(mark); return $0.isMultiple(of: 2)
        }, &generator)
    case .flattenMap:
      world.add(
        a.flattenMap {
          keepAlive(mark); return $0.isMultiple(of: 2) ? b : MutableNode($0)
        }, &generator)
    case .mergeMap:
      world.add(
        a.mergeMap {
          keepAlive(mark); return $0 % 8 == 0 ? b : Node($0)
        }, &generator)
    case .concatMap:
      world.add(
        a.concatMap {
          keepAlive(mark); return $0 % 8 == 0 ? b : Node($0)
        }, &generator)
    case .exhaustMap:
      world.add(
        a.exhaustMap { _ in
          keepAlive(mark); return b
        }, &generator)
    case .deliver: world.add(a.deliver(on: world.queue), &generator)
    case .takeUntil: world.add(a.takeUntil(b), &generator)
    case .withLatest:
      world.add(
        a.withLatest(from: b).map {
          keepAlive(mark); return $0.0
        }, &generator)
    case .sample: world.add(a.sample(on: b), &generator)
    case .race: world.add(a.race(b), &generator)
    case .flattenCombine:
      let members = MutableNode([a, b])
      world.add(
        members.flattenCombine().map {
          keepAlive(mark); return $0.reduce(0, &+)
        }, &generator)
      if generator.oneIn(2) { members.value = [b] }
    case .groupBy:
      let groups = a.groupBy {
        keepAlive(mark); return $0 % 3
      }
      world.add(groups.mergeMap { $0.values }, &generator)
    case .branch:
      let parts = a.switch {
        keepAlive(mark); return $0.isMultiple(of: 2) ? 0 : nil
      }
      world.add(generator.oneIn(2) ? parts.case(0) : parts.unmatched, &generator)
    case .time:
      switch generator.below(4) {
      case 0: world.add(a.throttleLatest(short, on: world.queue), &generator)
      case 1: world.add(a.debounce(short, on: world.queue), &generator)
      case 2: world.add(a.buffer(for: short, orCount: 3, on: world.queue).map(\.count), &generator)
      default: world.add(a.delay(short, on: world.queue), &generator)
      }
    case .through: world.add(a.through(Forward(mark)), &generator)
    case .scan:
      world.add(
        a.scan(0) {
          keepAlive(mark); return $0 &+ $1
        }, &generator)
    case .listenByOwner:
      let owner = Token()
      world.keep(a.listen(by: owner) { _, _ in keepAlive(mark) }, owner)
      world.state.withLock { $0.heardByOwners.append(Weak(a)) }
    case .listen:
      world.keep(
        generator.oneIn(2)
          ? a.listen { _ in keepAlive(mark) } : a.listen(on: world.queue) { _ in keepAlive(mark) }
      )
    case .cancel:
      let last = world.state.withLock { $0.listenings.popLast() }
      last?.cancel()
    case .look: withExtendedLifetime((a.snapshot(), a.downstreamNodes)) {}
    case .cutEdges where world.isCutting:
      switch generator.below(3) {
      case 0: a.wiring.removeUpstreamNodes()
      case 1: a.wiring.removeUpstreamNode(b)
      default: a.wiring.removeDownstreamNode(b)
      }
    case .clearEnd where world.isCutting:
      let transforms = (a.upstreamTransforms + a.downstreamTransforms).compactMap {
        $0.name == "Inner" ? nil : $0 as? NodeTransform<Int, Int>
      }
      if transforms.isEmpty { return }
      let transform = transforms[generator.below(transforms.count)]
      if generator.oneIn(2) { transform.to = nil } else { transform.from = nil }
    case .ownItself where world.isCutting:
      let node = a.map { $0 }
      let listening = node.listen(by: node) { _, _ in keepAlive(mark) }
      if generator.oneIn(2) { listening.cancel() }
    case .write where world.isCutting:
      let node = a.mutablify()
      switch generator.below(3) {
      case 0: node.clean()
      case 1: node.update { $0 &+= 1 }
      default: node.value = 5
      }
    default: _ = a.value
    }
  }

  /// What two threads do to a world, until all is at rest.
  private static func race(_ round: Round, _ world: World) {
    round.threads(2) { member in
      var generator = round.generator(member)
      for _ in 0..<120 { act(world, &generator) }
    }
  }

  /// Cuts all, and lets go of it.
  private static func letGo(_ world: World) {
    var before = world.state.withLock { state in
      defer { state = World.State() }
      return state
    }
    for node in before.nodes {
      node.wiring.removeUpstreamNodes()
      node.wiring.removeDownstreamNodes()
    }
    for listening in before.listenings { listening.cancel() }
    let heard = before.heardByOwners
    before = World.State()
    // A dead owner is found by the node's next event, or by those who listen to it next: each looks at two.
    let owner = Token()
    for node in heard.compactMap(\.object) {
      for _ in 0..<heard.count { node.listen(by: owner) { _, _ in }.cancel() }
    }
  }
}

/// `settle`, and no timer of the future is left: from here on nothing happens that nobody begins.
/// In a process of its own.
private func settleWithTimers() -> Bool {
  let end = ContinuousClock.now + .seconds(300 * Sanitizer.patience)
  while ContinuousClock.now < end {
    if !settle() { return false }
    // What goes off now counts as work before it is no timer any more.
    if !isAnyTimerSet(), isQuiet() { return true }
    letOthersRun()
  }
  return false
}
