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
  // Unchecked: what changes is touched as its comment says.
  let store: any SharedStore
  let key: String
  let coding: SharedCoding<Value>
  /// Told by `publish` alone.
  let status = MutableNode(SharedStatus())
  /// Set once, before the node is published. It is nil when the node goes.
  private weak var node: SharedNode<Value>?
  private let watching = Mutex<(any Cancelable)?>(nil)
  /// What the store told last, and the node has not come to. Nobody waits for an older one, unless every one is told.
  private let arrived = Mutex(Arrived())
  private struct Arrived {
    var events: [StoreEvent] = []
    var isComing = false
  }

  /// How many marks were left with threads inside the node and not reached.
  private let leftMarks = Mutex(0)

  // The holder of the node:
  private var state: State
  typealias State = ReplicaState<AnyBox>
  /// The node tells what the rules decided, so its listener has nothing to hear.
  private var isTelling = false
  private var isScheduled = false
  /// An attempt that is to be made again.
  private var unanswered: UInt64?
  private var pause = Duration.milliseconds(20)
  /// While something waits for the store, the node lives.
  private var keptNode: SharedNode<Value>?
  private var version: UInt64 = 0

  // The holder of `status`:
  private var publishedVersion: UInt64 = 0

  init(
    _ store: any SharedStore, _ key: String, _ coding: SharedCoding<Value>,
    _ rules: ReplicaRules<Value>
  ) {
    (self.store, self.key, self.coding) = (store, key, coding)
    state = ReplicaState(rules.boxed, writer: store.nodes.writer)
    status.name = "\(key) status"
  }

  var telling: SharedTelling { state.rules.telling }  // constant

  /// The node has been made, and nobody has it yet.
  func begin(_ node: SharedNode<Value>) {
    self.node = node
    node.name = key
    _ = node.listen(by: node, with: LocalEdge(self))
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

// MARK: - What the program does

/// Hears what is set on the node, and what comes over edges.
private final class LocalEdge<Value: Sendable>: ListenEdge<Value>, @unchecked Sendable {
  // Unchecked, as its superclass is: constant.
  let replica: Replica<Value>
  init(_ replica: Replica<Value>) { self.replica = replica }

  override func receive(_ value: Value, from sender: AnyNode?, context: (any Sendable)?) {
    replica.heard(value)
  }
  override func receiveEmpty(from sender: AnyNode?, context: (any Sendable)?) { replica.heard(nil) }
}

extension Replica {
  /// Holder.
  fileprivate func heard(_ value: Value?) {
    if isTelling {
      isTelling = false
    } else {
      state.heard(value.map { Box($0) }, sequence: store.nodes.nextSequence())
      noteWaiting()
      schedule()
    }
  }

  /// Holder. Who asks after a set whether the store has everything, is not told that it has.
  private func noteWaiting() {
    if state.waiting.count != 1 { return }
    version += 1
    publish(state.status, version)
  }

  func decide(_ value: Value?, by change: @escaping @Sendable (inout Value) -> Bool) -> Decision<
    Value
  > {
    decide(
      value,
      byAny: { present in
        guard var changed = present, change(&changed) else { return false }
        present = changed
        return true
      })
  }

  /// Holder.
  private func decide(
    _ value: Value?, byAny change: @escaping Change
  ) -> Decision<Value> {
    let boxed: State.Change = { box in
      var present = box?.open(Value.self)
      if !change(&present) { return false }
      box = present.map { Box($0) }
      return true
    }
    let decision = state.changed(by: boxed, sequence: store.nodes.nextSequence())
    noteWaiting()
    schedule()
    return announced(decision, value)
  }

  typealias Change = @Sendable (inout Value?) -> Bool

  func update(_ change: @escaping Change) {
    node?.decide { self.decide($0, byAny: change) }
  }

  /// The writing is no part of the set. What waits behind a write that is under way goes on with its answer.
  private func schedule() {
    if isScheduled || isAnswerDue { return }
    isScheduled = true
    keptNode = node
    store.scheduler.schedule {
      self.step {
        _ = $0
        self.isScheduled = false
        return .nothing
      }
    }
  }

  private var isAnswerDue: Bool {
    state.attempt != nil && unanswered == nil
  }

  /// Holder. What the node is about to tell is no news to its first listener.
  private func announced(_ decision: Decision<AnyBox>, _ value: Value?) -> Decision<Value> {
    switch decision {
    case .keep: return .keep
    case .clear where value == nil: return .keep
    case .clear:
      isTelling = true
      return .clear
    case .store(let box):
      isTelling = true
      return .store(box.open(Value.self))
    }
  }
}

// MARK: - What the store says

extension Replica {
  func receive(_ event: StoreEvent) {
    let isFirst = arrived.withLock { arrived in
      if case .entry = event, case .entry? = arrived.events.last, telling == .newest {
        arrived.events.removeLast()
      }
      arrived.events.append(event)
      defer { arrived.isComing = true }
      return !arrived.isComing
    }
    if isFirst { takeIn() }
  }

  /// What has come so far, decoded here, where nobody waits.
  private func takeIn() {
    while true {
      let events = arrived.withLock { arrived in
        defer { arrived.events = [] }
        if arrived.events.isEmpty { arrived.isComing = false }
        return arrived.events
      }
      if events.isEmpty { return }
      for event in events { apply(event) }
    }
  }

  private func apply(_ event: StoreEvent) {
    switch event {
    case .entry(let entry):
      let decoded = decode(entry)
      step {
        $0.received(decoded)
        return .goOn
      }
    case .current:
      step {
        $0.becameCurrent()
        return .goOn
      }
    case .reset:
      step {
        $0.lostEverything()
        return .nothing
      }
    }
  }

  private func decode(_ entry: StoreEntry) -> State.Entry {
    var decoded = State.Entry(
      revision: entry.revision, value: nil, envelope: Envelope(), problem: nil)
    do throws(SharedProblem) {
      // A deletion by another tool has no bytes.
      if entry.isDeletion, entry.bytes.isEmpty { return decoded }
      let opened = try Envelope.open(entry.bytes, key: key)
      decoded.envelope = opened.envelope
      if telling == .every { decoded.earlier = opened.earlier.compactMap(decode) }
      if !entry.isDeletion { decoded.value = Box(try decode(opened.value)) }
    } catch { decoded.problem = error }
    return decoded
  }

  /// Nil: it cannot be read, and counts as missed. Within: nil where the key was cleaned.
  private func decode(_ earlier: Envelope.Earlier) -> AnyBox?? {
    guard let bytes = earlier.bytes else { return .some(nil) }
    return (try? decode(bytes)).map { .some(Box($0)) }
  }

  private func decode(_ bytes: Data) throws(SharedProblem) -> Value {
    do { return try coding.decode(bytes) } catch {
      throw SharedProblem(
        .undecodable, "the store holds bytes that are no value of \(Value.self): \(error)",
        at: "key “\(key)”", remedy: "Another program, or another version, has set another type.")
    }
  }
}

// MARK: - Steps

/// What is to be done outside of the node.
private struct Plan: Sendable {
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
  private func step(
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
    return plan
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

  private func write(_ attempt: State.Attempt) {
    let write: StoreWrite
    do throws(SharedProblem) { write = try encode(attempt) } catch {
      return store.scheduler.schedule { self.answer(attempt.number, .refused(error)) }
    }
    store.write(write) { self.answer(attempt.number, $0) }
  }

  private func encode(_ attempt: State.Attempt) throws(SharedProblem) -> StoreWrite {
    var size = 0
    func bytes(_ value: AnyBox?) throws(SharedProblem) -> Data? {
      let bytes = try encode(value)
      size += bytes?.count ?? 0
      if size > Envelope.bytesAtOnce, !attempt.earlier.isEmpty {
        throw .tooLarge(size, limit: Envelope.bytesAtOnce, key: key)  // then fewer at once
      }
      return bytes
    }
    var earlier: [Envelope.Earlier] = []
    for made in attempt.earlier {
      earlier.append(.init(sequence: made.sequence, bytes: try bytes(made.value)))
    }
    let last = try bytes(attempt.value) ?? Data()
    return StoreWrite(
      key: key, bytes: attempt.envelope.bytes(before: last, after: earlier),
      isDeletion: attempt.value == nil, expected: attempt.expected)
  }

  private func encode(_ value: AnyBox?) throws(SharedProblem) -> Data? {
    guard let value else { return nil }
    do { return try coding.encode(value.open(Value.self)) } catch {
      throw SharedProblem(
        .unencodable, "a value of \(Value.self) cannot be turned into bytes: \(error)",
        at: "key “\(key)”", remedy: "Set another value; or make its encoding cover this one.")
    }
  }

  private func answer(_ number: UInt64, _ answer: StoreAnswer) {
    step { $0.answered(number, answer) }
  }

  /// A conflict: what was first has not come yet. It will, unless it is gone already.
  private func look(for number: UInt64, after pause: Duration) {
    store.scheduler.schedule(after: pause) { [weak self] in
      guard let self else { return }
      store.get(key) { self.found($0, for: number) }
    }
  }

  private func found(_ result: Result<StoreEntry?, SharedProblem>, for number: UInt64) {
    switch result {
    case .success(.some), .failure:
      // The watch brings it, in its order.
      step { $0.attempt?.number == number && $0.attempt?.isConflict == true ? .look : .nothing }
    case .success(nil):
      step {
        $0.vanished(number)
        return .goOn
      }
    }
  }

  /// A set may have been left with a thread that is inside the node, and the rules know nothing of it yet. Then the status does not
  /// say settled until that thread has come to what was left before this.
  func waitForLeftSets(_ node: SharedNode<Value>) {
    let mark = Mark()
    node.decide { _ in
      if self.reach(mark) {
        self.version += 1
        self.publish(self.state.status, self.version)
      }
      return .keep
    }
    if !leave(mark) { return }
    status.decide { present in
      let heard = present.map(self.asFarAsHeard)
      return heard == present ? .keep : heard.map { .store($0) } ?? .keep
    }
  }

  /// True: it was left.
  private func reach(_ mark: Mark) -> Bool {
    leftMarks.withLock { count in
      mark.isReached = true
      if mark.isLeft { count -= 1 }
      return mark.isLeft
    }
  }

  /// False: it was reached at once.
  private func leave(_ mark: Mark) -> Bool {
    leftMarks.withLock { count in
      mark.isLeft = !mark.isReached
      if mark.isLeft { count += 1 }
      return mark.isLeft
    }
  }

  /// Where something was left, who knows what waits?
  private func asFarAsHeard(_ status: SharedStatus) -> SharedStatus {
    var status = status
    if status.isSettled, leftMarks.withLock({ $0 > 0 }) { status.waitingCount = 1 }
    return status
  }

  /// In the order of the node's decisions, whoever comes first.
  private func publish(_ status: SharedStatus, _ version: UInt64) {
    self.status.decide { present in
      if version < self.publishedVersion { return .keep }
      self.publishedVersion = version
      let status = self.asFarAsHeard(status)
      return present == status ? .keep : .store(status)
    }
  }
}
