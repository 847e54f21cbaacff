public struct Deque<Element> {
  public init() {}
  public var count: Int { 0 }
  public var isEmpty: Bool { true }
  public mutating func append(_ element: Element) {}
  public mutating func append(contentsOf elements: [Element]) {}
  public mutating func removeFirst() -> Element { fatalError() }
  public mutating func popFirst() -> Element? { nil }
  public mutating func popLast() -> Element? { nil }
}
extension Deque: Sendable where Element: Sendable { /* nothing to add */  }
