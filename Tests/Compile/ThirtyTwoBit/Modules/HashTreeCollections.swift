public struct TreeDictionary<Key: Hashable, Value>: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (Key, Value)...) {}
  public subscript(key: Key) -> Value? {
    get { nil }
    set {}
  }
}
extension TreeDictionary: Sendable where Key: Sendable, Value: Sendable { /* nothing to add */  }
