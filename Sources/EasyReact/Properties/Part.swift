/// How a part lies in its whole. What changes the whole says whether there was anything to change.
struct Part<Whole: Sendable, Value: Sendable>: Sendable {
  let get: @Sendable (Whole) -> Value?
  let put: @Sendable (inout Whole, Value) -> Bool
  let change: @Sendable (inout Whole, (inout Value) -> Bool) -> Bool
  /// Nil: the whole is never without it.
  let remove: (@Sendable (inout Whole) -> Bool)?
  /// Nil: nothing is known of it.
  let way: @Sendable () -> PartWay?
}

extension Part {
  /// What is always there.
  init(_ path: any WritableKeyPath<Whole, Value> & Sendable) {
    get = { $0[keyPath: path] }
    put = { whole, value in
      whole[keyPath: path] = value
      return true
    }
    change = { whole, body in body(&whole[keyPath: path]) }
    remove = nil
    way = { PartWay(path as AnyKeyPath) }
  }

  /// What may be nil: put where it was nil, and nil where it is taken out.
  init(unwrapping path: any WritableKeyPath<Whole, Value?> & Sendable) {
    get = { $0[keyPath: path] }
    put = { whole, value in
      whole[keyPath: path] = value
      return true
    }
    change = { whole, body in
      // In place, where it is stored: so a collection in it is not copied.
      whole[keyPath: path] != nil && body(&whole[keyPath: path]!)
    }
    remove = { whole in
      if whole[keyPath: path] == nil { return false }
      whole[keyPath: path] = nil
      return true
    }
    way = { PartWay(path as AnyKeyPath) }
  }

  /// An element, while the collection has that index.
  init(index: Whole.Index)
  where
    Whole: MutableCollection & RandomAccessCollection, Whole.Element == Value,
    Whole.Index: Sendable
  {
    get = { $0.has(index) ? $0[index] : nil }
    put = { whole, value in
      if !whole.has(index) { return false }
      whole[index] = value
      return true
    }
    change = { whole, body in whole.has(index) && body(&whole[index]) }
    remove = nil
    way = { (index as? any Hashable).map { PartWay(AnyHashable($0)) } }
  }

  /// A part of this part.
  func part<Inner: Sendable>(_ inner: Part<Value, Inner>) -> Part<Whole, Inner> {
    let outer = self
    let remove = inner.remove.map { remove -> @Sendable (inout Whole) -> Bool in
      { whole in outer.change(&whole) { remove(&$0) } }
    }
    let lazy = LazyPartWay { outer.way().flatMap { inner.way()?.after($0) } }
    return Part<Whole, Inner>(
      get: { whole in outer.get(whole).flatMap { inner.get($0) } },
      put: { whole, value in outer.change(&whole) { inner.put(&$0, value) } },
      change: { whole, body in outer.change(&whole) { inner.change(&$0, body) } },
      remove: remove,
      way: { lazy.way })
  }
}

extension RandomAccessCollection {
  func has(_ index: Index) -> Bool { startIndex <= index && index < endIndex }
}
