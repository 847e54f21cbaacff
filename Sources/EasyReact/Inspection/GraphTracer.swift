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
    case leftInMailbox
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
///     GraphTracing.install(Printer())
///
/// `trace` is called on the thread where it happens, in mid-propagation: be quick, and leave the
/// graph alone. Sets that it makes are not traced. Not installed, a tracer costs a test of one flag
/// a hop.
public protocol GraphTracer: Sendable {
  func trace(_ event: GraphEvent)
}

/// The tracer of this process.
public enum GraphTracing {
  private static let installed = Mutex<(any GraphTracer)?>(nil)
  private static let began = Mutex(ContinuousClock.now)

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
      easyreact_set_traced(installed != nil || CreationRecorder.areHeard)
    }
  }

  @TaskLocal fileprivate static var isTracing = false

  fileprivate static func emit(_ event: @autoclosure () -> GraphEvent) {
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
  _ kind: GraphEvent.Kind, _ storage: NodePointer?, _ wave: UInt64,
  at location: SourceLocation? = nil
) {
  emit(
    kind, storage?.pointee.id ?? 0,
    storage.flatMap { $0.name }, wave, at: location)
}

private func emit(
  _ kind: GraphEvent.Kind, _ node: UInt64, _ name: @autoclosure () -> String?, _ wave: UInt64,
  at location: SourceLocation? = nil
) {
  GraphTracing.emit(
    GraphEvent(
      kind: kind, node: node, name: name(), wave: wave,
      thread: UInt64(UInt(bitPattern: easyreact_turn_get())), time: GraphTracing.elapsed,
      callSite: location.map { "\($0.file):\($0.line)" }))
}

extension NodePointer {
  @usableFromInline @inline(never) func traceMade() {
    if let creationRecorder = CreationRecorder.current, let node = self.node() {
      creationRecorder.add(node)
    }
    emit(.nodeMade, self, 0)
  }

  @inline(never) func traceGone(in turn: TurnPointer) { emit(.nodeGone, self, 0) }

  @usableFromInline @inline(never) func traceWave(_ wave: UInt64, began: Bool) {
    whileDescribed { emit(began ? .waveBegan : .waveEnded, self, wave) }
  }

  /// A value that is stored, but not told yet, must not be overwritten: what the user's `description`,
  /// or a tracer, sets meanwhile waits at the node until that value has been told. Holder.
  fileprivate func whileDescribed(_ body: () -> Void) {
    let wasBusy = pointee.flags.only(.busy)
    pointee.flags.insert(.busy)
    body()
    pointee.flags = pointee.flags.without(.busy).with(wasBusy)
  }
}

extension EdgePointer {
  @usableFromInline @inline(never) func traceEdge(made: Bool, in turn: TurnPointer) {
    let down = pointee.down?.pointee.id
    // Where a listener was attached is noted by the call; see `set` for the same.
    let location = made && down == nil ? turn.pointee.callSite : nil
    if location != nil { turn.pointee.callSite = nil }
    if made {
      CreationRecorder.current?.add(self, at: location)
    } else {
      CreationRecorder.remove(self)
    }
    emit(made ? .edgeMade(to: down) : .edgeGone(to: down), pointee.up, 0, at: location)
  }
}

@usableFromInline @inline(never) func traceTurn(began: Bool, _ turn: TurnPointer) {
  emit(began ? .turnBegan : .turnEnded, nil, 0)
}

@usableFromInline func noteCallSite(_ location: SourceLocation) {
  currentTurn().pointee.callSite = location
}

extension NodePointer {
  @usableFromInline @inline(never) func traceSet(in turn: TurnPointer) {
    // Between turns the number of the last wave is left behind.
    let wave = turn.pointee.depth.load(ordering: .relaxed) > 1 ? turn.pointee.wave.number : 0
    emit(.set, self, wave, at: turn.pointee.callSite)
    turn.pointee.callSite = nil
    if let node = self.node(), !node.hasListener, edges(.outs).isEmpty {
      emit(.stopped(.noConsumer), self, wave)
    }
  }

  @usableFromInline @inline(never) func traceStored(in turn: TurnPointer) {
    let rest = !turn.pointee.wave.flags.has(.event) ? "empty" : "event"
    whileDescribed {
      let value = node()?.anyValue.map { String(describing: $0) } ?? rest
      emit(.valueStored(value), self, turn.pointee.wave.number)
    }
  }
}

extension EdgePointer {
  @inline(never) func traceListener(in turn: TurnPointer) {
    let owned =
      pointee.publicObject.load(ordering: .relaxed)?.takeUnretainedValue() as? OwnedListening
    if let owned, owned.isOwnerGone { return }
    emit(.listenerCalled, pointee.up, turn.pointee.wave.number)
  }
}

extension NodePointer {
  @usableFromInline @inline(never) func traceStop(_ reason: GraphEvent.Stop, in turn: TurnPointer) {
    emit(.stopped(reason), self, turn.pointee.wave.number)
  }
}

extension EdgePointer {
  @usableFromInline @inline(never) func traceStop(_ reason: GraphEvent.Stop, in turn: TurnPointer) {
    emit(.stopped(reason), pointee.down ?? pointee.up, turn.pointee.wave.number)
  }
}

/// What is told of a message that is left with another thread, read before it is left.
@usableFromInline struct MessageNote {
  private let node: UInt64
  private let name: String?
  private let wave: UInt64

  @usableFromInline init(_ storage: NodePointer, _ turn: TurnPointer) {
    node = storage.pointee.id
    name = storage.name
    wave = turn.pointee.wave.number
  }

  @usableFromInline func trace() { emit(.stopped(.leftInMailbox), node, name, wave) }
}

extension NodePointer {
  /// A set had to wait in a node's queue.
  @usableFromInline @inline(never) func countReentrantSet(in turn: TurnPointer) {
    turn.pointee.reentrantSets &+= 1
    if turn.pointee.reentrantSets == GraphLimits.reentrantSets {
      warnOfEndlessSets(turn.pointee.reentrantSets, turn)
    }
  }
}

/// Names the nodes that are on the stack: those that the sets go round.
private func warnOfEndlessSets(_ count: Int, _ turn: TurnPointer) {
  var names: [String] = []
  var next = turn.pointee.top
  while let storage = next, names.count < 20 {
    if let node = storage.node() { names.append(node.whereabouts) }
    next = storage.pointee.caller
  }
  if easyreact_is_traced() {
    emit(.endlessSets(count: count, names: names), turn.pointee.top, turn.pointee.wave.number)
  }
  let message =
    "EasyReact: \(count) sets waited in queues in one turn; listeners set each other in a circle of: "
    + names.joined(separator: ", ")
    + ". Set only on a change, or raise GraphLimits.reentrantSets.\n"
  _ = message.withCString { write(2, $0, strlen($0)) }
}

/// For messages: the node whose timer this thread is setting, or which it is telling listeners and
/// edges of.
package func whereaboutsOfNodeBeingTold() -> String? {
  if let node = TimerOwner.current { return node.whereabouts }
  let turn = currentTurn()
  if turn.pointee.depth.load(ordering: .relaxed) == 0 { return nil }
  return turn.pointee.top.flatMap { $0.node()?.whereabouts }
}

/// Whose timer is being set, where that is not the node being told: a source that ticks.
enum TimerOwner {
  @TaskLocal static var current: AnyNode?
}
