import CEasyReact
import Synchronization

/// A node whose value's type is not known: what a walk of the graph meets.
///
///     let a = MutableNode(1).named("price")
///     let b = a.map { $0 * 2 }
///     b.upstreamNodes.map(\.name)          // ["price"]
///
/// A node is a reference-counted handle. It lives as long as somebody holds it or anything
/// downstream of it: edges and listeners own what lies upstream of them. Every member may be used
/// from any thread.
public class AnyNode: @unchecked Sendable {
  // Unchecked: `storage` is constant, and what it points to has its own guards
  // (Engine/Graph/NodeStorage.swift).
  @usableFromInline final let storage: NodePointer

  @usableFromInline init(adopting storage: NodePointer) {
    self.storage = storage
    publish()
  }

  /// It is published when all its edges are in their lists.
  @usableFromInline init(unpublished storage: NodePointer) { self.storage = storage }

  /// From here on others find the node. Before that, nothing is made to follow it: so the edges that its maker puts above it close no
  /// cycle.
  @inlinable @inline(__always) final func publish() {
    storage.pointee.handle.store(
      UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()), ordering: .releasing)
    if easyreact_is_traced() { storage.traceMade() }
  }

  deinit { storage.nodeIsGone() }

  /// A number that no other node of this process has.
  public final var id: UInt64 { storage.pointee.id }

  /// The name for people: in pictures, snapshots and messages. Any thread; nil at first.
  public final var name: String? {
    get { storage.name }
    set { storage.attachments().state.withLock { $0.name = newValue } }
  }

  /// Where the node was made: file and line of the call.
  public final var created: (file: String, line: Int) {
    (storage.pointee.location.file, Int(storage.pointee.location.line))
  }

  /// Are its values never described? `isPrivate` of the product `EasyReactInspection`.
  package final var hidesValues: Bool {
    get { storage.isPrivate }
    set {
      storage.attachments().state.withLock { $0.isPrivate = newValue }
      if let record = storage.traceRecord() { easyreact_set_private(record, newValue) }
    }
  }

  /// Does the node hold no value?
  public var isEmpty: Bool { true }

  /// May it be set? True for good once it is.
  public final var isMutable: Bool {
    storage.pointee.has(.isMutable) || storage.anyLens != nil
  }

  /// Has the node lost an upstream edge that it computes from? A combine or zip then tells nothing
  /// any more.
  public final var isTerminated: Bool {
    storage.pointee.join?.pointee.isTerminated.load(ordering: .acquiring) ?? isZipTerminated
  }

  /// The present value with its type erased; nil when the node is empty.
  public var anyValue: (any Sendable)? { nil }
  /// The present value for people; nil when the node is empty.
  final var describedValue: String? {
    untracked {
      anyValue.map { value in
        hidesValues ? "private" : describing { String(describing: value) }
      }
    }
  }
  /// For a recording or a tracer: what is stored, or the event that is told, by the holder, described. Nil: nothing is stored.
  func described(isEvent: Bool, _ limit: Int) -> Described? { nil }
  func traceManner(isEvent: Bool) -> TraceManner { .undecided }
  /// For a trivial type of 16 bytes at most, on any thread.
  func copyStored(to place: UnsafeMutableRawPointer) {}
  /// The type of the values.
  public var valueType: Any.Type { Never.self }
  /// The type of a transform between nodes of these types; see `transform(of:)`.
  class func transformType(from up: AnyNode.Type) -> AnyNodeTransform.Type { AnyNodeTransform.self }
  class func transformType<Output: Sendable>(to _: Output.Type) -> AnyNodeTransform.Type {
    AnyNodeTransform.self
  }
  var isZipTerminated: Bool { storage.pointee.sideTableIfAny()?.termination?.isTerminated ?? false }
}

extension AnyNode: Hashable {
  /// Nodes are equal when they are the same node.
  public static func == (a: AnyNode, b: AnyNode) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AnyNode: CustomStringConvertible {
  /// `Node<Int>(price: 15)`; an empty or nameless node says so. A node that is, or lies in, the value of another node is described
  /// there without its own, as `Node<Int>(price: …)`: values may lead back to the node that holds them.
  public var description: String {
    let value = isInDescription() ? "…" : describedValue ?? "empty"
    return "Node<\(valueType)>(\(name ?? "unnamed"): \(value))"
  }

  /// For messages: which node, and where it was made.
  var whereabouts: String {
    let name = name.map { "“\($0)”" } ?? "unnamed"
    return "node \(name) of \(valueType), made at \(created.file):\(created.line)"
  }
}
