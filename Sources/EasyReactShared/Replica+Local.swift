import EasyReact
import Foundation

// MARK: - What the program does

extension Replica {
  /// Holder. What is set on the node, and what comes over edges.
  func heard(_ value: Value?, cameOverEdge: Bool) {
    if isTelling {
      isTelling = false
    } else if !cameOverEdge || !isInStore(value) {
      state.heard(value.map { Box($0) }, sequence: store.nodes.nextSequence())
      schedule()
      noteWaiting()
    }
  }

  /// Holder. What follows from something that is shared itself is computed by each process: if two sync the same nodes,
  /// each would for ever write what it heard from the other.
  ///
  /// The bytes decide, for `==` may pass over a part of a value, and may not hold between a value and itself. Only if one value
  /// is written in more than one way, as a set is, do they say nothing, and `==` decides, its own or that of its parts.
  private func isInStore(_ value: Value?) -> Bool {
    guard telling == .newest, state.isAgreed else { return false }
    guard let value, let confirmed = state.confirmed.value?.open(Value.self) else {
      return value == nil && state.confirmed.value == nil
    }
    guard let bytes = try? coding.encode(value), let known = try? coding.encode(confirmed) else {
      return false
    }
    if bytes == known { return true }
    return isSame(value, confirmed) && (isOneOfMany(bytes) || isOneOfMany(known))
  }

  /// Are these bytes one of several ways to write their value?
  private func isOneOfMany(_ bytes: Data) -> Bool {
    guard let again = try? coding.encode(coding.decode(bytes)) else { return false }
    return again != bytes
  }

  /// Holder. Whoever asks after a set whether the store has everything is not told that it has. A listener that is told so may let the
  /// node go, so what keeps it comes first.
  private func noteWaiting() {
    if state.waiting.count != 1 { return }
    version += 1
    publish(state.status, version, isReadAtOnce: true)
  }

  func decide(
    _ value: Value?, cameOverEdge: Bool, by change: @escaping @Sendable (inout Value) -> Bool
  ) -> Decision<Value> {
    if cameOverEdge, var changed = value, change(&changed), isInStore(changed) {
      return announced(.store(Box(changed)), value)
    }
    return decide(
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
    schedule()
    noteWaiting()
    return announced(decision, value)
  }

  typealias Change = @Sendable (inout Value?) -> Bool

  func update(_ change: @escaping Change) {
    node?.decide { self.decide($0, byAny: change) }
  }

  /// The writing is no part of the set. What waits behind a write that is under way goes on when that is answered.
  private func schedule() {
    keptNode = node
    if isScheduled || isAnswerDue { return }
    isScheduled = true
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
  func announced(_ decision: Decision<AnyBox>, _ value: Value?) -> Decision<Value> {
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
