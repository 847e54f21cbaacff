import Observation
import Synchronization

extension Node {
  /// Returns a node of what `read` reads from `@Observable` objects.
  ///
  ///     @MainActor func watch(_ person: Profile) -> Listening {      // an @Observable class
  ///       let name = Node.observing { person.name }                  // Node<String>
  ///       let listening = name.listen { print($0) }                  // Ada
  ///       person.name = "Grace"                                      // Grace, when the main actor comes to it
  ///       return listening
  ///     }
  ///
  /// It holds what `read` returns now, and is told anew after each change of what the closure read: once for
  /// changes that the main actor made together, later on the main actor, even if the value is the same as
  /// before. The closure is kept, and is run, as long as somebody holds the node or what follows it. Observation has no way to end
  /// a watch: for a node that is gone, each object that the closure read keeps some 600 bytes until such a property changes. So where
  /// nodes come and go beside settings that hardly ever change, make one, keep it, and derive from it.
  ///
  /// The objects are the main actor's: one that is changed on another thread (which takes an `@unchecked
  /// Sendable` one) may be read before the change is made, for that is when Observation tells of it. Known as
  /// `Observations` in Swift 6.2, as `withObservationTracking` before, which tells once and before the change.
  /// - Complexity: O(n) in the properties that the closure reads, for each change.
  @MainActor public static func observing(
    file: StaticString = #fileID, line: UInt = #line, _ read: @escaping @MainActor () -> Value
  ) -> Node<Value> {
    let node: MutableNode<Value> = makeSource(nil, isMutable: false, SourceLocation(file, line))
    let reader = ObjectReader(read)
    reader.to = node  // which keeps it
    reader.read()
    return node
  }
}

/// Reads the objects, and again after each change.
private final class ObjectReader<Value: Sendable>: NodeTransform<Value, Value>, @unchecked Sendable
{
  // Unchecked: adds a constant, a closure of the main actor's.
  private let body: @MainActor () -> Value

  init(_ body: @escaping @MainActor () -> Value) {
    self.body = body
    super.init(.observing) { EdgeParts { _, _, _ in false } }
  }

  @MainActor func read() {
    send(
      withObservationTracking(body) { [weak self] in
        // Observation keeps this closure when the node is gone: there may be many.
        if self == nil { return }
        // Before the change; a tracker is told once, so changes made together are one reading.
        MainScheduler().schedule { MainActor.assumeIsolated { self?.read() } }
      })
  }
}
