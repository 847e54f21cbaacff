import EasyReact

// A loop over a node's values and the waits for one, from wherever; none throws more than it says.
func anywhere(_ node: Node<Int>) async throws(CancellationError) -> Int {
  for await value in node.values { if value > 1 { break } }
  return try await node.next()
}

@MainActor final class Screen {
  var text = ""
  let limit = 3
  func show(_ node: Node<Int>) async throws {
    for await value in node.values(buffering: .newest(2)) { text = "\(value)" }
    var iterator = node.values.makeAsyncIterator()
    text = "\(await iterator.next() ?? 0)"
    _ = try await node.first { $0 > limit }
  }
}

actor Counter {
  var total = 0
  func add(_ node: Node<Int>) async {
    for await value in node.values { total += value }
    var iterator = node.values.makeAsyncIterator()
    total += await iterator.next() ?? 0
  }
}

// Sequences of any kind, Sendable or not.
func opaque(_ elements: sending some AsyncSequence<Int, Never>) -> Node<Int> {
  .following(elements)
}
func erased(
  _ elements: sending any AsyncSequence<String, any Error>
) -> Node<Result<String, any Error>> {
  Node.following(elements)
}
func streams() {
  let numbers = Node.following(AsyncStream<Int> { $0.finish() })
  _ = numbers.map { $0 + 1 }
  let lines = Node.following(AsyncThrowingStream<String, any Error> { $0.finish() })
  _ = lines.replaceError(with: "")
}
