import EasyReact
import Foundation
import Synchronization

/// What a store's nodes have in common, whatever their values are.
protocol AnyReplica: AnyObject, Sendable {
  /// The store can be reached again.
  func goOn()
}

/// Brings a node, the rules, and a store together.
///
/// The rules' state is touched by the holder of the node alone, in the order in which the node tells its values: what is set is
/// heard by the node's first listener, everything else is a decision of the node. So no lock is held while closures run, and what
/// the rules know of the node is always what it holds.
final class Replica<Value: Sendable>: AnyReplica, ValueKeeper, @unchecked Sendable {
  // Unchecked: `node` is set before the node is published, and never again; what changes is touched by the
  // holder of the node; the rest is constant or a Mutex.
  let store: any SharedStore
  let key: String
  let coding: SharedCoding<Value>
  let telling: SharedTelling
  /// Told by `publish` alone.
  let status = MutableNode(SharedStatus())
  /// It is nil when the node goes.
  weak var node: SharedNode<Value>?
  private let watching = Mutex<(any Cancelable)?>(nil)
  /// What the store told last, and the node has not got to. Nobody waits for an older one, unless every one is told.
  let arrived = Mutex(Arrived())
  struct Arrived {
    var events: [StoreEvent] = []
    var isComing = false
    /// What waits takes long to compute anew.
    var isCostly = false
  }

  let marks = Mutex(Marks())
  struct Marks {
    /// How many were left with threads inside the node and not reached.
    var leftCount = 0
    /// The newest of the node's decisions. Here, for the status may be about to say what was decided before it.
    var published = SharedStatus()
    var publishedVersion: UInt64 = 0
    /// What the status was last decided to say: it does, or is about to.
    var isSettledSaid = false
  }

  // The holder of the node:
  var state: State
  typealias State = ReplicaState<AnyBox>
  /// The node tells what the rules decided, so its listener has nothing to hear.
  var isTelling = false
  var isScheduled = false
  /// As `arrived` knows it.
  var isCostlyNow = false
  /// An attempt that is to be made again.
  var unanswered: UInt64?
  var pause = Duration.milliseconds(20)
  /// While something waits for the store, the node lives.
  var keptNode: SharedNode<Value>?
  var version: UInt64 = 0

  init(
    _ store: any SharedStore, _ key: String, _ coding: SharedCoding<Value>,
    _ rules: ReplicaRules<Value>
  ) {
    (self.store, self.key, self.coding, telling) = (store, key, coding, rules.telling)
    state = ReplicaState(rules.boxed, writer: store.nodes.writer)
    status.name = "\(key) status"
  }

  /// The node has been made, and nobody has it yet.
  func begin(_ node: SharedNode<Value>) {
    self.node = node
    node.name = key
    node.listenAsKeeper { self.heard($0, cameOverEdge: $1) }
  }

  /// The node has its name in the store.
  func watch() {
    if let problem = SharedProblem(badKey: key) {
      return step {
        $0.refuse(problem)
        return .nothing
      }
    }
    let watching = store.watch(key, after: nil) { [weak self] in self?.receive($0) }
    self.watching.withLock { $0 = watching }
  }

  func nodeIsGone() {
    let watching = self.watching.withLock { $0.take() }
    watching?.cancel()
    store.nodes.remove(key)
  }
}

// MARK: - Steps

/// What is to be done outside of the node.
struct Plan: Sendable {
  var next: ReplicaState<AnyBox>.Next
  var attempt: ReplicaState<AnyBox>.Attempt?
  var pause: Duration
  var status: SharedStatus
  var version: UInt64
  var isToBeTold: Bool
  /// Of the attempt that is under way.
  var number: UInt64?
  /// No longer kept.
  var node: AnyNode?
}

extension Replica {
  /// Changes the state, lets the node tell what follows, and does what is to be done next.
  func step(
    _ body: @escaping @Sendable (inout State) -> State.Next
  ) {
    var body = body
    while let node {
      let handOff = HandOff<Plan>()
      node.decide { [body] value in
        let next = body(&self.state)
        let decision = self.announced(self.state.nextTold(), value)
        let plan = self.plan(next)
        if !handOff.give(plan) { self.store.scheduler.schedule { self.carryOutAll(plan) } }
        return decision
      }
      // Else another thread is inside the node, and does it.
      guard let plan = handOff.take() else { return }
      carryOut(plan)
      if !plan.isToBeTold { return }
      body = { _ in .nothing }
    }
  }

  private func carryOutAll(_ plan: Plan) {
    carryOut(plan)
    if plan.isToBeTold { step { _ in .nothing } }
  }

  /// Holder.
  private func plan(_ next: State.Next) -> Plan {
    var attempt: State.Attempt?
    if store.connection.value?.isConnected ?? false {
      if let number = unanswered, next == .goOn { attempt = state.sameAttempt(number) }
      if attempt != nil { unanswered = nil } else { attempt = state.nextAttempt() }
    }
    if next == .tryAgain {
      unanswered = state.attempt?.number
      pause = min(pause * 2, .seconds(1))
    } else if state.attempt == nil || unanswered == nil && next == .goOn {
      pause = .milliseconds(20)
    }
    version += 1
    var plan = Plan(
      next: next, attempt: attempt, pause: pause, status: state.status, version: version,
      isToBeTold: state.isToBeTold, number: state.attempt?.number, node: nil)
    if state.waiting.isEmpty { plan.node = keptNode.take() } else { keptNode = node }
    noteCost()
    return plan
  }

  /// Holder.
  private func noteCost() {
    let isCostly = state.rebaseCost > state.valuesAtOnce
    if isCostly == isCostlyNow { return }
    isCostlyNow = isCostly
    arrived.withLock { $0.isCostly = isCostly }
  }

  private func carryOut(_ plan: Plan) {
    if let attempt = plan.attempt { write(attempt) }
    publish(plan.status, plan.version)
    switch plan.next {
    case .tryAgain:
      store.scheduler.schedule(after: plan.pause) { [weak self] in self?.goOn() }
    case .look:
      if let number = plan.number { look(for: number, after: .seconds(1)) }
    case .goOn, .nothing: break
    }
  }

  func goOn() { step { _ in .goOn } }
}
