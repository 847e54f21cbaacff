import Synchronization

/// What few nodes have and the engine knows nothing of: it lies in the node's side table.
final class NodeAttachments: Sendable {
  struct State {
    var name: String?
    /// Its values are never described.
    var isPrivate = false
    /// Transforms that have this node at one end and nothing at the other.
    var danglingFrom = LooseEnds(keeps: false)
    var danglingTo = LooseEnds(keeps: true)
    /// While the node is observed.
    weak var observed: MainFollower?
    /// For a node that is a part of another one; set before the node is published.
    var lens: AnyLens?
    /// For a node that has parts.
    var parts: PartTable?
    /// For the inlet of such a node: that node.
    weak var outlet: AnyNode?
  }
  let state = Mutex(State())
  let owned = Mutex(OwnedListenings())
}

extension NodePointer {
  /// Made when they are first needed.
  func attachments() -> NodeAttachments {
    if let present = attachmentsIfAny() { return present }
    let made = Unmanaged.passRetained(NodeAttachments() as AnyObject)
    let (exchanged, original) = sideTable().attachments.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    if !exchanged { made.release() }
    return unsafeDowncast(
      (exchanged ? made : original!).takeUnretainedValue(), to: NodeAttachments.self)
  }

  func attachmentsIfAny() -> NodeAttachments? {
    pointee.sideTableIfAny()?.attachments.load(ordering: .acquiring)
      .map { unsafeDowncast($0.takeUnretainedValue(), to: NodeAttachments.self) }
  }

  /// The name for people.
  var name: String? { attachmentsIfAny()?.state.withLock { $0.name } }

  /// The node, unless its handle is going. The caller keeps the storage from being freed, and holds no
  /// short lock.
  func node() -> AnyNode? { handle().map { unsafeDowncast($0, to: AnyNode.self) } }

  /// The same for a caller that holds the node's lock.
  func nodeLocked() -> AnyNode? { handleLocked().map { unsafeDowncast($0, to: AnyNode.self) } }
}

extension EdgeStorage {
  /// The upstream, where the edge keeps it.
  @usableFromInline var upNode: AnyNode? {
    upHandle.map { unsafeDowncast($0.takeUnretainedValue(), to: AnyNode.self) }
  }
}
