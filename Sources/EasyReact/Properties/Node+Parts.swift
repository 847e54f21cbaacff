import Synchronization

// Parts of a value as nodes: `person[\.name]`. For a `MutableNode` such a node is a lens, which can be set; for
// any other `Node` it is derived.

extension MutableNode {
  /// Returns a mutable node of a part of the value: a lens. Setting it changes that part of the whole.
  ///
  ///     let person = MutableNode(Person(name: "Ada", age: 36))
  ///     let name = person[\.name]
  ///     name.value = "Grace"
  ///     person.value                     // Person(name: "Grace", age: 36)
  ///
  /// A set, and an `update`, is one ``update(_:)`` of the whole, made where the whole is held: if two threads
  /// set two parts, neither loses anything. The lens is told whenever the whole is, even if the part is the
  /// same as before, and so is what is linked to it, also another part, which then has the linked value again even if it was set to something else;
  /// append `distinctUntilChanged()` if that is not wanted. What is synced with it is told of changes of the
  /// part alone. Parts that follow each other are all right after one set, whichever lenses they are
  /// linked through and read by. It is empty while the whole is, and then setting it does nothing, as with `update`. What is linked to it, or synced with it, goes to the whole
  /// in the same way, as long as the lens lives: so keep it, for `field.sync(with: person[\.name])` is over at once. In a ``batch(_:)`` it reads and stages its part of the whole. There the closure of an
  /// `update` runs at once, and once more when the batch ends, on what the part is then; not if the batch has set the whole.
  ///
  /// The lens keeps the whole, which does not keep the lens. Cut from its whole, by `lens.wiring.removeUpstreamNodes()`, it is told nothing any more and keeps the
  /// value that it had, but what is set to it still changes the whole. What cuts the whole from all that leads to it also cuts what is linked to
  /// its lenses. A part cannot be taken out of its whole, so `clean()`
  /// stops with a message; see ``subscript(unwrapping:file:line:)``. Known as a lens in functional
  /// programming, as `Binding`'s dynamic members in SwiftUI.
  /// - Complexity: O(1) a set, and what copying the value costs: twice in a batch, however many parts it sets. A lens of a
  ///   lens of a lens uses stack for each level: some 2,000 of them fit on 512 KiB.
  public final subscript<Part: Sendable>(
    path: any WritableKeyPath<Value, Part> & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> MutableNode<Part> {
    makeLens(EasyReact.Part(path), SourceLocation(file, line))
  }

  /// Returns a mutable node of a part that may be nil; it is empty while that is nil.
  ///
  ///     let email = person[unwrapping: \.email]       // MutableNode<String>, of a String?
  ///     email.value                                   // nil: it is empty
  ///     email.value = "ada@example.org"               // person.value?.email == "ada@example.org"
  ///     email.clean()                                 // person.value?.email == nil
  ///
  /// Setting it gives the whole that part, `clean()` takes it out; `update` does nothing while there is none. In
  /// all other respects it is a lens like ``subscript(_:file:line:)``. A lens of a lens does nothing while the outer one has
  /// nothing: `person[unwrapping: \.address][\.city]`.
  public final subscript<Part: Sendable>(
    unwrapping path: any WritableKeyPath<Value, Part?> & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> MutableNode<Part> {
    makeLens(EasyReact.Part(unwrapping: path), SourceLocation(file, line))
  }

  /// Returns a mutable node of the element at an index; it is empty while the collection has no such index.
  ///
  ///     let lines = MutableNode(["one", "two"])
  ///     let second = lines[index: 1]
  ///     second.value = "zwei"                         // lines.value == ["one", "zwei"]
  ///     lines.value = ["one"]                         // second is empty
  ///     second.value = "due"                          // there is none: nothing happens
  ///
  /// The element may go and come: another thread may take it away at any time, so setting one that is not there
  /// is no mistake, does nothing, and is told to nobody. It is the place that is followed, not what lies there: in a list whose
  /// elements move, follow them by a key. `clean()` stops with a message, for a collection has no holes: take
  /// elements out with `update` of the whole. In all other respects it is a lens like ``subscript(_:file:line:)``.
  public final subscript(
    index index: Value.Index, file: StaticString = #fileID, line: UInt = #line
  ) -> MutableNode<Value.Element>
  where
    Value: MutableCollection & RandomAccessCollection, Value.Element: Sendable,
    Value.Index: Sendable
  {
    makeLens(EasyReact.Part(index: index), SourceLocation(file, line))
  }

  /// Returns a mutable node of the value under a key; it is empty while there is none.
  ///
  ///     let stock = MutableNode(["apples": 3])
  ///     let pears = stock[key: "pears"]               // empty
  ///     pears.value = 5                               // stock.value == ["apples": 3, "pears": 5]
  ///     pears.update { $0 += 1 }                      // 6; while there are none: nothing happens
  ///     pears.clean()                                 // stock.value == ["apples": 3]
  ///
  /// In all other respects it is a lens like ``subscript(unwrapping:file:line:)``.
  public final subscript<Key: Sendable, Element: Sendable>(
    key key: Key, file: StaticString = #fileID, line: UInt = #line
  ) -> MutableNode<Element> where Value == [Key: Element] {
    makeLens(EasyReact.Part(unwrapping: \.[key]), SourceLocation(file, line))
  }

  private final func makeLens<Inner: Sendable>(
    _ part: EasyReact.Part<Value, Inner>, _ location: SourceLocation
  ) -> MutableNode<Inner> {
    let version = PartVersion<Inner> { $0.withValue(part.get) }
    let node = unsafeDowncast(
      derivePart(location, version, part.get), to: MutableNode<Inner>.self)
    let lens = lens?.lens(part, version) ?? LensOf(self, part, version)
    node.storage.attachments().state.withLock { $0.lens = lens }
    lens.begin(as: node)
    return node
  }
}

// In the protocol, so that the members of `MutableNode` stand before them.
extension ReadableNode {
  /// Returns a node of a part of the value; for a ``MutableNode``, one that can be set.
  ///
  ///     let person: Node<Person> = MutableNode(Person(name: "Ada", age: 36))
  ///     let name = person[\.name]                     // Node<String>
  ///
  /// It is told whenever this node is, and is empty while this node is.
  public subscript<Part: Sendable>(
    path: any KeyPath<Value, Part> & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Part> {
    whole.derivePart(SourceLocation(file, line)) { $0[keyPath: path] }
  }

  /// Returns a node of a part that may be nil; it is empty while that is nil.
  public subscript<Part: Sendable>(
    unwrapping path: any KeyPath<Value, Part?> & Sendable, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Node<Part> {
    whole.derivePart(SourceLocation(file, line)) { $0[keyPath: path] }
  }

  /// Returns a node of the element at an index; it is empty while the collection has no such index.
  public subscript(
    index index: Value.Index, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Value.Element>
  where Value: RandomAccessCollection, Value.Element: Sendable, Value.Index: Sendable {
    whole.derivePart(SourceLocation(file, line)) { $0.has(index) ? $0[index] : nil }
  }

  /// Returns a node of the value under a key; it is empty while there is none.
  public subscript<Key: Sendable, Element: Sendable>(
    key key: Key, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<Element> where Value == [Key: Element] {
    whole.derivePart(SourceLocation(file, line)) { $0[key] }
  }

  private var whole: Node<Value> { unsafeDowncast(self, to: Node<Value>.self) }
}

extension Node {
  /// A node of what is there, empty while there is nothing.
  fileprivate final func derivePart<Part: Sendable>(
    _ location: SourceLocation, _ version: PartVersion<Part>? = nil,
    _ get: @escaping @Sendable (Value) -> Part?
  ) -> Node<Part> {
    let edge = EdgeStorage(
      kind: .lens, up: storage, handle: Unmanaged.passRetained(self as AnyNode),
      hearsEmptiness: true, flags: .starting
    ) { up, edge, turn in
      let part = turn.isEmptied ? nil : up.withValue(get)
      if let version, version.isWatched || up.component() != nil {
        switch version.telling(part, over: edge, from: up, in: turn) {
        case .news: break
        case .waits: return false
        case .again:
          guard let part else { break }
          return edge.passSlowly(.value(part), .again(over: edge, turn), from: up, in: turn)
        }
      }
      if let part { return edge.pass(part, from: up, in: turn) }
      return edge.passSlowly(Arrival<Part>.empty, from: up, in: turn)
    }
    return derive(edge, location, Part.self)
  }
}
