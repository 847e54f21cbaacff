/// Parts in the order in which they are walked.
///
/// A copy costs nothing and shares what it can, so that all who walk the same parts have the same ones. What lies between
/// the first few and the last few is a balanced tree: joining two queues, and taking a part, cost the logarithm of what
/// they hold.
@usableFromInline struct PartQueue<Element: Sendable> {
  @usableFromInline typealias Part = Concatenation<Element>.Part
  /// The first ones, the next one last.
  @usableFromInline var first: [Part]
  /// Those after them.
  @usableFromInline var middle: PartTree<Element>?
  /// The last ones, in order.
  @usableFromInline var last: [Part] = []
  @usableFromInline var closures: Int

  /// How many the first and the last few are: whoever changes one of several copies copies these.
  @usableFromInline static var few: Int { 16 }

  @inlinable init(_ parts: [Part]) {
    first = parts.reversed()
    closures = parts.count { !$0.isStream }
    if parts.count > Self.few { divide() }
  }

  /// Moves all but the first few into the tree.
  @usableFromInline mutating func divide() {
    var rest = first[...]
    while rest.count > Self.few {
      middle = PartTree.join(nil, Array(rest.prefix(Self.few)), middle)
      rest = rest.dropFirst(Self.few)
    }
    first = Array(rest)
  }

  /// Whether all parts are streams, which may be walked by several; a closure belongs to one walk.
  var areStreams: Bool { closures == 0 }

  var next: Part? { first.last ?? middle?.first.last ?? last.first }

  @inlinable mutating func popFirst() -> Part? {
    if first.isEmpty { refill() }
    let part = first.popLast()
    if part?.isStream == false { closures -= 1 }
    return part
  }

  @usableFromInline mutating func refill() {
    if let tree = middle {
      (first, middle) = tree.removingFirst()
    } else {
      first = last.reversed()
      last = []
    }
  }

  /// Whether there are none but the first few.
  private var isShort: Bool { middle == nil && last.isEmpty }

  /// Puts another queue before this one, and empties it, so that its memory has one owner.
  mutating func prepend(_ other: inout PartQueue) {
    var before = PartQueue([])
    swap(&before, &other)
    closures += before.closures
    if before.isShort, before.first.count + first.count <= Self.few {
      return first.append(contentsOf: before.first)
    }
    if isShort {
      before.append(first)
      last = before.last
      middle = before.middle
    } else {
      if first.isEmpty { refill() }
      let after = before.last.isEmpty ? middle : PartTree.join(nil, first, middle)
      let between = before.last.isEmpty ? first : before.last.reversed()
      middle = PartTree.join(before.middle, between, after)
    }
    first = before.first
  }

  /// Puts a few after the last ones.
  private mutating func append(_ parts: [Part]) {
    if last.count + parts.count > Self.few {
      middle = PartTree.join(middle, last.reversed(), nil)
      last = []
    }
    last.append(contentsOf: parts.reversed())
  }
}
