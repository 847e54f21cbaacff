/// Are they one value, as far as `==` can tell, or that of all their parts if they have none?
///
/// Exact in one direction only: what cannot be looked into as a whole, an object or what has a mirror of its own, counts as another
/// value. So what differs is never taken for one.
func isSame(_ a: Any, _ b: Any) -> Bool {
  if let a = a as? any Equatable { return a.isEqual(to: b) }
  if type(of: a) != type(of: b) { return false }
  if let a = a as? [Any], let b = b as? [Any] {
    return a.count == b.count && zip(a, b).allSatisfy { isSame($0, $1) }
  }
  if let a = a as? [AnyHashable: Any], let b = b as? [AnyHashable: Any] {
    return a.count == b.count
      && a.allSatisfy { key, part in b[key].map { isSame(part, $0) } ?? false }
  }
  let (mine, theirs) = (Mirror(reflecting: a), Mirror(reflecting: b))
  if mine.children.count != theirs.children.count { return false }
  switch mine.displayStyle {
  case .optional? where a is any AnyOptional: break
  case .struct?, .enum?, .tuple?:
    // Without parts it has something that does not show, or is one of several cases.
    if a is any CustomReflectable || mine.children.isEmpty { return false }
  default: return false
  }
  return zip(mine.children, theirs.children).allSatisfy {
    $0.label == $1.label && isSame($0.value, $1.value)
  }
}

/// What says that it is an optional may be another type, with a mirror of its own.
private protocol AnyOptional {}
extension Optional: AnyOptional {}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}
