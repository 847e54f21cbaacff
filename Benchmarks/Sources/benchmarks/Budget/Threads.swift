import Dispatch
import EasyReact
import OpenCombine
import OpenCombineDispatch
import Synchronization

/// Queues and threads.
func threadRows() -> [Benchmark] { [hopRow(), twoThreadsRow(), twoSourcesRow()] }

/// As many values as a round has go over a serial queue; the round ends when the last one is heard
/// there.
private func hopRow() -> Benchmark {
  Benchmark(
    "budget", "one value over a queue hop", budget: Budget(limit: 200, openCombine: 1_403),
    count: 100_000,  // not by the time of a first try, which is mostly that of waking a thread
    ours: {
      let arrivals = Arrivals()
      let source = MutableNode(0)
      let queue = DispatchQueue(label: "hop")
      let listening = source.deliver(on: .queue(queue)).listen { arrivals.hear($0) }
      return arrivals.trial(keep: [listening], first: true) { source.set($0) }
    },
    openCombine: {
      let arrivals = Arrivals()
      let source = CurrentValueSubject<Int, Never>(0)
      let queue = DispatchQueue(label: "hop")
      let listening = source.receive(on: queue.ocombine).sink { arrivals.hear($0) }
      return arrivals.trial(keep: [listening], first: true) { source.send($0) }
    },
    floor: {
      let arrivals = Arrivals()
      let box = QueueBox(DispatchQueue(label: "hop")) { arrivals.hear($0) }
      return arrivals.trial(keep: [box], first: false) { box.send($0) }
    })
}

/// What is heard on the queue, and the end of a round.
private final class Arrivals: @unchecked Sendable {
  // Unchecked: the sink is touched on the serial queue, and by the round after its last value.
  private let sink = Sink()
  private let isOver = DispatchSemaphore(value: 0)

  /// Negative: the last value of a round.
  func hear(_ value: Int) {
    if value < 0 { isOver.signal() } else { sink.add(value) }
  }

  func trial(keep: [Any], first: Bool, _ send: @escaping (Int) -> Void) -> Trial {
    send(-1)
    isOver.wait()
    return Trial(sink, keep: keep, calls: { $0 }, sum: triangle) { [self] count in
      for value in 0..<count { send(value) }
      send(-1)
      isOver.wait()
    }
  }
}

/// The floor of a hop: an array under a lock, and one piece of work while it is not empty.
private final class QueueBox: Sendable {
  private let waiting = Mutex((values: [Int](), isScheduled: false))
  private let queue: DispatchQueue
  private let body: @Sendable (Int) -> Void

  init(_ queue: DispatchQueue, _ body: @escaping @Sendable (Int) -> Void) {
    self.queue = queue
    self.body = body
  }

  func send(_ value: Int) {
    let isScheduled = waiting.withLock { waiting in
      waiting.values.append(value)
      defer { waiting.isScheduled = true }
      return waiting.isScheduled
    }
    if !isScheduled { queue.async { self.deliver() } }
  }

  private func deliver() {
    while true {
      let values = waiting.withLock { waiting in
        defer { waiting.values = [] }
        if waiting.values.isEmpty { waiting.isScheduled = false }
        return waiting.values
      }
      if values.isEmpty { return }
      for value in values { body(value) }
    }
  }
}

/// An operation is one set of one of two threads; 6 million a second are 167 ns each.
private func twoThreadsRow() -> Benchmark {
  Benchmark(
    "budget", "two threads on one source, a set", budget: Budget(limit: 167, openCombine: 667),
    count: 200_000,
    ours: {
      let sink = AtomicSink()
      let source = MutableNode(0)
      let listening = source.listen { sink.add($0) }
      return threadTrial(sink, [listening]) { source.set($0) }
    },
    openCombine: {
      let sink = AtomicSink()
      let source = CurrentValueSubject<Int, Never>(0)
      let send = Unchecked { source.send($0) }
      let listening = source.sink { sink.add($0) }
      return threadTrial(sink, [listening]) { send.body($0) }
    },
    floor: {
      let sink = AtomicSink()
      let value = Locked(0) { sink.add($0) }
      return threadTrial(sink, []) { value.set($0) }
    })
}

/// Each of two threads sets a source of its own; both lead to one merge with one listener.
private func twoSourcesRow() -> Benchmark {
  Benchmark(
    "contended", "2 threads, 2 sources of one merge", count: 200_000,
    ours: {
      let sink = AtomicSink()
      let sources = (0..<2).map { _ in MutableNode<Int>() }
      let listening = Node.merge(sources).listen { sink.add($0) }
      return twoSourcesTrial(sink, [listening]) { sources[$0].set($1) }
    },
    openCombine: {
      let sink = AtomicSink()
      let sources = (0..<2).map { _ in PassthroughSubject<Int, Never>() }
      let send = UncheckedPair { sources[$0].send($1) }
      let listening = merge(sources).sink { sink.add($0) }
      return twoSourcesTrial(sink, [listening]) { send.body($0, $1) }
    },
    floor: {
      let sink = AtomicSink()
      let merged = Locked(0) { sink.add($0) }
      let sources = (0..<2).map { _ in Locked(0) { merged.set($0) } }
      return twoSourcesTrial(sink, []) { sources[$0].set($1) }
    })
}

private func threadTrial(
  _ sink: AtomicSink, _ keep: [Any], _ set: @escaping @Sendable (Int) -> Void
) -> Trial {
  twoSourcesTrial(sink, keep) { _, value in set(value) }
}

/// - Parameter set: Called with the number of the thread, and a value.
private func twoSourcesTrial(
  _ sink: AtomicSink, _ keep: [Any], _ set: @escaping @Sendable (Int, Int) -> Void
) -> Trial {
  _ = sink.take()
  return Trial(
    keep: keep,
    run: { count in
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        for value in 0..<count / 2 { set(thread, value) }
      }
      sink.wait(for: count / 2 * 2)
    },
    check: { try expect(sink.take(), $0 / 2 * 2, "listener calls") })
}

/// A value and one listener under a lock.
private final class Locked: Sendable {
  private let value: Mutex<Int>
  private let body: @Sendable (Int) -> Void

  init(_ value: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.value = Mutex(value)
    self.body = body
  }

  func set(_ new: Int) {
    value.withLock { value in
      value = new
      body(new)
    }
  }
}

/// A closure that sends to a subject.
private struct Unchecked: @unchecked Sendable {
  // Unchecked: OpenCombine's subjects may be sent to from any thread, but are not marked so.
  let body: (Int) -> Void
}

/// The same of two values.
private struct UncheckedPair: @unchecked Sendable {
  // Unchecked: OpenCombine's subjects may be sent to from any thread, but are not marked so.
  let body: (Int, Int) -> Void
}
