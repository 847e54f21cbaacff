import CEasyReact
import Synchronization

// What a node does with what arrived, once it may be stored: step 2 of Propagation.swift.

extension NodePointer {
  /// The rules of numbers (contract 5.2), tested when the value is stored. Holder; the node is not
  /// notifying.
  @inlinable @inline(never) func storeArrival<Value: Sendable>(
    _ arrival: consuming Arrival<Value>, _ delivery: Delivery, sender: NodePointer?,
    in turn: TurnPointer
  ) -> Bool {
    if delivery.isFiltered && isReached(by: delivery) {
      if turn.pointee.isTraced { traceRefused(delivery, from: sender, in: turn) }
      return false
    }
    var flags = delivery.wave.flags.without(.late.with(.event))
    var version: Version = (0, 0)
    // The value is not the join's own, but perhaps has the number of one that is.
    if !delivery.rules.has(.ofJoin) { pointee.join?.missChange() }
    switch consume arrival {
    case .value(let value):
      if isEvent(delivery) {
        flags.insert(.event)
        storeEvent(value) { version = noteVersion(delivery) }
      } else {
        storeAfterEvent(value) { version = noteVersion(delivery) }
      }
    case .empty:
      clearValue(Value.self) { version = noteVersion(delivery) }
      flags.insert(.emptied)
    case let change:
      if !storeChange(change, delivery, &version, &flags, sender: sender, in: turn) {
        return false
      }
    }
    noteStored(version, delivery, flags, sender: sender, in: turn)
    return true
  }

  /// Is the value an event: told, and not kept? The result of a change never is, nor is a value that is kept elsewhere
  /// too.
  @inlinable @inline(__always) func isEvent(_ delivery: Delivery) -> Bool {
    (delivery.wave.flags.has(.event) || pointee.flags.has(.eventNode))
      && !pointee.traits.has(.isKept)
  }

  /// Computes what the node is to hold from what it holds. False: it keeps that.
  @usableFromInline func storeChange<Value: Sendable>(
    _ arrival: Arrival<Value>, _ delivery: Delivery, _ version: inout Version,
    _ flags: inout NodeFlags, sender: NodePointer?, in turn: TurnPointer
  ) -> Bool {
    if case .decision(let body) = arrival {
      switch decided(by: body) {
      case .keep: return false
      case .store(let value): storeAfterEvent(value) { version = noteVersion(delivery) }
      case .clear:
        clearValue(Value.self) { version = noteVersion(delivery) }
        flags.insert(.emptied)
      }
      return true
    }
    guard let body = arrival.asAttempt, let value = changed(Value.self, by: body) else {
      if !turn.pointee.isTraced { return false }
      if case .change = arrival {
        traceNothingToChange(delivery, in: turn)
      } else {
        traceStop(.filtered, wave: delivery.origin, from: sender, in: turn)
      }
      return false
    }
    store(value) { version = noteVersion(delivery) }
    return true
  }

  /// What is stored has this version.
  @usableFromInline func noteVersion(_ delivery: Delivery) -> Version {
    let (wave, tiebreak) = version(for: delivery)
    if tiebreak != 0 { noteTiebreak(wave, tiebreak) }
    pointee.wave.store(wave, ordering: .releasing)
    return (wave, tiebreak)
  }

  /// The part that needs no type. Compiled once, in the library, like everything on the slow ways that can be.
  @usableFromInline func noteStored(
    _ version: Version, _ delivery: Delivery, _ carried: NodeFlags, sender: NodePointer?,
    in turn: TurnPointer
  ) {
    let wave = version.number, flags = version.tiebreak == 0 ? carried : carried.with(.late)
    pointee.sender.store(sender, ordering: .relaxed)
    pointee.flags.insert(flags)
    if let context = delivery.wave.context { keepContext(context) }
    turn.pointee.wave.number = wave
    turn.pointee.wave.flags = flags
    turn.pointee.wave.context = delivery.wave.context
    if turn.pointee.isTraced {
      if delivery.rules.has(.set), easyreact_has_tracer() { noteTracedStart(of: wave) }
      traceStored(
        origin: delivery.origin, rules: delivery.rules, from: sender, in: turn)
    }
  }

  /// The frequent cases of `assignVersion`: a set that did not have to wait, and what comes over an ordinary edge.
  @inline(__always) private func version(
    for delivery: Delivery
  ) -> Version {
    if !delivery.rules.has(.filtered.with(.waited)) && !hasReached(delivery.wave.number) {
      return (delivery.wave.number, delivery.tiebreak)
    }
    return assignVersion(delivery)
  }

  @usableFromInline func noteTracedStart(of wave: UInt64) {
    pointee.flags.insert(.context)  // so `dropInFlight` looks
    sideTable().isTracedStart.store(true, ordering: .relaxed)
    let flags = beginUntold()
    traceWave(wave, began: true)
    endUntold(flags)
  }
}
