// Has a part been touched? Its own `==` may leave out what the user goes by, so nothing but what it holds can tell.

/// They have the same bits; or are made anew at each look, as by a computed property or a `map`, and hold the same throughout, as far as that
/// can be seen: not in objects, closures, plain values behind `any`, and types that show what they like (`CustomReflectable`).
/// - Complexity: O(what they hold).
func isUntouched<Value>(_ first: Value?, _ second: Value?) -> Bool {
  guard let first, let second else { return first == nil && second == nil }
  var looks = 64
  return holdSame(first, second, &looks)
}

/// - Parameter looks: At how many structs, tuples and enums it may still look, for each takes some microseconds, and a frame of the stack
///   where it lies in another one. What is larger counts as touched.
private func holdSame<Value>(_ first: Value, _ second: Value, _ looks: inout Int) -> Bool {
  let haveSameBits = withUnsafeBytes(of: first) { first in
    withUnsafeBytes(of: second) { second in first.elementsEqual(second) }
  }
  if haveSameBits || _isPOD(Value.self) { return haveSameBits }
  if let first = first as? any Transparent { return first.holds(whatIsIn: second, &looks) }
  return fieldsHoldSame(first, second, &looks)
}

private func fieldsHoldSame<Value>(_ first: Value, _ second: Value, _ looks: inout Int) -> Bool {
  guard looks > 0, !(first is any CustomReflectable) else { return false }
  looks -= 1
  let one = Mirror(reflecting: first), other = Mirror(reflecting: second)
  // A case without fields has other bits than another one, and so has whatever shows none.
  guard let style = one.displayStyle, [.struct, .tuple, .enum].contains(style),
    one.subjectType == other.subjectType, one.children.count == other.children.count,
    !one.children.isEmpty
  else { return false }
  for (one, other) in zip(one.children, other.children) {
    func hold<Field>(_ field: Field) -> Bool {
      (other.value as? Field).map { holdSame(field, $0, &looks) } ?? false
    }
    if one.label != other.label || type(of: one.value) != type(of: other.value)
      || !_openExistential(one.value, do: hold)
    {
      return false
    }
  }
  return true
}

/// What the standard library knows better than a mirror.
private protocol Transparent {
  func holdsSame(as other: Self, _ looks: inout Int) -> Bool
}
extension Transparent {
  fileprivate func holds(whatIsIn other: Any, _ looks: inout Int) -> Bool {
    (other as? Self).map { holdsSame(as: $0, &looks) } ?? false
  }
}
extension String: Transparent {
  // Not `==`: an accent may be a letter of its own.
  fileprivate func holdsSame(as other: String, _ looks: inout Int) -> Bool {
    utf8.elementsEqual(other.utf8)
  }
}
extension Substring: Transparent {
  fileprivate func holdsSame(as other: Substring, _ looks: inout Int) -> Bool {
    utf8.elementsEqual(other.utf8)
  }
}
extension Character: Transparent {
  fileprivate func holdsSame(as other: Character, _ looks: inout Int) -> Bool {
    utf8.elementsEqual(other.utf8)
  }
}
extension Optional: Transparent {
  fileprivate func holdsSame(as other: Wrapped?, _ looks: inout Int) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return holdSame(self, other, &looks)
  }
}
extension Array: Transparent {
  fileprivate func holdsSame(as other: [Element], _ looks: inout Int) -> Bool {
    count == other.count && zip(self, other).allSatisfy { holdSame($0, $1, &looks) }
  }
}
extension Set: Transparent {
  fileprivate func holdsSame(as other: Set<Element>, _ looks: inout Int) -> Bool {
    count == other.count
      && allSatisfy { one in
        other.firstIndex(of: one).map { holdSame(one, other[$0], &looks) } ?? false
      }
  }
}
extension Dictionary: Transparent {
  fileprivate func holdsSame(as other: [Key: Value], _ looks: inout Int) -> Bool {
    count == other.count
      && allSatisfy { key, value in
        other.index(forKey: key).map {
          holdSame(key, other[$0].key, &looks) && holdSame(value, other[$0].value, &looks)
        } ?? false
      }
  }
}
