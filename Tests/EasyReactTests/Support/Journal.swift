import EasyReact
import Synchronization

/// What several listeners and closures did, in one order. Any thread.
final class Journal<Entry: Sendable>: Sendable {
  private let items = Mutex<[Entry]>([])

  var entries: [Entry] { items.withLock { $0 } }
  var count: Int { items.withLock { $0.count } }

  func note(_ entry: Entry) { items.withLock { $0.append(entry) } }

  /// Everything noted so far, which is then forgotten.
  func take() -> [Entry] {
    items.withLock { items in
      defer { items = [] }
      return items
    }
  }
}

/// Counts calls, to prove that something ran as often as it should.
final class Tally: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .sequentiallyConsistent) }
  /// Returns the count with this call.
  @discardableResult
  func add() -> Int { number.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }

  /// The count so far; it begins anew.
  func take() -> Int { number.exchange(0, ordering: .sequentiallyConsistent) }
}

struct Refusal: Error, Equatable {
  var reason = "refused"
}
