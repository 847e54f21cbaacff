/// What `link` returns: cutting that one life of the transform, not a later one.
final class LinkCancelable: Cancelable, Sendable {
  private weak let transform: AnyNodeTransform?
  private let number: Int

  init(_ transform: AnyNodeTransform, number: Int) {
    self.transform = transform
    self.number = number
  }

  func cancel() { transform?.cutLife(number) }
}
