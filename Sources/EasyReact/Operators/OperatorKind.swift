/// What an edge does: it gives the edge its name, and the traits that the engine asks for.
@usableFromInline enum OperatorKind: UInt8, Sendable, CaseIterable {
  case link, fork, map, mapReplace, compactMap, filter, ignore, select, distinctUntilChanged
  case skip, take, scan, deliver, delay, debounce, flatten, inner, `switch`, `case`, `default`
  case unmatched, combine, derived, zip, merge, sync, transform, listen
  // Beyond the original.
  case takeWhile, skipWhile, takeUntil, skipUntil, notifier
  case startWith, pairwise, enumerated, count, collect
  case withLatest, latest, sample, sampler, race
  case throttleFirst, throttleLatest, sampleEvery, buffer, timeout
  case flattenMerge, concatMap, mergeMap, exhaustMap, flattenCombine
  case groupBy, groups, group, member
  case tryMap, successes, failures, mapError, `catch`, replaceError
  case events, held, interval, timer, following, mapAsync, load
  // A part of a node; what is linked to it; what is read from objects; and the place of a part in the order.
  case lens, inlet, observing, order

  /// What an edge is called unless it has a name: `DistinctUntilChanged`.
  var name: String { Self.names[Int(rawValue)] }

  /// Made once, for each event that is read asks for one.
  private static let names = allCases.map { kind in
    let text = kind == .member ? "inner" : "\(kind)"
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  /// Does the node below compute from the value that its upstream holds, not from what it is told?
  var readsLatest: Bool {
    switch self {
    case .combine, .derived, .latest, .flattenCombine, .member: true
    default: false
    }
  }

  /// Does what comes over it arrive later: by a scheduler, a timer, a task?
  var isDeferred: Bool {
    switch self {
    case .deliver, .delay, .debounce, .throttleLatest, .sampleEvery, .buffer, .timeout: true
    case .mapAsync, .load, .following, .interval, .timer, .observing: true
    default: false
    }
  }

  /// Does a value that waits for the timer take the place of the one before it?
  var keepsNewest: Bool {
    self == .debounce || self == .throttleLatest || self == .sampleEvery || self == .buffer
  }

  /// Do nodes that only such an edge leads away from live on? A sync, and what leads into the whole of a
  /// lens, keep nothing.
  var keepsUpstream: Bool { self != .sync && self != .inlet }

  /// Of each edge of this kind.
  var flags: EdgeFlags {
    switch self {
    case .sync: .sync
    case .inlet: .intoWhole
    case .order: .ordersOnly
    default: []
    }
  }

  /// What the engine asks of it.
  @usableFromInline var traits: EdgeTraits {
    switch self {
    case .combine, .withLatest, .latest, .sample, .sampler, .zip: [.endsDownstream, .hasFixedEnds]
    case .flattenCombine: [.endsDownstream, .hasFixedEnds, .filtersItself]
    case .held, .scan, .count, .startWith, .load, .link, .sync, .transform: .keepsEvents
    case .member: [.hasFixedEnds, .tellsMark]
    case .derived: [.hasFixedEnds, .tellsMark, .keepsEvents]
    case .race, .inner, .groups, .group: .hasFixedEnds
    case .inlet: [.filtersItself, .keepsEvents]
    case .lens: .keepsVersion
    default: []
    }
  }
}

extension EdgeStorage {
  /// An edge of an operator.
  @usableFromInline init(
    kind: OperatorKind, up: NodePointer? = nil, handle: Unmanaged<AnyNode>? = nil,
    hearsEmptiness: Bool = false, flags: EdgeFlags = [], state: EdgeState? = nil,
    step: @escaping Step
  ) {
    self.init(
      kindCode: kind.rawValue, traits: kind.traits, up: up,
      handle: handle.map { Unmanaged<AnyObject>.fromOpaque($0.toOpaque()) },
      hearsEmptiness: hearsEmptiness, flags: flags, state: state, step: step)
  }

  /// What the edge does.
  @inlinable var kind: OperatorKind { unsafeBitCast(kindCode, to: OperatorKind.self) }
}
