extension LazyStream {
  /// An empty stream. Known as `empty` in RACSequence.
  @inlinable public init() { self.init(engine: nil) }

  /// The elements of any sequence, which is walked once, when they are asked for.
  ///
  ///     let lines = LazyStream(AnyIterator { readLine() })
  ///
  /// A collection is kept as it is now; later changes of the variable are not seen. Strings give characters,
  /// dictionaries pairs. Known as `rac_sequence`, `rac_keySequence` and so on in ReactiveCocoa.
  @inlinable public init<Elements: Sequence>(_ elements: sending Elements)
  where Elements.Element == Element {
    let iterator = Box(elements.makeIterator())
    self.init(
      engine: Engine(body: { slot in
        guard let element = iterator.value.next() else { return false }
        slot.initialize(to: element)
        return true
      }))
  }

  /// The same stream. Known as `lazySequence` in RACSequence.
  @inlinable public init(_ stream: LazyStream) { self = stream }

  /// One element. Known as `return:` in RACSequence.
  @inlinable public static func just(_ element: Element) -> LazyStream { [element] }

  /// A stream of a first element and a rest, both made when they are asked for.
  ///
  ///     func numbers(from n: Int) -> LazyStream<Int> {
  ///       LazyStream(head: { n }, tail: { numbers(from: n + 1) })
  ///     }
  ///
  /// `head` runs before `tail`, and `tail` only for the second element. Such definitions may be of any length: they
  /// do not become deep. Known as `sequenceWithHeadBlock:tailBlock:` in RACSequence, where the tail may run first.
  @inlinable public init(
    head: @escaping @Sendable () -> Element, tail: @escaping @Sendable () -> LazyStream
  ) {
    self.init(engine: Engine(Concatenation([.element(head), .deferred(tail)])))
  }

  /// A stream that is made when its first element is asked for.
  @inlinable public static func deferred(_ make: @escaping @Sendable () -> LazyStream) -> LazyStream
  {
    LazyStream(engine: Engine(Concatenation([.deferred(make)])))
  }

  /// A stream that is defined by itself.
  ///
  ///     let fibonacci = LazyStream.recursive { fibonacci in
  ///       [0, 1] + zip(fibonacci, fibonacci.tail).map { $0 + $1 }
  ///     }
  ///     Array(fibonacci.prefix(8))      // [0, 1, 1, 2, 3, 5, 8, 13]
  ///
  /// `define` runs once, when the first element is asked for. An element may depend on only those before it. The
  /// stream that `define` is given is for use inside the definition; it ends with the last stream outside, so that
  /// nothing is leaked.
  @inlinable public static func recursive(
    _ define: @escaping @Sendable (LazyStream) -> LazyStream
  ) -> LazyStream {
    let concatenation = Concatenation<Element>([], Definition())
    let chunk = Chunk(capacity: Chunk<Element>.firstCapacity, engine: Engine(concatenation))
    concatenation.queue = PartQueue([
      .deferred { define(LazyStream(place: .at(chunk, 0), handle: nil)) }
    ])
    // Unsafe: any thread may cut it, even while another one walks it: see `Definition`.
    nonisolated(unsafe) let cycle = concatenation
    return LazyStream(
      place: .at(chunk, 0), handle: Handle(anchor: Anchor { cycle.cut() }))
  }

  /// The results of `next`, which changes a state, until it returns nil.
  ///
  ///     LazyStream.unfold(10) { n in defer { n -= 3 }; return n > 0 ? n : nil }     // 10, 7, 4, 1
  @inlinable public static func unfold<State: Sendable>(
    _ state: State, _ next: @escaping @Sendable (inout State) -> Element?
  ) -> LazyStream {
    var state = state
    return LazyStream { next(&state) }
  }

  /// A first element, and each next one from the one before it: `iterate(1) { $0 * 2 }` is 1, 2, 4, 8 and so on.
  @inlinable public static func iterate(
    _ first: Element, _ next: @escaping @Sendable (Element) -> Element
  ) -> LazyStream {
    var last: Element?
    return LazyStream {
      last = last.map(next) ?? first
      return last
    }
  }

  /// The same element, for ever.
  @inlinable public static func repeating(_ element: Element) -> LazyStream {
    LazyStream { element }
  }

  /// The same element, `count` times.
  @inlinable public static func repeating(_ element: Element, count: Int) -> LazyStream {
    if count < 0 { refuse(count, "repeating(_:count:)") }
    return repeating(element).prefix(count)
  }

  /// This stream again and again, for ever; an empty one stays empty. The closures of this one run once.
  @inlinable public func cycled() -> LazyStream {
    let start = self
    var cursor = Cursor(start)
    return LazyStream {
      if let element = cursor.next() { return element }
      cursor = Cursor(start)
      return cursor.next()
    }
  }
}

extension LazyStream where Element: Strideable, Element.Stride: Sendable {
  /// `start`, `start + step` and so on, for ever: `counting(from: 0, by: 5)`. Finite ranges are `LazyStream(0..<5)`.
  @inlinable public static func counting(from start: Element, by step: Element.Stride = 1)
    -> LazyStream
  {
    iterate(start) { $0.advanced(by: step) }
  }
}

extension LazyStream: ExpressibleByArrayLiteral {
  /// The elements of a literal: `let stream: LazyStream = [1, 2]`.
  @inlinable public init(arrayLiteral elements: Element...) {
    if elements.isEmpty { self.init() } else { self.init(elements) }
  }
}

extension Sequence where Self: Sendable, Element: Sendable {
  /// The elements as a memoised stream: `dictionary.keys.stream`. Known as `rac_sequence` in ReactiveCocoa.
  @inlinable public var stream: LazyStream<Element> { LazyStream(self) }
}
