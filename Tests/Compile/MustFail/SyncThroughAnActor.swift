// Contract 7.1: the two functions of a sync run on any thread.
// expect: call to main actor-isolated instance method 'parse' in a synchronous nonisolated context
import EasyReact

@MainActor final class Field {
  func parse(_ text: String) -> Int { Int(text) ?? 0 }
}

@MainActor func join(_ number: Node<Int>, _ text: Node<String>, by field: Field) {
  number.sync(with: text, transform: { field.parse($0) }, revert: { "\($0)" })
}
