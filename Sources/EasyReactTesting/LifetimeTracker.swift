import EasyReact
import Synchronization

/// Knows objects without keeping them: which of them still live?
///
///     let lives = LifetimeTracker()
///     var b: Node<Int>? = lives.track(a.map { $0 + 1 }, "b")
///     lives.alive          // ["b"]
///     b = nil
///     lives.alive          // []
///
/// `track` knows single objects, of any class. `watch` knows everything that code of yours puts into
/// the graph: nodes, edges, and listeners, also those on nodes that were there before. Any thread.
///
/// An object that should be alive at a check must be held beyond it, by a property, an array or
/// `withExtendedLifetime`: an optimised build releases a local variable after its last use.
public final class LifetimeTracker: Sendable {
  /// Something that lives.
  public struct Survivor: Sendable, CustomStringConvertible {
    /// `node`, `edge`, `listener`, or `object`.
    public let kind: String
    /// For an object the name that it was tracked by; else its name and where it was made.
    public let name: String
    public var description: String { "\(kind) \(name)" }
  }

  private struct Entry {
    let survivor: Survivor
    weak var object: (any AnyObject & Sendable)?
  }
  private struct State {
    var entries: [Entry] = []
    /// Those that are gone are forgotten when there are twice as many as after the last time, and by whoever looks.
    var room = 64

    /// Returns those that live with what was retained to be looked at, to be let go of when no lock is held: it may be the last reference.
    mutating func forgetGone() -> [(survivor: Survivor, object: any AnyObject & Sendable)] {
      let living = entries.compactMap { entry in entry.object.map { (entry, $0) } }
      entries = living.map(\.0)
      room = max(64, 2 * entries.count)
      return living.map { ($0.survivor, $1) }
    }
  }
  private let state = Mutex(State())
  private let births = CreationRecorder()
  private let isWatching = Atomic(false)

  public init() {}
  deinit { if isWatching.load(ordering: .acquiring) { births.end() } }

  /// Returns the object, which is not retained.
  /// - Parameter name: What ``alive`` calls it; nil: its type, and where this was called.
  @discardableResult
  public func track<Object: AnyObject & Sendable>(
    _ object: Object, _ name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Object {
    let survivor = Survivor(
      kind: "object", name: name ?? "of \(type(of: object)), tracked at \(file):\(line)")
    let looked = state.withLock { state in
      state.entries.append(Entry(survivor: survivor, object: object))
      return state.entries.count > state.room ? state.forgetGone() : []
    }
    _ = consume looked
    return object
  }

  /// Runs `body`, and knows all nodes, edges and listeners that it makes, on this thread and in its
  /// tasks.
  ///
  /// As long as the tracker lives, the graphs of this process run as slowly as with a tracer.
  @discardableResult
  public func watch<Result>(_ body: () throws -> Result) rethrows -> Result {
    beginWatching()
    return try CreationRecorder.$current.withValue(births) { try body() }
  }

  /// The same for asynchronous code.
  @discardableResult
  public func watch<Result: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    beginWatching()
    return try await CreationRecorder.$current.withValue(births) { try await body() }
  }

  private func beginWatching() {
    if !isWatching.exchange(true, ordering: .acquiringAndReleasing) { births.begin() }
  }

  /// What lives: tracked objects in order of tracking, then nodes, edges and listeners in order of
  /// making.
  public var survivors: [Survivor] {
    state.withLock { $0.forgetGone() }.map(\.survivor) + births.alive.map(Survivor.init)
  }

  /// The names of what lives.
  public var alive: [String] { survivors.map(\.name) }

  /// What lives, a line each, and which rings keep themselves alive; nil when all is gone.
  public var report: String? {
    let survivors = survivors
    if survivors.isEmpty { return nil }
    let names = Set(survivors.map(\.name))
    let rings = leakReport().filter { $0.nodes.contains { names.contains($0.withoutKind) } }
    return
      (survivors.map { "  \($0)" } + rings.map { "  \($0); cut one of its links to free it" })
      .joined(separator: "\n")
  }

  /// Throws unless all is gone.
  public func expectAllFreed(
    file: StaticString = #fileID, line: UInt = #line
  ) throws(StillAlive) {
    guard let report else { return }
    throw StillAlive(file: "\(file)", line: Int(line), report: report)
  }
}

/// Something lives that should be gone.
public struct StillAlive: Error, Sendable, CustomStringConvertible {
  /// Where it was expected to be gone.
  public let file: String
  public let line: Int
  /// What lives: a line each.
  public let report: String

  public var description: String { "still alive, at \(file):\(line)\n\(report)" }
}

/// Runs `body`, and throws unless every node, edge and listener that it made is gone afterwards.
///
///     try expectFreed {
///       let screen = Screen(model: model)      // derives nodes, listens, also to the long-lived model
///       screen.show()
///     }
///     // still alive, at MyTests/ScreenTests.swift:8
///     //   node “title” of String, made at MyApp/Screen.swift:20
///     //   edge Map from node “user” of User, made at … to node “title” of String, made at …
///     //   listener of node “title” of String, made at …, attached at MyApp/Screen.swift:31
///
/// It knows what is made on this thread, and in the tasks that `body` starts. An edge's place is
/// that of the node that it leads to, which is made with it.
public func expectFreed(
  file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Void
) throws {
  let lives = LifetimeTracker()
  try lives.watch(body)
  try lives.expectAllFreed(file: file, line: line)
}

/// The same for asynchronous code.
public func expectFreed(
  isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
  _ body: () async throws -> Void
) async throws {
  let lives = LifetimeTracker()
  try await lives.watch(body)
  try lives.expectAllFreed(file: file, line: line)
}

extension LifetimeTracker.Survivor {
  fileprivate init(_ born: CreationRecorder.Born) {
    switch born {
    case .node(let place):
      (kind, name) = ("node", place.withoutKind)
    case .edge(let operation, let from, let to):
      (kind, name) = ("edge", "\(operation) from \(from) to \(to)")
    case .listener(let node, let site):
      (kind, name) = ("listener", "of \(node), attached at \(site ?? "an unknown place")")
    }
  }
}

extension String {
  /// A node's whereabouts begin with `node`.
  fileprivate var withoutKind: String { hasPrefix("node ") ? String(dropFirst(5)) : self }
}
