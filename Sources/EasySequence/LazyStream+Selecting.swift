extension LazyStream {
  /// The elements that satisfy `isIncluded`. A long run of those that do not is a loop. Known as `filter:` in RACSequence.
  @inlinable public func filter(
    _ isIncluded: @escaping @Sendable (Element) -> Bool
  ) -> LazyStream {
    let source = Cursor(self)
    return LazyStream(
      engine: Engine(body: { slot in
        while let element = source.next() {
          if isIncluded(element) {
            slot.initialize(to: element)
            return true
          }
        }
        return false
      }), handle: derivedHandle("filter"))
  }

  /// The first `count` elements. What lies beyond is not asked for. Known as `take:` in RACSequence.
  @inlinable public func prefix(_ count: Int) -> LazyStream {
    if count < 0 { refuse(count, "prefix") }
    if count == 0 { return LazyStream() }
    let (source, left) = (Cursor(self), Box(count))
    return LazyStream(
      engine: Engine(body: { slot in
        if left.value == 0 { return false }
        left.value -= 1
        guard let element = source.next() else { return false }
        slot.initialize(to: element)
        return true
      }), handle: derivedHandle("prefix"))
  }

  /// The elements before the first that does not satisfy `predicate`. Known as `takeWhileBlock:` in RACSequence.
  @inlinable public func prefix(
    while predicate: @escaping @Sendable (Element) -> Bool
  ) -> LazyStream {
    derive("prefix") { source in
      {
        guard let element = source.next(), predicate(element) else { return nil }
        return element
      }
    }
  }

  /// The elements before the first that satisfies `predicate`. Known as `takeUntilBlock:` in RACSequence.
  @inlinable public func prefixUntil(
    _ predicate: @escaping @Sendable (Element) -> Bool
  ) -> LazyStream {
    prefix(while: { !predicate($0) })
  }

  /// The elements from the first that does not satisfy `predicate`; the predicate is not asked again after it.
  ///
  /// Known as `skipWhileBlock:` in RACSequence.
  @inlinable public func drop(
    while predicate: @escaping @Sendable (Element) -> Bool
  ) -> LazyStream {
    derive("drop") { source in
      var isDropping = true
      return {
        while let element = source.next() {
          if isDropping, predicate(element) { continue }
          isDropping = false
          return element
        }
        return nil
      }
    }
  }

  /// The elements from the first that satisfies `predicate`. Known as `skipUntilBlock:` in RACSequence.
  @inlinable public func dropUntil(
    _ predicate: @escaping @Sendable (Element) -> Bool
  ) -> LazyStream {
    drop(while: { !predicate($0) })
  }

  /// Leaves out each element that equals, in the sense of `areEqual`, the one before it.
  @inlinable public func removeDuplicates(
    by areEqual: @escaping @Sendable (Element, Element) -> Bool
  ) -> LazyStream {
    derive("removeDuplicates") { source in
      var last: Element?
      return {
        while let element = source.next() {
          if let last, areEqual(last, element) { continue }
          last = element
          return element
        }
        return nil
      }
    }
  }
}

extension LazyStream where Element: Equatable {
  /// Leaves out each element that equals the one before it. Known as `distinctUntilChanged` in RACSequence.
  @inlinable public func removeDuplicates() -> LazyStream { removeDuplicates { $0 == $1 } }

  /// Leaves out all that equal `value`. Known as `ignore:` in RACSequence.
  @inlinable public func ignore(_ value: Element) -> LazyStream { filter { $0 != value } }
}
