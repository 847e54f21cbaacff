public struct Heap<Element: Comparable> {
  public init() {}
  public init(_ elements: [Element]) {}
  public var min: Element? { nil }
  public var max: Element? { nil }
  public var unordered: [Element] { [] }
  public mutating func insert(_ element: Element) {}
  public mutating func insert(contentsOf elements: [Element]) {}
  public mutating func popMin() -> Element? { nil }
  @discardableResult public mutating func removeMin() -> Element { fatalError() }
  @discardableResult public mutating func removeMax() -> Element { fatalError() }
}
