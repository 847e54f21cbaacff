/// Keeps what it is given alive up to here.
@inline(never) func keepAlive(_ objects: AnyObject?...) {
  withExtendedLifetime(objects) {}
}

/// Something to be captured by a closure or held by a node, to see when that goes.
final class Token: Sendable {}
