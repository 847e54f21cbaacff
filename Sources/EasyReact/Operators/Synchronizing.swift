import Synchronization

extension Node {
  /// Keeps two nodes equal: a set of either goes to the other.
  ///
  ///     let a = MutableNode<Int>(), b = MutableNode(2)
  ///     let sync = a.sync(with: b)            // a.value == 2
  ///     a.value = 3                           // b.value == 3
  ///     sync.cancel()
  ///
  /// At first the other side wins if it is not empty, and hears its value once more; else this
  /// side's value goes over. Each side is told once a set, also in a ring or a full mesh of syncs.
  /// A sync does not keep its nodes alive: when one is released it is over. Dropping the result
  /// does not end it. A node synced with itself: nothing happens.
  @discardableResult
  @inlinable
  public final func sync(with other: Node<Value>) -> any Cancelable {
    sync(with: other, transform: { $0 }, revert: { $0 })
  }

  /// Keeps two nodes of different types in step. `transform` makes the other's value this one's,
  /// `revert` the reverse.
  ///
  ///     celsius.sync(with: fahrenheit, transform: { ($0 - 32) / 1.8 }, revert: { $0 * 1.8 + 32 })
  @discardableResult
  @inlinable
  public final func sync<Other: Sendable>(
    with other: Node<Other>, transform: @escaping @Sendable (Other) -> Value,
    revert: @escaping @Sendable (Value) -> Other
  ) -> any Cancelable {
    join(other, half(of: other, to: self, transform), half(of: self, to: other, revert))
  }

  @usableFromInline final func join<Other: Sendable>(
    _ other: Node<Other>, _ here: Transform<Other, Value>, _ there: Transform<Value, Other>
  ) -> any Cancelable {
    if other as AnyNode === self { return ClosureCancelable.over }
    let turn = currentTurn()
    enter(turn)
    var isAttached = true
    let older = newWave()  // than the first push of `here`, whoever makes that
    here.setEnds { from, to in
      (from, to) = (other, self)
    } attach: { edge, turn in
      isAttached = attachNow(edge, turn)
    }
    there.setEnds { from, to in
      (from, to) = (self, other)
    } attach: { edge, turn in
      if isAttached {
        attachNow(edge, turn)
      } else {
        // A thread that is inside `other` brings its value here later: only if it has none does this
        // side's value count.
        edge.pointee.flags.bitwiseOr(EdgeFlags.yields, ordering: .relaxed)
        attachNow(edge, turn, number: older)
      }
    }
    leave(turn)
    return SyncCancelable(here, there)
  }
}

@inlinable func half<Input, Output>(
  of _: Node<Input>, to _: Node<Output>, _ transform: @escaping @Sendable (Input) -> Output
) -> Transform<Input, Output> {
  Transform(.sync) {
    LifeParts { up, edge, turn in
      pass(withValue(of: up, transform), over: edge, from: up, turn)
    }
  }
}

private final class SyncCancelable: Cancelable {
  /// With the numbers of their lives, if they have one.
  private let halves: [(transform: AnyTransform, number: Int?)]

  init(_ here: AnyTransform, _ there: AnyTransform) {
    halves = [here, there].map { ($0, $0.numberOfLife) }
  }

  func cancel() {
    for half in halves { if let number = half.number { half.transform.cutLife(number) } }
  }
}
