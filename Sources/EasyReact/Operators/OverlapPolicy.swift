/// What becomes of a value that comes while a call for an earlier one is under way.
///
///     let paid = number.mapAsync(.dropWhileBusy) { amount in await bank.pay(amount) }
///
/// An argument of `mapAsync`.
public enum OverlapPolicy: Sendable, Hashable {
  /// It cancels the call, whose result is never told, and its own call begins at once: for what is looked
  /// up while somebody types. Known as `flatMapLatest` in RxSwift, `switchMap` in RxJS.
  case latest
  /// At most `maxConcurrent` calls at a time; further values wait, first in, first out. Results are told in the order
  /// of the values, so one that is early waits for those before it. With one at a time it is
  /// `concatMap` of Rx.
  ///
  /// Nothing is left out, and there is no limit to what may wait: if more is set than the calls can
  /// answer in the long run, use `latest`, `dropWhileBusy` or a
  /// ``Node/throttleLatest(_:on:file:line:)`` before.
  case ordered(maxConcurrent: Int)
  /// The same, but results are told as they come: `mergeMap` of Rx.
  case unordered(maxConcurrent: Int)
  /// It is dropped: for a button that must not pay twice. Known as `flatMapFirst` in RxSwift,
  /// `exhaustMap` in RxJS.
  case dropWhileBusy
}

/// The same for the machine.
struct CallPlan: Sendable {
  enum WhenFull: Sendable { case cancels, waits, drops }
  /// How many calls are under way at most.
  let limit: Int
  /// What becomes of another value then.
  let whenFull: WhenFull
  /// Does a result wait for those of earlier values?
  let keepsOrder: Bool

  init(_ policy: OverlapPolicy, _ operation: String, _ node: AnyNode) {
    switch policy {
    case .latest: (limit, whenFull, keepsOrder) = (1, .cancels, false)
    case .dropWhileBusy: (limit, whenFull, keepsOrder) = (1, .drops, false)
    case .ordered(let count):
      requirePositive(count, "\(operation)(.ordered(maxConcurrent:))", node)
      (limit, whenFull, keepsOrder) = (count, .waits, true)
    case .unordered(let count):
      requirePositive(count, "\(operation)(.unordered(maxConcurrent:))", node)
      (limit, whenFull, keepsOrder) = (count, .waits, false)
    }
  }
}
