import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 10.6: one suite a family.
enum Operators {
  /// Re-points the first edge of a node: a new life.
  static func repoint<Input, Output>(_ node: Node<Output>, to other: Node<Input>) throws {
    let transform = try #require(
      node.upstreamTransforms.compactMap { $0 as? NodeTransform<Input, Output> }.first)
    transform.from = other
  }

  /// The text of a programmer's error: what, where and the remedy.
  static func expectMessage(
    _ result: ExitTest.Result?, _ texts: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for text in texts + ["EasyReact: ", "“source”", ", made at EasyReactTests/", ". Pass "] {
      #expect(message.contains(text), sourceLocation: sourceLocation)
    }
  }
}

extension Recorder {
  /// Everything told since the last time.
  func take() -> [Value] {
    defer { clear() }
    return values
  }
}
