import CEasyReact
import Synchronization

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
    /// A join reads the latest values, and an upstream of it tells events, none of which is kept: so it
    /// waits for ever. `withLatest(from:)`, `zip` and `merge` take events; `held()` keeps them.
    case eventsAreNotKept
    /// A timer holds it back.
    case heldBackByTimer
    /// It waits for its call on the scheduler of a `deliver`.
    case waitsOnScheduler
    /// An asynchronous call for it is under way, or it waits for one.
    case waitsForCall
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
    /// Its description, cut at 1,000 characters, or `empty`; for an event, which is told and not kept, `event: 4`.
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
  /// What the wave's set carried: for a value that is stored, a listener that is called, and a stop on the
  /// way over an edge.
  public let context: (any Sendable)?
  /// A number of the thread.
  public let thread: UInt64
  /// Since the tracer was installed.
  public let time: Duration
  /// For a set by `set(_:)` or `set(_:context:)`, and for a listener that was made: where it was
  /// called, as `Module/File.swift:12`. An assignment to `value` cannot tell.
  public let callSite: String?
}

/// Hears what happens in all graphs of the process.
///
///     final class Counter: GraphTracer, Sendable {
///       let stored = Mutex(0)
///       func trace(_ event: GraphEvent) {
///         if case .valueStored = event.kind { stored.withLock { $0 += 1 } }
///       }
///     }
///     GraphTracing.install(Counter())
///
/// ``PrintingTracer`` is a ready-made one. `trace` is called on the thread where it happens, in
/// mid-propagation: be quick, and leave the graph alone. Sets that it makes are not traced. Not
/// installed, a tracer costs a test of one flag per hop.
public protocol GraphTracer: Sendable {
  func trace(_ event: GraphEvent)
}

/// The tracer of this process, and where what is printed goes.
///
///     GraphTracing.install(PrintingTracer(of: [price, total]))
///     GraphTracing.install(nil)
public enum GraphTracing {
  private struct State {
    var tracer: (any GraphTracer)?
    var began = ContinuousClock.now
    /// The nodes that `debug` prints, by id, and what it calls them.
    var debugged: [UInt64: Debugged] = [:]
    /// Those that went while nobody was told are forgotten when there are as many, and when debugging is turned on.
    var room = 64
    var isDebugEnabled = true
    var output: @Sendable (String) -> Void = { print($0) }

    var isHeard: Bool { tracer != nil || isDebugEnabled && !debugged.isEmpty }
    func label(of node: UInt64) -> String? { isDebugEnabled ? debugged[node]?.label : nil }

    /// Returns what was looked at, to be let go of when no lock is held: it may be the last reference.
    mutating func forgetGone() -> [AnyNode] {
      let living = debugged.compactMapValues { $0.node }
      debugged = debugged.filter { living[$0.key] != nil }
      room = max(64, 2 * debugged.count)
      return Array(living.values)
    }
  }
  private struct Debugged {
    weak var node: AnyNode?
    let label: String
  }
  private static let state = Mutex(State())

  /// Makes `tracer` hear everything from now on, in place of the one before; nil: nobody.
  public static func install(_ tracer: (any GraphTracer)?) {
    let old = state.withLock { state in
      defer { (state.tracer, state.began) = (tracer, .now) }
      return state.tracer
    }
    _ = consume old
    updateSwitch()
  }

  /// Does ``AnyNode/debug(_:)`` print? False silences every node at once, and costs nothing from then on.
  public static var isDebugEnabled: Bool {
    get { state.withLock { $0.isDebugEnabled } }
    set {
      let looked = state.withLock { state in
        state.isDebugEnabled = newValue
        return newValue ? state.forgetGone() : []
      }
      _ = consume looked
      updateSwitch()
    }
  }

  /// Gets each line that ``AnyNode/debug(_:)`` and ``PrintingTracer`` print, on the thread where it happens;
  /// standard output unless it is set.
  ///
  ///     GraphTracing.output = { line in logger.debug("\(line)") }
  public static var output: @Sendable (String) -> Void {
    get { state.withLock { $0.output } }
    set {
      let old = state.withLock { state in
        defer { state.output = newValue }
        return state.output
      }
      _ = consume old
    }
  }

  static func debug(_ node: AnyNode, _ label: String) {
    let looked = state.withLock { state in
      state.debugged[node.id] = Debugged(node: node, label: label)
      return state.debugged.count > state.room ? state.forgetGone() : []
    }
    _ = consume looked
    updateSwitch()
  }

  static func forget(_ node: UInt64) {
    let wasDebugged = state.withLock { state in
      defer { state.debugged.shrinkIfSparse() }
      return state.debugged.removeValue(forKey: node) != nil
    }
    if wasDebugged { updateSwitch() }
  }

  /// For tests: is it one of those that `debug` prints?
  package static func prints(_ node: UInt64) -> Bool {
    state.withLock { $0.label(of: node) != nil }
  }

  /// The engine reports while anybody hears it.
  static func updateSwitch() {
    state.withLock {
      // Read under the lock under which it is written: of two that switch the later one knows all.
      let recording = Recording.isAnyRunning ? easyreact_heard_by_recording : 0
      let tracer = $0.isHeard || CreationRecorder.areHeard ? easyreact_heard_by_tracer : 0
      easyreact_set_traced(Int32(tracer | recording))
    }
  }

  /// How much of a stored value's description a tracer gets, in characters.
  static var descriptionLength: Int { 1_000 }

  @TaskLocal static var isTracing = false

  /// Is anybody told of this node? Before a value is described, which is the user's code.
  static func hears(_ node: UInt64) -> Bool {
    !isTracing && state.withLock { $0.tracer != nil || $0.label(of: node) != nil }
  }

  static func emit(of node: UInt64, _ event: @autoclosure () -> GraphEvent) {
    if isTracing { return }
    let (tracer, label) = state.withLock { ($0.tracer, $0.label(of: node)) }
    if tracer == nil, label == nil { return }
    let event = event()
    $isTracing.withValue(true) {
      aside {
        tracer?.trace(event)
        if let label, event.isForDebug { output(event.text(as: label)) }
      }
    }
  }

  static var elapsed: Duration { state.withLock { $0.began.duration(to: .now) } }
}
