// What is not done to a node: setting one that only reads, and computing with the node where its value is meant. Each says what to write
// instead; nothing in this file can be called. Tests/Compile/Mistakes.swift has the mistakes.

// MARK: - Setting

// In the protocol, so that the members of `MutableNode` stand before them.
extension ReadableNode {
  @available(
    *, unavailable,
    message:
      "A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it."
  )
  public func set(_ value: Value) { gone() }
  @available(
    *, unavailable,
    message:
      "A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it."
  )
  public func set(_ value: Value, context: (any Sendable)?) { gone() }
  @available(
    *, unavailable,
    message:
      "A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it."
  )
  public func clean() { gone() }
  @available(
    *, unavailable,
    message:
      "A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it."
  )
  public func update(_ change: @escaping @Sendable (inout Value) -> Void) { gone() }
  @available(
    *, unavailable,
    message:
      "A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it."
  )
  public func send(_ value: Value) { gone() }
  @available(
    *, unavailable,
    message:
      "A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it."
  )
  public func accept(_ value: Value) { gone() }
  @available(
    *, unavailable,
    message:
      "A `Node` cannot be set: set the `MutableNode` that it comes from, or call `mutablify()` on it."
  )
  public func onNext(_ value: Value) { gone() }
}

extension MutableNode {
  @available(*, unavailable, renamed: "set(_:)")
  public final func send(_ value: Value) { gone() }
  @available(*, unavailable, renamed: "set(_:)")
  public final func accept(_ value: Value) { gone() }
  @available(*, unavailable, renamed: "set(_:)")
  public final func onNext(_ value: Value) { gone() }
  @available(*, unavailable, renamed: "update(_:)")
  public final func modify(_ change: @escaping @Sendable (inout Value) -> Void) { gone() }
}

extension MutableNode where Value == Void {
  @available(*, unavailable, renamed: "fire()")
  public final func send() { gone() }
}

// MARK: - Time

extension Node {
  @available(*, unavailable, message: "Write the unit: `.seconds(0.3)` or `.milliseconds(300)`.")
  public final func debounce(_ seconds: Double, on scheduler: some NodeScheduler) -> Node<Value> {
    gone()
  }
  @available(*, unavailable, message: "Write the unit: `.seconds(0.3)` or `.milliseconds(300)`.")
  public final func delay(_ seconds: Double, on scheduler: some NodeScheduler) -> Node<Value> {
    gone()
  }
}

// MARK: - Computing

// `+`, `-` and `*` take any other operand, so they are disfavoured: closures whose types are wrong are not blamed on them.
extension Node {
  @available(
    *, unavailable,
    message: "Compare its value: `node.value`, which is optional, or `node.current`."
  )
  public static func == (node: Node<Value>, value: Value) -> Bool { gone() }
  @available(
    *, unavailable,
    message: "Compare its value: `node.value`, which is optional, or `node.current`."
  )
  public static func != (node: Node<Value>, value: Value) -> Bool { gone() }
  @available(
    *, unavailable,
    message: "Compare its value: `node.value`, which is optional, or `node.current`."
  )
  public static func < (node: Node<Value>, value: Value) -> Bool { gone() }
  @available(
    *, unavailable,
    message: "Compare its value: `node.value`, which is optional, or `node.current`."
  )
  public static func > (node: Node<Value>, value: Value) -> Bool { gone() }
  @available(
    *, unavailable,
    message: "Compute with values: `node.map { $0 + 1 }`, `a.combine(b).map { $0 + $1 }`."
  )
  @_disfavoredOverload
  public static func + <Other>(node: Node<Value>, other: Other) -> Node<Value> { gone() }
  @available(
    *, unavailable,
    message: "Compute with values: `node.map { $0 - 1 }`, `a.combine(b).map { $0 - $1 }`."
  )
  @_disfavoredOverload
  public static func - <Other>(node: Node<Value>, other: Other) -> Node<Value> { gone() }
  @available(
    *, unavailable,
    message: "Compute with values: `node.map { $0 * 1 }`, `a.combine(b).map { $0 * $1 }`."
  )
  @_disfavoredOverload
  public static func * <Other>(node: Node<Value>, other: Other) -> Node<Value> { gone() }
}
