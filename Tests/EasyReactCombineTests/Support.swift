#if canImport(Combine) || OpenCombine
import Dispatch
import EasyReact
import Synchronization
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A subscriber that asks for what a test says, and notes what it is told.
final class Probe<Input: Sendable>: Subscriber, Sendable {
  typealias Failure = Never

  private struct State: @unchecked Sendable {
    // Unchecked: it lies in a Mutex. Any thread may use a subscription that is taken out of it, as Combine
    // has it.
    var heard: [Input] = []
    var subscription: (any Subscription)?
    var completions = 0
    var isInside = false
    var overlaps = 0
  }
  private let state = Mutex(State())
  private let first: Subscribers.Demand
  private let respond: @Sendable (Probe, Input) -> Subscribers.Demand

  /// - Parameters:
  ///   - first: What it asks for when it is subscribed; none: nothing.
  ///   - respond: What it does with a value, and how many it asks for besides.
  init(
    asking first: Subscribers.Demand = .none,
    _ respond: @escaping @Sendable (Probe, Input) -> Subscribers.Demand = { _, _ in .none }
  ) {
    self.first = first
    self.respond = respond
  }

  var heard: [Input] { state.withLock { $0.heard } }
  var completions: Int { state.withLock { $0.completions } }
  var overlaps: Int { state.withLock { $0.overlaps } }

  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.subscription }?.request(demand)
  }

  func cancel() { state.withLock { $0.subscription }?.cancel() }

  func receive(subscription: any Subscription) {
    state.withLock { $0.subscription = subscription }
    if first > .none { subscription.request(first) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    state.withLock { state in
      if state.isInside { state.overlaps += 1 }
      state.isInside = true
      state.heard.append(input)
    }
    let demand = respond(self, input)
    state.withLock { $0.isInside = false }
    return demand
  }

  func receive(completion: Subscribers.Completion<Never>) {
    state.withLock { $0.completions += 1 }
  }
}

/// SplitMix64: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators (2014).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}

/// What several closures did, in one order.
final class Notes<Entry: Sendable>: Sendable {
  private let items = Mutex<[Entry]>([])
  var entries: [Entry] { items.withLock { $0 } }
  func note(_ entry: Entry) { items.withLock { $0.append(entry) } }
}

struct Refusal: Error, Equatable {}
final class Token: Sendable {}

/// Keeps what it is given alive up to here.
@inline(never) func keepAlive(_ objects: AnyObject?...) { withExtendedLifetime(objects) {} }

/// On threads of Dispatch, at once; waits for all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  DispatchQueue.concurrentPerform(iterations: count, execute: body)
}
#endif
