import AsyncAlgorithms
import EasyReact

/// What a task hears of two sources, beside swift-async-algorithms over streams that are fed from outside: both keep
/// what the consumer has not taken yet.
func asynchronousRows() -> [Benchmark] {
  [
    Benchmark(
      "asynchronous", "combine of 2, heard by a task", count: 50_000,
      ours: {
        let a = MutableNode(0), b = MutableNode(1)
        return heard(a.combine(b).values(buffering: .unbounded), of: { a.set($0) }) {
          $0.0 &+ $0.1 - 1
        }
      },
      asyncAlgorithms: {
        let a = Stream(), b = Stream()
        a.send(0)
        b.send(1)
        return heard(AsyncAlgorithms.combineLatest(a.values, b.values), of: a.send) {
          $0.0 &+ $0.1 - 1
        }
      }),
    Benchmark(
      "asynchronous", "merge of 2, heard by a task", count: 50_000,
      ours: {
        let a = MutableNode(0), b = MutableNode<Int>()
        return heard(a.merge(b).values(buffering: .unbounded), of: { a.set($0) }) { $0 }
      },
      asyncAlgorithms: {
        let a = Stream(), b = Stream()
        a.send(0)
        return heard(AsyncAlgorithms.merge(a.values, b.values), of: a.send) { $0 }
      }),
    Benchmark(
      "asynchronous", "zip of 2, heard by a task", count: 50_000,
      ours: {
        let a = MutableNode(0), b = MutableNode(0)
        return heard(
          a.zip(b).values(buffering: .unbounded),
          of: {
            a.set($0)
            b.set($0)
          }
        ) { $0.0 &+ $0.1 - $0.1 }
      },
      asyncAlgorithms: {
        let a = Stream(), b = Stream()
        a.send(0)
        b.send(0)
        return heard(
          AsyncAlgorithms.zip(a.values, b.values),
          of: {
            a.send($0)
            b.send($0)
          }
        ) { $0.0 &+ $0.1 - $0.1 }
      }),
  ]
}

/// Fed from outside, without a limit.
private final class Stream: Sendable {
  let values: AsyncStream<Int>
  private let continuation: AsyncStream<Int>.Continuation
  init() { (values, continuation) = AsyncStream.makeStream() }
  func send(_ value: Int) { continuation.yield(value) }
}

/// A round ends when the task has heard all that was sent in it. `number` gives the value that was sent.
private func heard<Values: AsyncSequence & Sendable>(
  _ values: Values, of send: @escaping (Int) -> Void,
  number: @escaping @Sendable (Values.Element) -> Int
) -> Trial {
  let sink = AtomicSink()
  let task = Task.detached {
    for try await value in values { sink.add(number(value)) }
  }
  sink.wait(for: 1)
  _ = sink.take()
  return Trial(
    keep: [Cancelling { task.cancel() }],
    run: { count in
      for value in 0..<count { send(value) }
      sink.wait(for: count)
    },
    check: { count in
      let heard = sink.takeAll()
      try expect(heard.calls, count, "values heard")
      try expect(heard.sum, triangle(count), "sum of the values heard")
    })
}

/// Runs its body when the trial is dropped.
private final class Cancelling {
  private let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
  deinit { body() }
}
