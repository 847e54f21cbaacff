import CEasyReact
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Something that happened in the graph.
public struct GraphEvent: Sendable {
  /// Why a value went no further.
  public enum Stop: String, Sendable, Codable {
    /// A filter, skip, take, ignore, select or case refused it.
    case filtered
    /// `distinctUntilChanged` found it equal to the last one.
    case equal
    /// The wave, or a newer one, has been at the node.
    case reachedAlready
    /// The edge is cut, or not yet attached; or the join or zip has lost an edge and is terminated.
    case cut
    /// A join or zip needs a value of another upstream.
    case waitsForAnotherUpstream
    /// A timer holds it back.
    case heldBackByTimer
    /// It waits for its call on the scheduler of a `deliver`.
    case waitsOnScheduler
    /// Another thread is inside the node and will deliver it.
    case leftInMail
    /// Nobody listens to the node that was set, and nothing follows it.
    case noConsumer
  }

  public enum Kind: Sendable {
    case nodeMade, nodeGone
    /// An edge from the node to another one; nil: a listener of the node.
    case edgeMade(to: UInt64?), edgeGone(to: UInt64?)
    /// The node was set, cleaned or updated; `wave` is the one whose listener did it.
    case set
    /// A set is being told, or the present value is pushed through a new edge: what follows from it
    /// carries this number.
    case waveBegan
    /// What follows from it over plain edges has been told. Joins that it made ready run later in
    /// the turn.
    case waveEnded
    /// Its description, or `empty`; `event` of a value that is told and not kept.
    case valueStored(String)
    case listenerCalled
    case turnBegan, turnEnded
    case stopped(Stop)
    /// More sets waited in queues in one turn than the limit allows: listeners set each other in a
    /// circle.
    case endlessSets(count: Int, names: [String])
  }

  public let kind: Kind
  /// The node's id; zero for turns.
  public let node: UInt64
  public let name: String?
  /// The wave's number; zero between waves.
  public let wave: UInt64
  /// A number of the thread.
  public let thread: UInt64
  /// Since the tracer was installed.
  public let time: Duration
  /// Of a set by `set(_:)` or `set(_:context:)`, and of a listener that was made: where it was
  /// called, as `Module/File.swift:12`. An assignment to `value` cannot tell.
  public let callSite: String?
}

/// Hears what happens in all graphs of the process.
///
///     struct Printer: GraphTracer {
///       func trace(_ event: GraphEvent) { print(event.kind, event.name ?? "-") }
///     }
///     GraphTracers.install(Printer())
///
/// `trace` is called on the thread where it happens, in mid-propagation: be quick, and leave the
/// graph alone. Sets that it makes are not traced. Not installed, a tracer costs a test of one flag
/// a hop.
public protocol GraphTracer: Sendable {
  func trace(_ event: GraphEvent)
}

/// The tracer of this process.
public enum GraphTracers {
  private static let installed = Mutex<(any GraphTracer)?>(nil)
  private static let began = Mutex(ContinuousClock.now)
  private static let limit = Atomic(100_000)

  /// Makes `tracer` hear everything from now on, in place of the one before; nil: nobody.
  public static func install(_ tracer: (any GraphTracer)?) {
    let old = installed.withLock { installed in
      defer { installed = tracer }
      return installed
    }
    _ = consume old
    began.withLock { $0 = .now }
    updateSwitch()
  }

  /// The engine reports while anybody hears it.
  static func updateSwitch() {
    installed.withLock { installed in
      easyreact_set_traced(installed != nil || Births.areHeard)
    }
  }

  /// How many sets may wait in queues in one turn before the tracer, or a warning on standard
  /// error, names the nodes that they go round. Default 100,000.
  public static var reentrantSetLimit: Int {
    get { limit.load(ordering: .relaxed) }
    set { limit.store(positive(newValue, "reentrantSetLimit"), ordering: .relaxed) }
  }

  /// How many operations that other threads left one turn delivers before a background queue takes
  /// over. Default 1,000.
  public static var mailLimit: Int {
    get { mailBound.load(ordering: .relaxed) }
    set { mailBound.store(positive(newValue, "mailLimit"), ordering: .relaxed) }
  }

  private static func positive(_ limit: Int, _ name: String) -> Int {
    if limit > 0 { return limit }
    misuse("GraphTracers.\(name)", "the limit \(limit) is not positive", nil, "Pass one or more.")
  }

  @TaskLocal fileprivate static var isTracing = false

  fileprivate static func tell(_ event: @autoclosure () -> GraphEvent) {
    guard !isTracing, let tracer = installed.withLock({ $0 }) else { return }
    let event = event()
    $isTracing.withValue(true) { tracer.trace(event) }
  }

  fileprivate static var elapsed: Duration { began.withLock { $0.duration(to: .now) } }
}

// MARK: - What the engine reports

// None of it is inlined into the engine: the room for an event would be part of the loop's frame, of
// which there is one for each listener that sets another node.

private func emit(
  _ kind: GraphEvent.Kind, _ core: CorePointer?, _ wave: UInt64, at site: Site? = nil
) {
  emit(
    kind, core?.pointee.id ?? 0,
    core.flatMap { $0.pointee.extrasIfAny()?.state.withLock { $0.name } }, wave, at: site)
}

private func emit(
  _ kind: GraphEvent.Kind, _ node: UInt64, _ name: @autoclosure () -> String?, _ wave: UInt64,
  at site: Site? = nil
) {
  GraphTracers.tell(
    GraphEvent(
      kind: kind, node: node, name: name(), wave: wave,
      thread: UInt64(UInt(bitPattern: easyreact_turn_get())), time: GraphTracers.elapsed,
      callSite: site.map { "\($0.file):\($0.line)" }))
}

@usableFromInline @inline(never) func traceMade(_ core: CorePointer) {
  if let births = Births.current, let node = node(of: core) { births.add(node) }
  emit(.nodeMade, core, 0)
}
@inline(never) func traceGone(_ core: CorePointer, _ turn: TurnPointer) { emit(.nodeGone, core, 0) }

@usableFromInline @inline(never) func traceWave(_ wave: UInt64, began: Bool, _ core: CorePointer) {
  whileDescribed(core) { emit(began ? .waveBegan : .waveEnded, core, wave) }
}

/// A value that is stored, but not told yet, must not be overwritten: what the user's `description`,
/// or a tracer, sets meanwhile waits at the node until that value has been told. Holder.
private func whileDescribed(_ core: CorePointer, _ body: () -> Void) {
  let wasBusy = core.pointee.bits & Bits.busy
  core.pointee.bits |= Bits.busy
  body()
  core.pointee.bits = core.pointee.bits & ~Bits.busy | wasBusy
}

@usableFromInline @inline(never) func traceEdge(
  _ edge: EdgePointer, made: Bool, _ turn: TurnPointer
) {
  let down = edge.pointee.down?.pointee.id
  // Where a listener was attached is noted by the call; see `set` for the same.
  let site = made && down == nil ? turn.pointee.callSite : nil
  if site != nil { turn.pointee.callSite = nil }
  if made { Births.current?.add(edge, at: site) } else { Births.remove(edge) }
  emit(made ? .edgeMade(to: down) : .edgeGone(to: down), edge.pointee.up, 0, at: site)
}

@usableFromInline @inline(never) func traceTurn(began: Bool, _ turn: TurnPointer) {
  emit(began ? .turnBegan : .turnEnded, nil, 0)
}

@usableFromInline func noteCallSite(_ site: Site) { currentTurn().pointee.callSite = site }

@usableFromInline @inline(never) func traceSet(_ core: CorePointer, _ turn: TurnPointer) {
  // Between turns the number of the last wave is left behind.
  let wave = turn.pointee.depth.load(ordering: .relaxed) > 1 ? turn.pointee.wave : 0
  emit(.set, core, wave, at: turn.pointee.callSite)
  turn.pointee.callSite = nil
  if let node = node(of: core), !node.hasListener, edges(core, .outs).isEmpty {
    emit(.stopped(.noConsumer), core, wave)
  }
}

@usableFromInline @inline(never) func traceStored(_ core: CorePointer, _ turn: TurnPointer) {
  let rest = turn.pointee.flags & Bits.event == 0 ? "empty" : "event"
  whileDescribed(core) {
    let value = node(of: core)?.anyValue.map { String(describing: $0) } ?? rest
    emit(.valueStored(value), core, turn.pointee.wave)
  }
}

@inline(never) func traceListener(_ edge: EdgePointer, _ turn: TurnPointer) {
  let owned = edge.pointee.face.load(ordering: .relaxed)?.takeUnretainedValue() as? OwnedListening
  if let owned, owned.isOwnerGone { return }
  emit(.listenerCalled, edge.pointee.up, turn.pointee.wave)
}

@usableFromInline @inline(never) func traceStop(
  _ reason: GraphEvent.Stop, _ core: CorePointer, _ turn: TurnPointer
) {
  emit(.stopped(reason), core, turn.pointee.wave)
}

@usableFromInline @inline(never) func traceStop(
  _ reason: GraphEvent.Stop, _ edge: EdgePointer, _ turn: TurnPointer
) {
  emit(.stopped(reason), edge.pointee.down ?? edge.pointee.up, turn.pointee.wave)
}

/// What is told of a letter that is left with another thread, read before it is left.
@usableFromInline struct MailNote {
  private let node: UInt64
  private let name: String?
  private let wave: UInt64

  @usableFromInline init(_ core: CorePointer, _ turn: TurnPointer) {
    node = core.pointee.id
    name = core.pointee.extrasIfAny()?.state.withLock { $0.name }
    wave = turn.pointee.wave
  }

  @usableFromInline func trace() { emit(.stopped(.leftInMail), node, name, wave) }
}

/// A set had to wait in a node's queue.
@usableFromInline @inline(never) func countReentrantSet(_ core: CorePointer, _ turn: TurnPointer) {
  turn.pointee.reentrantSets &+= 1
  if turn.pointee.reentrantSets == GraphTracers.reentrantSetLimit {
    warnOfEndlessSets(turn.pointee.reentrantSets, turn)
  }
}

/// Names the nodes that are on the stack: those that the sets go round.
private func warnOfEndlessSets(_ count: Int, _ turn: TurnPointer) {
  var names: [String] = []
  var next = turn.pointee.top
  while let core = next, names.count < 20 {
    if let node = node(of: core) { names.append(node.whereabouts) }
    next = core.pointee.caller
  }
  if easyreact_is_traced() {
    emit(.endlessSets(count: count, names: names), turn.pointee.top, turn.pointee.wave)
  }
  let message =
    "EasyReact: \(count) sets waited in queues in one turn; listeners set each other in a circle of: "
    + names.joined(separator: ", ")
    + ". Set only on a change, or raise GraphTracers.reentrantSetLimit.\n"
  _ = message.withCString { write(2, $0, strlen($0)) }
}

/// For messages: the node whose timer this thread is setting, or which it is telling listeners and
/// edges of.
package func whereaboutsOfNodeBeingTold() -> String? {
  if let node = TimerOwner.current { return node.whereabouts }
  let turn = currentTurn()
  if turn.pointee.depth.load(ordering: .relaxed) == 0 { return nil }
  return turn.pointee.top.flatMap { node(of: $0)?.whereabouts }
}

/// Whose timer is being set, where that is not the node being told: a source that ticks.
enum TimerOwner {
  @TaskLocal static var current: AnyNode?
}
