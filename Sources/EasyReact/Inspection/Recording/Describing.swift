import Synchronization

// How a recording keeps values. Late: the bytes are copied, and described when somebody asks. At once: where the bytes
// would keep nothing alive that they point to, or are too many.

/// The numbers are those of `easyreact_manner_…`.
enum TraceManner: UInt8 { case undecided, bytes, text }

/// Of a type of values, as a node's storage has them.
struct TraceLayout {
  let offset, size: Int
  let manner: TraceManner

  init(of type: any Any.Type) {
    func look<Value>(_: Value.Type) -> (Int, Int, TraceManner) {
      (valueOffset(Value.self), MemoryLayout<Value>.size, TraceLayout.manner(of: Value.self))
    }
    (offset, size, manner) = look(type)
  }

  /// Bytes are described later only if they cannot point anywhere: fewer than a pointer has, or numbers.
  private static func manner<Value>(of type: Value.Type) -> TraceManner {
    if !_isPOD(type) || MemoryLayout<Value>.size > 16 { return .text }
    if MemoryLayout<Value>.size < MemoryLayout<UnsafeRawPointer>.size || isNumber(type) {
      return .bytes
    }
    return .undecided
  }

  /// Of a value of a trivial type. A struct's or a tuple's elements are the same in all values; an enum's are not.
  static func manner(of value: some Any) -> TraceManner {
    isOfNumbers(value, depth: 4) ? .bytes : .text
  }

  private static func isNumber(_ type: any Any.Type) -> Bool {
    if type is any Plain.Type { return true }
    guard let optional = type as? any OptionalValue.Type else { return false }
    return isNumber(optional.wrappedType)
  }

  private static func isOfNumbers(_ value: Any, depth: Int) -> Bool {
    if isNumber(Swift.type(of: value)) { return true }
    if depth == 0 || value is any CustomReflectable { return false }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .tuple || mirror.displayStyle == .struct else { return false }
    return mirror.children.allSatisfy { isOfNumbers($0.value, depth: depth - 1) }
  }
}

/// Types whose bytes are all that there is to them.
private protocol Plain {}
extension Int: Plain {}
extension Int8: Plain {}
extension Int16: Plain {}
extension Int32: Plain {}
extension Int64: Plain {}
extension UInt: Plain {}
extension UInt8: Plain {}
extension UInt16: Plain {}
extension UInt32: Plain {}
extension UInt64: Plain {}
extension Float: Plain {}
extension Double: Plain {}
extension Bool: Plain {}
extension Duration: Plain {}
extension Unicode.Scalar: Plain {}

private protocol OptionalValue { static var wrappedType: any Any.Type { get } }
extension Optional: OptionalValue {
  fileprivate static var wrappedType: any Any.Type { Wrapped.self }
}

// MARK: - At once

/// User code that runs because somebody looks, in the middle of what is looked at: what it sets is no part of a batch that is
/// open; nor is what it reads, or sets, part of a derivation whose closure runs.
func aside<Result>(_ body: () -> Result) -> Result {
  let turn = currentTurn()
  let batch = turn.pointee.batch
  turn.pointee.batch = nil
  defer { turn.pointee.batch = batch }
  return untracked(body)
}

/// The value of a node is made into text. A node that is found in it is described without its value, which may lead back to where this
/// began, or on and on.
func describing<Result>(_ body: () -> Result) -> Result {
  let turn = currentTurn(), outer = turn.pointee.describesAt
  turn.pointee.describesAt = turn.pointee.depth.load(ordering: .relaxed)
  defer { turn.pointee.describesAt = outer }
  return body()
}

/// Not in a listener that runs because the description sets something.
func isInDescription() -> Bool {
  let turn = currentTurn()
  return turn.pointee.describesAt == turn.pointee.depth.load(ordering: .relaxed)
}

/// A description that was cut, and a number that equal values have in common.
struct Described {
  let text: String
  let hash: UInt64

  /// - Parameter limit: In characters; where something is left out an ellipsis follows.
  init<Value>(_ value: Value, limit: Int) {
    // Not what an optional holds, which is described with its quotes.
    if Value.self == String.self, let text = value as? String {
      self.text = text.cut(at: limit)
      hash = UInt64(truncatingIfNeeded: text.hashValue)
      return
    }
    (text, hash) = aside { describing { Described.textAndHash(of: value, limit) } }
  }

  private static func textAndHash<Value>(of value: Value, _ limit: Int) -> (String, UInt64) {
    if let many = value as? any BrieflyDescribed, many.count > limit {
      // The elements after the cut are not looked at, so nothing is known of them.
      return (many.brief(limit), unlike.wrappingAdd(1, ordering: .relaxed).newValue)
    }
    let whole = String(describing: value)
    return (whole.cut(at: limit), UInt64(truncatingIfNeeded: hash(of: value, whole)))
  }

  /// A type may give many values one hash, so it takes both to be equal. Equal sets may be described in different orders.
  private static func hash<Value>(of value: Value, _ whole: String) -> Int {
    var hasher = Hasher()
    if let hashable = value as? any Hashable {
      hasher.combine(hashable.hashValue)
      if (value as? any BrieflyDescribed)?.hasOrder == false { return hasher.finalize() }
    } else if Value.self is any AnyObject.Type {
      return ObjectIdentifier(value as AnyObject).hashValue
    }
    hasher.combine(whole)
    return hasher.finalize()
  }

  private static let unlike = Atomic<UInt64>(0)
}

extension String {
  package func cut(at limit: Int) -> String {
    // Bytes are at least as many as characters.
    if utf8.count <= limit { return self }
    guard let end = index(startIndex, offsetBy: limit, limitedBy: endIndex), end < endIndex else {
      return self
    }
    return self[..<end] + "…"
  }
}

/// Collections that may be long: the first elements are enough.
private protocol BrieflyDescribed {
  var count: Int { get }
  /// Are equal ones described in one order?
  var hasOrder: Bool { get }
  func brief(_ limit: Int) -> String
}

extension BrieflyDescribed {
  fileprivate func join(_ parts: some Sequence<String>, _ limit: Int) -> String {
    var text = "[", count = 1
    for part in parts {
      // A part may begin with what belongs to the character before, so the sum may be too much.
      if count > limit { count = text.count }
      if count > limit { break }
      let next = text.utf8.count == 1 ? part : ", " + part
      text += next
      count += next.count
    }
    return text.cut(at: limit)
  }
}

extension Array: BrieflyDescribed {
  fileprivate var hasOrder: Bool { true }
  fileprivate func brief(_ limit: Int) -> String {
    join(lazy.map { String(reflecting: $0) }, limit)
  }
}
extension Set: BrieflyDescribed {
  fileprivate var hasOrder: Bool { false }
  fileprivate func brief(_ limit: Int) -> String {
    join(lazy.map { String(reflecting: $0) }, limit)
  }
}
extension Dictionary: BrieflyDescribed {
  fileprivate var hasOrder: Bool { false }
  fileprivate func brief(_ limit: Int) -> String {
    join(lazy.map { "\(String(reflecting: $0)): \(String(reflecting: $1))" }, limit)
  }
}
