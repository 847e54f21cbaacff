import HashTreeCollections
import Synchronization

/// A value on its way through a `switch`, with its key.
public struct Switch<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// Nil: the value has no key.
  public let key: Key?
  public let value: Value
  /// Of the key, on the way to one of many cases.
  @usableFromInline let hash: Int

  @inlinable init(key: Key?, value: Value, hash: Int = 0) {
    (self.key, self.value, self.hash) = (key, value, hash)
  }
}

/// The branches of a `switch`: each is made when it is asked for, and forgotten when nobody holds
/// it any more.
///
///     let lines = script.switch { line in speaker(of: line) }
///     let ada = lines.case("Ada")           // her lines
///     let rest = lines.default              // lines without a speaker
///     let lost = lines.unmatched            // lines of speakers that nobody asked for
public struct Switched<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The node that all branches come from: each value with its key.
  public let node: Node<Switch<Key, Value>>
  @usableFromInline let asked = Asked<Key>()
  @usableFromInline let index = CaseIndex<Key, Value>()

  @usableFromInline init(_ node: Node<Switch<Key, Value>>) { self.node = node }

  /// The values with this key. Attached late, the node holds the present value if that value's key is
  /// this one, else none. The cases of one key hear a value in the order in which they were made.
  ///
  /// The first few come from ``node``, the others from nodes in between that divide the keys further.
  ///
  /// - Complexity: O(log n) a value, with n cases. If keys are not known beforehand, and for O(1),
  ///   see ``Node/groupBy(file:line:_:)``.
  @inlinable public func `case`(
    _ key: Key, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value> {
    let location = SourceLocation(file, line)
    let (index, home) = index.home(of: key.hashValue, from: node) { index, digit, node in
      index.makeNode(for: digit, below: node, location)
    }
    let asking = Asking(asked, key, from: index)
    return branch(.case, of: home, location) { $0 == asking.key }
  }

  /// The values without a key. Values with a key that nobody asked for are not among them: see
  /// ``unmatched``.
  @inlinable public var `default`: Node<Value> {
    branch(.default, of: node, node.storage.pointee.location) { $0 == nil }
  }

  /// The values whose key nobody asked for by a `case` that still lives.
  @inlinable public var unmatched: Node<Value> {
    branch(.unmatched, of: node, node.storage.pointee.location) { [asked] in
      if let key = $0 { !asked.contains(key) } else { false }
    }
  }

  /// A property cannot tell where it was asked for: its node is made where the `switch` is.
  @inlinable func branch(
    _ kind: OperatorKind, of node: Node<Switch<Key, Value>>, _ location: SourceLocation,
    _ isMeant: @escaping @Sendable (Key?) -> Bool
  ) -> Node<Value> {
    node.derive(kind, location, Value.self) { up, edge, turn in
      let present = up.slot(Switch<Key, Value>.self)
      if !isMeant(present.pointee.key) { return edge.stop(.filtered, in: turn) }
      return edge.pass(present.pointee.value, from: up, in: turn)
    }
  }
}

/// How many cases each key has.
@usableFromInline final class Asked<Key: Hashable & Sendable>: Sendable {
  private let counts = Mutex<TreeDictionary<Key, Int>>([:])
  @usableFromInline func contains(_ key: Key) -> Bool { snapshot[key] != nil }
  func add(_ key: Key) { change(key, by: 1) }
  func remove(_ key: Key) { change(key, by: -1) }

  /// `hash` and `==` are the user's, so they run on a copy, outside of the lock; a change that
  /// another thread made meanwhile is found by its version, and this one is made again. The copies of a
  /// tree share all but what changes, so n cases take O(n log n).
  private let version = Atomic<Int>(0)
  private var snapshot: TreeDictionary<Key, Int> { counts.withLock { $0 } }

  private func change(_ key: Key, by amount: Int) {
    // A key that is not equal to itself, like `Double.nan`, is the key of no value, and would not be found here again.
    if key != key { return }
    while true {
      let (before, seen) = counts.withLock { ($0, version.load(ordering: .relaxed)) }
      var after = before
      let count = (after[key] ?? 0) + amount
      after[key] = count == 0 ? nil : count
      let isDone = counts.withLock { counts in
        if version.load(ordering: .relaxed) != seen { return false }
        version.wrappingAdd(1, ordering: .relaxed)
        swap(&counts, &after)
        return true
      }
      if isDone { return }
    }
  }
}

/// Lives as long as the edge of a case.
@usableFromInline final class Asking<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline let key: Key
  private let asked: Asked<Key>
  private let index: CaseIndex<Key, Value>
  @usableFromInline init(_ asked: Asked<Key>, _ key: Key, from index: CaseIndex<Key, Value>) {
    self.asked = asked
    self.key = key
    self.index = index
    asked.add(key)
  }
  deinit {
    asked.remove(key)
    index.giveBack()
  }
}

extension Node {
  /// Parts the values by a key; see ``Switched``.
  ///
  ///     let signs = number.switch { $0 < 0 ? "minus" : nil }
  ///     signs.case("minus"); signs.default
  ///
  /// The closure runs once a value. Nil is no key: such values go to `default`.
  @inlinable public final func `switch`<Key: Hashable & Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ key: @escaping @Sendable (Value) -> Key?
  ) -> Switched<Key, Value> {
    switchMap(file: file, line: line) { (key($0), $0) }
  }

  /// Parts the values by a key and maps them in one step.
  @inlinable public final func switchMap<Key: Hashable & Sendable, Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> (Key?, Output)
  ) -> Switched<Key, Output> {
    Switched(
      derive(.switch, SourceLocation(file, line), Switch<Key, Output>.self) { up, edge, turn in
        let (key, value) = transform(up.slot(Value.self).pointee)
        return edge.pass(Switch(key: key, value: value), from: up, in: turn)
      })
  }

  /// Parts the values into those for which `condition` holds and the others.
  ///
  ///     let signs = number.if { $0 > 0 }
  ///     signs.then { plus in plus.map { "+\($0)" } }.else { rest in rest.map { "\($0)" } }
  ///     signs.thenNode; signs.elseNode      // the two halves as nodes
  ///
  /// The closure runs once a value.
  @inlinable public final func `if`(
    file: StaticString = #fileID, line: UInt = #line,
    _ condition: @escaping @Sendable (Value) -> Bool
  ) -> IfResult<Value> {
    let parted = self.switch(file: file, line: line, condition)
    return IfResult(
      thenNode: parted.case(true, file: file, line: line),
      elseNode: parted.case(false, file: file, line: line))
  }
}

/// The two branches of an `if`.
public struct IfResult<Value: Sendable>: Sendable {
  @usableFromInline init(thenNode: Node<Value>, elseNode: Node<Value>) {
    (self.thenNode, self.elseNode) = (thenNode, elseNode)
  }

  /// The values for which the condition holds.
  public let thenNode: Node<Value>
  /// The others.
  public let elseNode: Node<Value>

  /// Calls `body` with the node of the values for which the condition holds, at once.
  @discardableResult
  public func then(_ body: (Node<Value>) -> Void) -> IfResult {
    body(thenNode)
    return self
  }

  /// Calls `body` with the node of the others, at once.
  @discardableResult
  public func `else`(_ body: (Node<Value>) -> Void) -> IfResult {
    body(elseNode)
    return self
  }
}
