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
    // The value is not the join's own, but perhaps has the number of one that is.
    if !delivery.rules.has(.ofJoin) { pointee.join?.missChange() }
    switch consume arrival {
    case .value(let value):
      if isEvent(delivery) {
        flags.insert(.event)
        storeEvent(value)
      } else {
        storeAfterEvent(value) { noteVersionEarly(Value.self, delivery) }
        return noteStored(Value.self, delivery, flags, sender: sender, in: turn)
      }
    case .empty:
      clearValue(Value.self)
      flags.insert(.emptied)
    case let change:
      return storeChange(change, delivery, flags, sender: sender, in: turn)
    }
    return noteStored(delivery, flags, sender: sender, in: turn)
  }

  /// Is the value an event: told, and not kept? The result of a change never is, nor is a value that is kept elsewhere
  /// too.
  @inlinable @inline(__always) func isEvent(_ delivery: Delivery) -> Bool {
    (delivery.wave.flags.has(.event) || pointee.flags.has(.eventNode))
      && !pointee.traits.has(.isKept)
  }

  /// Computes what the node is to hold from what it holds. False: it keeps that.
  @usableFromInline func storeChange<Value: Sendable>(
    _ arrival: Arrival<Value>, _ delivery: Delivery, _ flags: NodeFlags, sender: NodePointer?,
    in turn: TurnPointer
  ) -> Bool {
    if case .decision(let body) = arrival {
      switch decided(by: body) {
      case .keep: return false
      case .store(let value): storeAfterEvent(value) { noteVersionEarly(Value.self, delivery) }
      case .clear:
        clearValue(Value.self)
        return noteStored(delivery, flags.with(.emptied), sender: sender, in: turn)
      }
      return noteStored(Value.self, delivery, flags, sender: sender, in: turn)
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
    store(value) { noteVersionEarly(Value.self, delivery) }
    return noteStored(Value.self, delivery, flags, sender: sender, in: turn)
  }

  /// For a value whose predecessor may run user code as it dies.
  @inlinable @inline(__always) func noteVersionEarly<Value>(_: Value.Type, _ delivery: Delivery) {
    if !_isPOD(Value.self) { noteVersionEarly(delivery) }
  }

  @usableFromInline func noteVersionEarly(_ delivery: Delivery) { _ = noteVersion(delivery) }

  /// What is stored has this version.
  @inline(__always) private func noteVersion(_ delivery: Delivery) -> Version {
    let (wave, tiebreak) = version(for: delivery)
    if tiebreak != 0 { noteTiebreak(wave, tiebreak) }
    pointee.wave.store(wave, ordering: .releasing)
    return (wave, tiebreak)
  }

  /// After `noteVersionEarly`. True.
  @inlinable @inline(__always) func noteStored<Value>(
    _: Value.Type, _ delivery: Delivery, _ flags: NodeFlags, sender: NodePointer?,
    in turn: TurnPointer
  ) -> Bool {
    _isPOD(Value.self)
      ? noteStored(delivery, flags, sender: sender, in: turn)
      : noteStoredEarly(delivery, flags, sender: sender, in: turn)
  }

  /// The part that needs no type. Compiled once, in the library, like everything on the slow ways that can be. True.
  @usableFromInline func noteStored(
    _ delivery: Delivery, _ flags: NodeFlags, sender: NodePointer?, in turn: TurnPointer
  ) -> Bool {
    noteStored(noteVersion(delivery), delivery, flags, sender: sender, in: turn)
  }

  @usableFromInline func noteStoredEarly(
    _ delivery: Delivery, _ flags: NodeFlags, sender: NodePointer?, in turn: TurnPointer
  ) -> Bool {
    let version = (pointee.wave.load(ordering: .relaxed), tiebreak())
    return noteStored(version, delivery, flags, sender: sender, in: turn)
  }

  @inline(__always) private func noteStored(
    _ version: Version, _ delivery: Delivery, _ carried: NodeFlags, sender: NodePointer?,
    in turn: TurnPointer
  ) -> Bool {
    let (wave, tiebreak) = version
    let flags = tiebreak == 0 ? carried : carried.with(.late)
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
    return true
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
