import EasyReact
import Synchronization

/// The shared nodes of a store: one per name. A store is made with it, and has nothing else to do with it.
public final class SharedNodes: Sendable {
  private struct State {
    /// Weak: a node lives as long as somebody holds it.
    var nodes: [String: WeakNode] = [:]
    var connecting: Listening?
  }
  private struct WeakNode {
    weak var node: AnyNode?
    weak var replica: (any AnyReplica)?
  }
  private let state = Mutex(State())

  /// How many sets of one node may wait for the store. More are joined with the newest of them.
  public let limit: Int
  /// Tells the writes of this store's nodes from those of all others, in other processes and in this one.
  let writer: UInt64
  private let sequences = Atomic<UInt64>(0)

  /// - Parameter limit: One or more; anything else stops with a message.
  public init(limit: Int = 1_000) {
    if limit < 1 {
      fatalError("SharedNodes(limit: \(limit)): the limit is not positive. Pass one or more.")
    }
    self.limit = limit
    writer = UInt64.random(in: 1...UInt64.max)
  }

  /// For tests, whose histories name their writers.
  package init(limit: Int = 1_000, writer: UInt64) {
    self.limit = limit
    self.writer = writer
  }

  /// The next write of this store's nodes.
  func nextSequence() -> UInt64 { sequences.wrappingAdd(1, ordering: .relaxed).newValue }

  func find(_ key: String) -> AnyNode? { state.withLock { $0.nodes[key]?.node } }

  /// The node that has the name: this one, unless another thread was first.
  func insert(_ node: AnyNode, _ replica: any AnyReplica, _ key: String) -> AnyNode {
    state.withLock { state in
      if let first = state.nodes[key]?.node { return first }
      state.nodes[key] = WeakNode(node: node, replica: replica)
      return node
    }
  }

  /// A node of this name is gone.
  func remove(_ key: String) {
    let present = state.withLock { state -> AnyNode? in
      let present = state.nodes[key]?.node
      if present == nil { state.nodes[key] = nil }
      state.nodes.shrinkIfSparse()
      return present
    }
    // Whoever else held it may have let go meanwhile: it must not die, and come here, under the lock.
    _ = consume present
  }

  /// When the store can be reached again, what waits goes on.
  func follow(_ connection: Node<StoreConnection>) {
    if state.withLock({ $0.connecting != nil }) { return }
    let listening = connection.listen { [weak self] connection in
      if connection.isConnected { self?.goOn() }
    }
    let spare = state.withLock { state -> Listening? in
      if state.connecting != nil { return listening }
      state.connecting = listening
      return nil
    }
    spare?.cancel()
  }

  private func goOn() {
    let replicas = state.withLock { $0.nodes.values.compactMap(\.replica) }
    for replica in replicas { replica.goOn() }
  }
}

extension SharedStore {
  /// Returns the node of this name in this store.
  ///
  ///     let price = store.node("price", of: Int.self)
  ///     store.node("price", of: Int.self) === price      // true
  ///
  /// A name that no store can have gives a node that works here alone; its ``SharedNode/status`` says so. A second request
  /// for other values, or with another `telling`, stops with a message; its `merge` and `coding` are those of the first.
  ///
  /// - Parameters:
  ///   - name: Letters, digits and `- _ / = .` of ASCII.
  ///   - telling: Which of the values that others set are told.
  ///   - merge: Decides when a set has met one that knew nothing of it; without `merge` what was set here comes later, and wins.
  ///
  /// `merge` gets what both began with, what was set here, and what the store has now; nil stands for no value. It may run several
  /// times, and runs while nobody else is inside the node.
  public func node<Value: Codable & Sendable>(
    _ name: String, of type: Value.Type, telling: SharedTelling = .newest,
    merge: (@Sendable (_ base: Value?, _ mine: Value?, _ theirs: Value?) -> Value?)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> SharedNode<Value> {
    node(
      name, of: type, coding: .standard, telling: telling, merge: merge, file: file, line: line)
  }

  /// The same for values that are turned into bytes by `coding`.
  public func node<Value: Sendable>(
    _ name: String, of type: Value.Type, coding: SharedCoding<Value>,
    telling: SharedTelling = .newest,
    merge: (@Sendable (_ base: Value?, _ mine: Value?, _ theirs: Value?) -> Value?)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> SharedNode<Value> {
    if let present = nodes.find(name) {
      return expect(present, name, telling, SharedNode<Value>.self)
    }
    let rules = ReplicaRules(telling: telling, limit: nodes.limit, merge: merge)
    let replica = Replica(self, name, coding, rules)
    let made = SharedNode(replica, file: file, line: line)
    replica.begin(made)
    let first = nodes.insert(made, replica, name)
    if first !== made { return expect(first, name, telling, SharedNode<Value>.self) }
    nodes.follow(connection)
    replica.watch()
    return made
  }

  private func expect<Value: Sendable>(
    _ node: AnyNode, _ name: String, _ telling: SharedTelling, _: SharedNode<Value>.Type
  ) -> SharedNode<Value> {
    guard let found = node as? SharedNode<Value> else {
      fatalError(
        "EasyReact: store.node(\"\(name)\"): the node is of \(node.valueType), made at "
          + "\(node.created.file):\(node.created.line), and not of \(Value.self). Ask for its type, or choose another name."
      )
    }
    if found.telling != telling {
      fatalError(
        "EasyReact: store.node(\"\(name)\"): the node tells .\(found.telling), made at "
          + "\(node.created.file):\(node.created.line), and not .\(telling). Ask for it alike everywhere."
      )
    }
    return found
  }
}
