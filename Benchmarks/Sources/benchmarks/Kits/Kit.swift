/// The few words in which a shape is written once, for every contestant that can run it. The
/// compiler specialises each shape for each kit, so a kit costs nothing.
protocol Kit<Value> {
  associatedtype Value: Sendable & Equatable
  /// Something that has a value and can be followed.
  associatedtype Cell
  /// One that can be set.
  associatedtype Source
  /// The values of many cells.
  associatedtype Many

  static var who: Contestant { get }
  init()

  func source(_ value: Value) -> Source
  func cell(_ source: Source) -> Cell
  func set(_ source: Source, _ value: Value)
  /// What is set inside is told once.
  func batch(_ body: () -> Void)

  func map(_ cell: Cell, _ transform: @escaping @Sendable (Value) -> Value) -> Cell
  func join(
    _ first: Cell, _ second: Cell, _ transform: @escaping @Sendable (Value, Value) -> Value
  ) -> Cell
  func join(_ cells: [Cell], _ transform: @escaping @Sendable ([Value]) -> Value) -> Cell
  func collect(_ cells: [Cell]) -> Many
  func pick(_ many: Many, _ index: Int) -> Cell
  func distinct(_ cell: Cell) -> Cell

  /// The result keeps what is listened to.
  func listen(_ cell: Cell, _ body: @escaping @Sendable (Value) -> Void) -> Any
  func value(_ cell: Cell) -> Value
}
