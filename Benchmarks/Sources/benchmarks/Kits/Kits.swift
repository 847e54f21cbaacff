import EasyReact
import OpenCombine

struct OurKit<Value: Sendable & Equatable>: Kit {
  static var who: Contestant { .ours }

  func source(_ value: Value) -> MutableNode<Value> { MutableNode(value) }
  func cell(_ source: MutableNode<Value>) -> Node<Value> { source }
  func set(_ source: MutableNode<Value>, _ value: Value) { source.set(value) }
  func batch(_ body: () -> Void) { EasyReact.batch(body) }

  func map(_ cell: Node<Value>, _ transform: @escaping @Sendable (Value) -> Value) -> Node<Value> {
    cell.map(transform)
  }
  func join(
    _ first: Node<Value>, _ second: Node<Value>,
    _ transform: @escaping @Sendable (Value, Value) -> Value
  ) -> Node<Value> {
    first.combine(second).map { transform($0.0, $0.1) }
  }
  func join(
    _ cells: [Node<Value>], _ transform: @escaping @Sendable ([Value]) -> Value
  ) -> Node<Value> {
    Node.combine(cells).map(transform)
  }
  func collect(_ cells: [Node<Value>]) -> Node<[Value]> { Node.combine(cells) }
  func pick(_ many: Node<[Value]>, _ index: Int) -> Node<Value> { many.map { $0[index] } }
  func distinct(_ cell: Node<Value>) -> Node<Value> { cell.distinctUntilChanged() }

  func listen(_ cell: Node<Value>, _ body: @escaping @Sendable (Value) -> Void) -> Any {
    cell.listen(body)
  }
  func value(_ cell: Node<Value>) -> Value { cell.value! }
}

struct FloorKit<Value: Sendable & Equatable>: Kit {
  static var who: Contestant { .floor }
  private let graph = RankedGraph()

  @inline(__always) func source(_ value: Value) -> RankedCell<Value> { RankedCell(graph, value) }
  @inline(__always) func cell(_ source: RankedCell<Value>) -> RankedCell<Value> { source }
  @inline(__always) func set(_ source: RankedCell<Value>, _ value: Value) { source.set(value) }
  @inline(__always) func batch(_ body: () -> Void) { graph.batch(body) }

  @inline(__always) func map(
    _ cell: RankedCell<Value>, _ transform: @escaping @Sendable (Value) -> Value
  ) -> RankedCell<Value> {
    cell.map(transform)
  }
  @inline(__always) func join(
    _ first: RankedCell<Value>, _ second: RankedCell<Value>,
    _ transform: @escaping @Sendable (Value, Value) -> Value
  ) -> RankedCell<Value> {
    first.join(second, transform)
  }
  @inline(__always) func join(
    _ cells: [RankedCell<Value>], _ transform: @escaping @Sendable ([Value]) -> Value
  ) -> RankedCell<Value> {
    RankedCell(graph, after: cells) { transform(cells.map { $0.value }) }
  }
  @inline(__always) func collect(_ cells: [RankedCell<Value>]) -> RankedCell<[Value]> {
    RankedCell(graph, after: cells) { cells.map { $0.value } }
  }
  @inline(__always) func pick(_ many: RankedCell<[Value]>, _ index: Int) -> RankedCell<Value> {
    many.map { $0[index] }
  }
  @inline(__always) func distinct(_ cell: RankedCell<Value>) -> RankedCell<Value> {
    cell.distinct()
  }

  @inline(__always) func listen(
    _ cell: RankedCell<Value>, _ body: @escaping @Sendable (Value) -> Void
  ) -> Any {
    (graph, cell.map(body))
  }
  @inline(__always) func value(_ cell: RankedCell<Value>) -> Value { cell.value }
}

/// OpenCombine has no `combineLatest`; shapes with joins are not run with it, since its glitches
/// would be wrong answers.
struct OpenCombineKit<Value: Sendable & Equatable>: Kit {
  typealias Cell = AnyPublisher<Value, Never>
  static var who: Contestant { .openCombine }

  func source(_ value: Value) -> CurrentValueSubject<Value, Never> { CurrentValueSubject(value) }
  func cell(_ source: CurrentValueSubject<Value, Never>) -> Cell { source.eraseToAnyPublisher() }
  func set(_ source: CurrentValueSubject<Value, Never>, _ value: Value) { source.send(value) }
  func batch(_ body: () -> Void) { body() }

  func map(_ cell: Cell, _ transform: @escaping @Sendable (Value) -> Value) -> Cell {
    cell.map(transform).eraseToAnyPublisher()
  }
  func join(
    _ first: Cell, _ second: Cell, _ transform: @escaping @Sendable (Value, Value) -> Value
  ) -> Cell {
    combineLatest(first, second).map { transform($0.0, $0.1) }.eraseToAnyPublisher()
  }
  func join(_ cells: [Cell], _ transform: @escaping @Sendable ([Value]) -> Value) -> Cell {
    combineLatest(cells).map(transform).eraseToAnyPublisher()
  }
  func collect(_ cells: [Cell]) -> AnyPublisher<[Value], Never> {
    combineLatest(cells).eraseToAnyPublisher()
  }
  func pick(_ many: AnyPublisher<[Value], Never>, _ index: Int) -> Cell {
    many.map { $0[index] }.eraseToAnyPublisher()
  }
  func distinct(_ cell: Cell) -> Cell { cell.removeDuplicates().eraseToAnyPublisher() }

  func listen(_ cell: Cell, _ body: @escaping @Sendable (Value) -> Void) -> Any {
    cell.sink(receiveValue: body)
  }
  func value(_ cell: Cell) -> Value {
    var value: Value?
    cell.sink { value = $0 }.cancel()
    return value!
  }
}
