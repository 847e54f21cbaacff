/// What an edge does: it gives the edge its name, and few rules of the engine ask for it.
@usableFromInline enum OperatorKind: UInt8, Sendable, CaseIterable {
  case link, fork, map, mapReplace, compactMap, filter, ignore, select, distinctUntilChanged
  case skip, take, scan, deliver, delay, throttle, flatten, inner, `switch`, `case`, `default`
  case unmatched, combine, zip, merge, sync, transform, listen
  // Beyond the original.
  case takeWhile, skipWhile, takeUntil, skipUntil, notifier
  case startWith, pairwise, enumerated, count, collect
  case withLatest, latest, sample, sampler, race
  case throttleFirst, throttleLatest, sampleEvery, buffer, timeout
  case flattenMerge, concatMap, mergeMap, exhaustMap, flattenCombine
  case groupBy, groups, group, member
  case tryMap, successes, failures, mapError, `catch`, replaceError
  case events, held, interval, timer

  /// What an edge is called unless it has a name: `DistinctUntilChanged`.
  var name: String {
    let text = self == .member ? "inner" : "\(self)"
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  /// The node below computes from the latest value of this edge's upstream, so losing the edge ends
  /// it: `isTerminated`.
  var endsJoin: Bool {
    switch self {
    case .combine, .withLatest, .latest, .sample, .sampler, .flattenCombine: true
    default: false
    }
  }

  /// An event that goes over this edge is a value from there on.
  var keepsEvents: Bool {
    switch self {
    case .held, .scan, .count, .startWith, .link, .sync, .transform: true
    default: false
    }
  }

  /// What the edge does hangs together with other edges of its operator, so its ends cannot be set.
  var hasFixedEnds: Bool {
    switch self {
    case .zip, .race, .inner, .member, .groups, .group: true
    default: endsJoin
    }
  }
}
