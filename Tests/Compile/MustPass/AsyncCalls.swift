// Contract 14.4, 14.5: which node each form of closure gives, and what a listener on an actor may touch.
import EasyReact

struct Refusal: Error {}
@Sendable func quick(_ number: Int) -> String { "\(number)" }
@Sendable func slow(_ number: Int) async -> String { "\(number)" }
@Sendable func failing(_ number: Int) async throws -> String { "\(number)" }
@Sendable func refusing(_ number: Int) async throws(Refusal) -> String { throw Refusal() }
@MainActor func shown(_ number: Int) async -> String { "\(number)" }

func calls(_ node: Node<Int>, _ queue: QueueScheduler) {
  let _: Node<String> = node.mapAsync(quick)
  let _: Node<String> = node.mapAsync(slow)
  let _: Node<Result<String, any Error>> = node.mapAsync(failing)
  let _: Node<Result<String, Refusal>> = node.mapAsync(refusing)
  let _: Node<Result<String, Refusal>> = node.mapAsync(.dropWhileBusy, refusing)
  let _: Node<String> = node.mapAsync(on: queue, slow)
  let _: Node<Result<String, Refusal>> = node.mapAsync(.latest, on: queue, refusing)
  let _: Node<Loading<String>> = node.load(refusing)
  let first = node.mapAsync { await slow($0) }
  let second = node.mapAsync { try await failing($0) }
  let third = node.mapAsync(.dropWhileBusy) { number async throws(Refusal) in
    try await refusing(number)
  }
  let fourth = node.mapAsync(.ordered(maxConcurrent: 2), on: .global()) { await shown($0) }
  let fifth = node.mapAsync(on: queue) { @MainActor number in await shown(number) }
  let sixth = node.mapAsync(.unordered(maxConcurrent: 2), on: .main) { try await failing($0) }
  let _: (Node<String>, Node<String>, Node<String>) = (first, fourth, fifth)
  let _: (Node<Result<String, any Error>>, Node<Result<String, Refusal>>) = (second, third)
  let _: Node<Result<String, any Error>> = sixth
  let loading = node.load { try await failing($0) }
  let _: Node<Loading<String>> = loading
  let _: Node<Loading<String>> = node.load(on: .clock(ContinuousClock())) { await slow($0) }
  let _: Node<Int> = loading.map { $0.value?.count ?? 0 }
}

actor Account {
  var total = 0
  var listening: Listening?

  func follow(_ price: Node<Int>) {
    listening = price.listen(isolatedTo: self) { account, price in account.total += price }
    _ = price.deliver(on: self)
  }
}

@MainActor final class Screen {
  var text = ""
  func follow(_ name: Node<String>) -> [Listening] {
    [
      name.listenOnMain(.immediately) { self.text = $0 },
      name.listenOnMain { self.text = $0 },
      name.listenOnMain(show), name.listenOnMain(.immediately, show),
      name.listenToChangesOnMain(.immediately) { self.text = $0.value },
    ]
  }
  func show(_ text: String) { self.text = text }
  func showAll(_ name: Node<String>) {
    name.listenOnMain(.immediately, by: self) { screen, name in screen.text = name }
  }
}
