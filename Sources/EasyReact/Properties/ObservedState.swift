import CEasyReact
import Observation
import Synchronization

/// What is observed of a node, kept by the listener that the node has for it. It lives on while its object
/// is kept, or its value is read again after changes: a tracker is told of one change, and then reads again if it
/// wants to hear of the next. Nobody knows how soon that is; a view is drawn again within a frame.
final class ObservedState<Value: Sendable>: MainFollower, UnreadValue, Observable,
  @unchecked Sendable
{
  // Unchecked: `edge` is set before it is attached, and never again, and what it points to is touched by
  // whoever ends it first; `first` and `answered` have their own proofs; the rest is constant, atomic or the main actor's.
  private let registrar = ObservationRegistrar()
  private var edge: EdgePointer?
  private let ending = Ending()
  /// The turn that attaches the listener, and what it heard then.
  private let attachingTurn = Atomic<UInt>(0)
  // Unsafe: touched by the thread of `attachingTurn` alone, which is the main actor's.
  private nonisolated(unsafe) var first: Told<Value>?

  @MainActor private var shown: Value?
  /// How often the main actor has set the node, and after that asked what it holds.
  @MainActor private var asked: UInt64 = 0
  // Unsafe: touched by the holder of the node's region alone, in the listener's step and where it is asked.
  private nonisolated(unsafe) var answered: UInt64 = 0
  /// How many steps have changed what is shown.
  @MainActor private(set) var steps = 0
  @MainActor private var coming: Told<Value>?
  @MainActor private var gone: Value?
  private enum Reading { case read, changedSince, awaited }
  @MainActor private var reading = Reading.read
  /// Among those that `UnreadValues` looks at.
  @MainActor private var isLookedAt = false
  @MainActor private weak var object: ObservedMutableNode<Value>?

  var hasEnded: Bool { ending.hasBegun }

  @MainActor func object(of node: MutableNode<Value>) -> ObservedMutableNode<Value> {
    if let object { return object }
    let made = ObservedMutableNode(node, self)
    object = made
    return made
  }

  @MainActor func read() -> Value? {
    registrar.access(self, keyPath: \.shown)
    reading = .read
    return shown
  }

  @MainActor func requireValue(of node: Node<Value>) -> Value {
    if let value = read() { return value }
    misuse(
      "observed.current", "the node is empty", node, "Set it first, or read `observed.value`.")
  }

  // MARK: A step

  @MainActor override func willChange(to told: AnyObject) {
    let told = unsafeDowncast(told, to: Told<Value>.self)
    if told.answers < asked || hasEnded { return }
    coming = told
    // Before the trackers are told: one of them may read again at once, and is told of the next change.
    if reading == .read { reading = .changedSince }
    registrar.willSet(self, keyPath: \.shown)
  }

  @MainActor override func change() {
    // A tracker may have set something newer meanwhile, which shows already.
    guard let coming, coming.answers == asked else { return }
    gone = shown
    shown = coming.held
    steps += 1
  }

  @MainActor override func didChange() {
    if coming == nil { return }
    coming = nil
    registrar.didSet(self, keyPath: \.shown)
    let gone = gone
    self.gone = nil
    awaitReading()
    _ = consume gone
  }

  @MainActor private func awaitReading() {
    if isLookedAt || object != nil { return }
    isLookedAt = true
    UnreadValues.shared.add(self)
  }

  @MainActor func isStillAwaited() -> Bool {
    isLookedAt = false
    if object != nil || hasEnded { return false }
    switch reading {
    case .read: return false
    case .changedSince: reading = .awaited
    case .awaited:
      end()
      return false
    }
    isLookedAt = true
    return true
  }

  /// The main actor has set the node. If another thread is inside it, that one tells it later; what the
  /// user has typed is shown at once all the same, and nothing older any more. A set of a lens may find no part then: what the lens
  /// holds when it is made is shown in any case.
  /// - Parameter before: The steps until then.
  @MainActor func show(_ value: Value?, of node: Node<Value>, setAfter before: Int) {
    let turn = currentTurn()
    // Not told yet for a reason that ends before the outermost call returns; or perhaps never.
    if steps != before || turn.pointee.depth.load(ordering: .relaxed) > 0
      || turn.pointee.batch != nil || node.storage.isEventNode() || mainSteps.bringsSoon(self)
    {
      return
    }
    if node.storage.anyLens != nil,
      !node.storage.pointee.hasPendingValue.load(ordering: .acquiring)
    {
      return
    }
    let value = value ?? noValue(Value.self)
    registrar.willSet(self, keyPath: \.shown)
    let gone = shown
    shown = value
    asked += 1
    registrar.didSet(self, keyPath: \.shown)
    ask(node)
    _ = consume gone
  }
}

extension ObservedState {
  /// What is shown was read, or set, ahead of what the node tells. So the node is asked what it holds, after all that was left
  /// there before. What it tells until then does not count if the main actor has set it: it is older than what is shown, or
  /// older than the answer.
  @MainActor private func ask(_ node: Node<Value>) {
    let turn = currentTurn(), question = asked
    turn.enter()
    node.storage.perform(in: turn) { turn in
      self.answered = question
      self.hear(Told<Value>(heldBy: node.storage, answers: question), turn)
    }
    turn.leave()
  }
}

// MARK: - The listener

extension ObservedState: EdgeObserver {
  /// Without a step for the first value: the reader that made this reads it.
  @MainActor func follow(_ node: MutableNode<Value>) {
    let turn = currentTurn()
    let edge = node.makeListener(
      state: EdgeState(), hearsEmptiness: true, publicObject: self, keepsNode: false, step())
    self.edge = edge
    // What was sent last counts, what a batch has staged does not. It is read before: what is told once the listener is attached is
    // as new, or newer.
    let sent = aside { node.value }
    attachingTurn.store(UInt(bitPattern: turn), ordering: .relaxed)
    node.attachListener(edge, at: node.storage.pointee.location)
    // It is attached later, or the node is empty, about which nothing is told.
    if first == nil, !node.storage.isEventNode() { ask(node) }
    attachingTurn.store(0, ordering: .relaxed)
    shown = first.map { $0.held } ?? sent
    first = nil
  }

  /// Not the main actor's, as a closure made above would be.
  private func step() -> Step {
    let follower = Unmanaged.passUnretained(self)  // the edge's public object, which it retains
    return { up, _, turn in
      follower._withUnsafeGuaranteedRef {
        $0.hear(Told<Value>(up, turn, answers: $0.answered), turn)
      }
      return false
    }
  }

  private func hear(_ told: Told<Value>, _ turn: TurnPointer) {
    if attachingTurn.load(ordering: .relaxed) == UInt(bitPattern: turn) {
      first = told
    } else {
      note(told, in: turn)
    }
  }

  func end() {
    guard let edge else { return }
    let turn = currentTurn()
    turn.enter()
    ending.end(edge, turn)
    turn.leave()
  }

  func nodeIsGone() { end() }
}
