import EasyReact

/// Operators that look at a clock, on a scheduler that does nothing: what is counted is the operator.
func timedRows() -> [Benchmark] {
  [
    timedRow("throttleFirst, dropped", calls: 0) { $0.throttleFirst(.seconds(1), on: Still()) },
    timedRow("throttleLatest, held back", calls: 0) { $0.throttleLatest(.seconds(1), on: Still()) },
    timedRow("debounce, held back", calls: 0) { $0.debounce(.seconds(1), on: Still()) },
    timedRow("sample(every:), held back", calls: 0) { $0.sample(every: .seconds(1), on: Still()) },
    timedRow("deliver(on:), at once", calls: 1) { $0.deliver(on: AtOnce()) },
  ]
}

/// Time stands still, and nothing that is put off ever runs.
struct Still: NodeScheduler {
  var now: Duration { .zero }
  func schedule(_ work: @escaping @Sendable () -> Void) {}
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Cancelable {
    nothing
  }
}

/// Not `.immediate`, which the library knows: the whole way of a value that hops.
private struct AtOnce: NodeScheduler {
  var now: Duration { .zero }
  func schedule(_ work: @escaping @Sendable () -> Void) { work() }
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Cancelable {
    work()
    return nothing
  }
}

private let nothing = Nothing()
private final class Nothing: Cancelable {
  func cancel() {}
}

private func timedRow(
  _ name: String, calls: Int, _ derive: @escaping (Node<Int>) -> Node<Int>
) -> Benchmark {
  Benchmark(
    "budget", name,
    ours: {
      let sink = Sink()
      let source = MutableNode(0)
      let listening = derive(source).listen { sink.add($0) }
      return Trial(
        sink, keep: [listening], calls: { $0 * calls }, sum: { triangle($0) * calls }
      ) { count in
        for value in 0..<count { source.set(value) }
      }
    })
}
