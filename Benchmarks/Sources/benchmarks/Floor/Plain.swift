/// The floor of everything that is a tree: a class with a value and what follows it, as lean as one can write it
/// without a library: nothing is retained while it tells. It recurses, knows no threads, no order beyond the
/// array's, no cutting and no cycles.
final class Plain<Value> {
  private(set) var value: Value
  private let followers = Followers<Value>()

  init(_ value: Value) { self.value = value }

  func set(_ value: Value) {
    self.value = value
    followers.tell(value)
  }

  func listen(_ body: @escaping (Value) -> Void) {
    followers.append(body)
    body(value)
  }

  func map<Output>(_ transform: @escaping (Value) -> Output) -> Plain<Output> {
    let result = Plain<Output>(transform(value))
    followers.append { result.set(transform($0)) }
    return result
  }

  func filter(_ isIncluded: @escaping (Value) -> Bool) -> Plain<Value> {
    let result = Plain(value)
    followers.append { if isIncluded($0) { result.set($0) } }
    return result
  }

  func scan<Total>(_ initial: Total, _ next: @escaping (Total, Value) -> Total) -> Plain<Total> {
    let result = Plain<Total>(next(initial, value))
    followers.append { result.set(next(result.value, $0)) }
    return result
  }

  func distinct() -> Plain<Value> where Value: Equatable {
    let result = Plain(value)
    followers.append { if $0 != result.value { result.set($0) } }
    return result
  }

  func merge(_ others: [Plain<Value>]) -> Plain<Value> {
    let result = Plain(value)
    for node in [self] + others { node.followers.append { result.set($0) } }
    return result
  }

  func combine<Other>(_ other: Plain<Other>) -> Plain<(Value, Other)> {
    let result = Plain<(Value, Other)>((value, other.value))
    followers.append { result.set(($0, other.value)) }
    other.followers.append { [unowned self] in result.set((self.value, $0)) }
    return result
  }

  func zip<Other>(_ other: Plain<Other>) -> Plain<(Value, Other)> {
    let result = Plain<(Value, Other)>((value, other.value))
    let left = Ring<Value>(), right = Ring<Other>()
    followers.append {
      if let partner = right.pop() { result.set(($0, partner)) } else { left.push($0) }
    }
    other.followers.append {
      if let partner = left.pop() { result.set((partner, $0)) } else { right.push($0) }
    }
    return result
  }

  /// The last closure is the one to the present inner node, so that leaving it is cheap.
  func flattenMap<Output>(_ transform: @escaping (Value) -> Plain<Output>) -> Plain<Output> {
    var inner = transform(value)
    let result = Plain<Output>(inner.value)
    inner.followers.append { result.set($0) }
    followers.append {
      let next = transform($0)
      inner.followers.removeLast()
      next.followers.append { result.set($0) }
      inner = next
      result.set(next.value)
    }
    return result
  }
}

/// Closures in objects that are kept here and nowhere else, so that calling one retains nothing.
private final class Followers<Value> {
  private final class Follower {
    let body: (Value) -> Void
    init(_ body: @escaping (Value) -> Void) { self.body = body }
  }
  private var first: UnsafeMutablePointer<Unmanaged<Follower>>
  private var count = 0
  private var capacity = 2

  init() { first = .allocate(capacity: 2) }
  deinit {
    for index in 0..<count { first[index].release() }
    first.deallocate()
  }

  func append(_ body: @escaping (Value) -> Void) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Unmanaged<Follower>>.allocate(capacity: capacity * 2)
      larger.moveInitialize(from: first, count: count)
      first.deallocate()
      (first, capacity) = (larger, capacity * 2)
    }
    (first + count).initialize(to: .passRetained(Follower(body)))
    count += 1
  }

  func removeLast() {
    count -= 1
    first[count].release()
  }

  /// What is appended meanwhile is not told.
  @inline(__always) func tell(_ value: Value) {
    let (first, count) = (first, count)
    for index in 0..<count { first[index]._withUnsafeGuaranteedRef { $0.body(value) } }
  }
}

/// First in, first out.
private final class Ring<Value> {
  private var items: [Value] = []
  private var taken = 0

  func push(_ value: Value) { items.append(value) }

  func pop() -> Value? {
    if taken == items.count { return nil }
    defer {
      taken += 1
      if taken == items.count {
        items.removeAll(keepingCapacity: true)
        taken = 0
      }
    }
    return items[taken]
  }
}
