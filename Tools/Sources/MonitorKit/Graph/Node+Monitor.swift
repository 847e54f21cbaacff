import EasyReact

/// A value and the one before it; `then` is missing at the first.
struct ThenAndNow<Value: Sendable>: Sendable {
  var then: Value?
  var now: Value?
}

extension Node {
  /// A node of each value with the one before it.
  func thenAndNow() -> Node<ThenAndNow<Value>> {
    scan(ThenAndNow<Value>()) { ThenAndNow(then: $0.now, now: $1) }
      .named("\(name ?? "a node"), then and now")
  }

  /// A node that computes one value from this node's and another's, once for both.
  func joined<Other: Sendable, Result: Sendable>(
    with other: Node<Other>, _ name: String,
    _ compute: @escaping @Sendable (Value, Other) -> Result
  ) -> Node<Result> {
    combine(other).named("\(name) inputs").map { compute($0.0, $0.1) }.named(name)
  }

  /// A node of the rates at which this node's counters change: `rates` of the counters before,
  /// those now, and the seconds between; none at the first sample.
  func rates<Block, Rate: Sendable>(
    over seconds: Node<Double?>, _ name: String,
    _ rates: @escaping @Sendable (_ old: [Block], _ new: [Block], _ seconds: Double) -> [Rate]
  ) -> Node<[Rate]> where Value == [Block] {
    thenAndNow().joined(with: seconds, name) { counters, seconds in
      guard let then = counters.then, let now = counters.now, let seconds, seconds > 0 else {
        return []
      }
      return rates(then, now, seconds)
    }
  }
}
