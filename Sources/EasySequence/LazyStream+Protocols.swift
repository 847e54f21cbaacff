import Synchronization

extension LazyStream: Equatable where Element: Equatable {
  /// Whether both have the same elements in the same order. They are compared up to the first difference.
  ///
  /// Two copies of one stream are equal at once. Two equal infinite streams are compared for ever.
  @inlinable public static func == (first: LazyStream, second: LazyStream) -> Bool {
    let (left, right) = (first.place.known, second.place.known)
    if left.chunk === right.chunk, left.index == right.index { return true }
    return first.elementsEqual(second)
  }
}

extension LazyStream: Hashable where Element: Hashable {
  /// Hashes the first eight elements, or as many as there are, and computes them.
  ///
  /// Not all, so that infinite streams can be hashed; not the first alone, as RACSequence does, because then all streams
  /// that begin alike collide. Streams that first differ after the eighth element do collide, and are told apart by `==`.
  @inlinable public func hash(into hasher: inout Hasher) {
    var (iterator, left) = (makeIterator(), 8)
    while left > 0, let element = iterator.next() {
      hasher.combine(element)
      left -= 1
    }
    hasher.combine(left)  // a shorter stream is not the start of a longer one
  }
}

extension LazyStream: Encodable where Element: Encodable {
  /// Encodes all elements, as an array does. Known as `NSCoding` of RACSequence.
  public func encode(to encoder: any Encoder) throws { try Array(self).encode(to: encoder) }
}

extension LazyStream: Decodable where Element: Decodable {
  /// Decodes what an array of the elements is encoded as; nothing is left to be computed.
  public init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }
}

// MARK: - Description

extension LazyStream: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name, and the elements that are known from here on, sixteen at most. Computes nothing.
  ///
  ///     LazyStream[1, 2, ...]       // more may follow
  ///     primes[2, 3, 5]             // all of a stream named "primes"
  public var description: String {
    let (elements, isAll) = known(limit: 16)
    let texts = elements.map { String(reflecting: $0) } + (isAll ? [] : ["..."])
    return "\(name ?? "LazyStream")[\(texts.joined(separator: ", "))]"
  }

  /// The same as the description.
  public var debugDescription: String { description }

  /// No children: a mirror must not compute elements.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// The elements that nobody has to compute, and whether they are all there are.
  public func known(limit: Int) -> (elements: [Element], isAll: Bool) {
    var elements: [Element] = []
    var (chunk, index) = place.known
    while true {
      let count = chunk.count.load(ordering: .acquiring)
      while index < count {
        if elements.count == limit { return (elements, false) }
        elements.append(chunk.slots[index])
        index += 1
      }
      switch chunk.state.load(ordering: .acquiring) {
      case .open: return (elements, false)
      case .over where chunk.count.load(ordering: .acquiring) == count: return (elements, true)
      case .linked where index >= chunk.capacity:
        index -= chunk.capacity
        chunk = chunk.next.unsafelyUnwrapped
      default: continue
      }
    }
  }
}

// MARK: - Names and watching

extension LazyStream {
  /// The name, nil without one; a stream made of a named one is named after it: `numbers.map.filter`.
  public var name: String? { handle?.name }

  /// The same stream with a name for debugging. Known as `setNameWithFormat:` in RACStream.
  public func named(_ name: String) -> LazyStream {
    LazyStream(
      place: place,
      handle: Handle(name: name, observers: handle?.observers ?? [], anchor: handle?.anchor))
  }

  /// The same stream, which tells `observer` what is asked of it by whoever reads through the result.
  ///
  ///     let watched = LazyStream(1...).watched { print($0) }
  ///     watched.dropFirst(1).head       // asked(0), computed(0), asked(1), computed(1)
  ///     watched.head                    // read(0)
  ///
  /// The observer runs on the reading thread, without a lock held, and must not read the stream; several are told one after
  /// the other, the first one first. A watched stream is stored like one that somebody holds. `easyreact sequence` draws what it hears.
  public func watched(by observer: @escaping @Sendable (Demand) -> Void) -> LazyStream {
    LazyStream(
      place: place,
      handle: Handle(
        name: handle?.name, observers: (handle?.observers ?? []) + [observer],
        anchor: handle?.anchor))
  }
}
