import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, 14.1 and 14.2: how waiting ends, and what is left then.
@Suite(.watched) struct `14 Ends` {
  private let executor = ManualExecutor()

  @Test func `14.1 cancelling the task ends the wait at once, with nil, and the listening`() async {
    let node = MutableNode(1)
    let task = executor.task {
      var iterator = node.values.makeAsyncIterator()
      return await [iterator.next(), iterator.next(), iterator.next()]
    }
    #expect(node.hasListener)
    task.cancel()
    executor.run()
    #expect(await task.value == [1, nil, nil])
    #expect(!node.hasListener)
  }

  @Test func `14.1 a cancelled task gets nil also where values are left, and they are freed`() async
  {
    let tokens = LifetimeTracker(), node = MutableNode<Token>()
    let mayGo = MutableNode<Void>.eventNode()
    let task = executor.task {
      var iterator = node.values(buffering: .unbounded).makeAsyncIterator()
      node.value = tokens.track(Token(), "1")
      node.value = tokens.track(Token(), "2")
      try? await mayGo.next()
      let first = await iterator.next()
      return (first == nil, tokens.alive)
    }
    task.cancel()
    executor.run()
    let (isOver, alive) = await task.value
    #expect(isOver)
    #expect(alive == ["2"])  // which the node holds
    #expect(!node.hasListener)
    keepAlive(node)
  }

  @Test
  func `14.1 nil comes for good: an iterator of a cancelled task tells no other task anything`()
    async
  {
    let node = MutableNode<Int>()
    let iterator = node.values.makeAsyncIterator()
    // Unsafe: the task has ended when it is used here again.
    nonisolated(unsafe) let shared = iterator
    let task = executor.task {
      var own = shared
      return await own.next()
    }
    task.cancel()
    node.value = 1
    executor.run()
    #expect(await task.value == nil)
    var again = iterator
    node.value = 2
    #expect(await again.next() == nil)
  }

  @Test func `14.1 a task that was cancelled before hears nothing`() async {
    let node = MutableNode(1), heard = Tally()
    let task = Task(executorPreference: executor) {
      for await _ in node.values { heard.add() }
    }
    task.cancel()
    executor.run()
    await task.value
    #expect(heard.count == 0)
    #expect(!node.hasListener)
  }

  @Test func `14.1 dropping the iterator ends the listening`() {
    let node = MutableNode(1)
    var iterator: NodeValues<Int>.Iterator? = node.values.makeAsyncIterator()
    #expect(node.hasListener)
    _ = iterator
    iterator = nil
    #expect(!node.hasListener)
  }

  @Test func `14.1 the end of the loop ends the listening, and so does the task's`() async {
    let node = MutableNode(1)
    for await _ in node.values { break }
    #expect(!node.hasListener)
    await Task {
      var iterator = node.values.makeAsyncIterator()
      _ = await iterator.next()
    }.value
    #expect(!node.hasListener)
    keepAlive(node)
  }

  @Test func `14.1 the consumer holds the last reference to the chain, which its end frees`()
    async throws
  {
    let source = MutableNode(1), heard = Journal<Int>()
    try await expectFreed {
      let values = source.map { $0 * 2 }.deliver(on: .immediate).values
      let task = executor.task { for await value in values { heard.note(value) } }
      source.value = 2
      executor.run()
      task.cancel()
      executor.run()
      await task.value
    }
    #expect(heard.entries == [2, 4])
  }

  @Test func `14.1 nothing is kept after the end of many consumers`() async throws {
    try await expectFreed {
      let source = MutableNode(0)
      for policy in [.unbounded, .newest(3), .oldest(2)] as [BufferingPolicy] {
        let tasks = (0..<10).map { number in
          executor.task {
            var heard = 0
            for await value in source.map({ $0 + number }).values(buffering: policy) {
              heard += 1
              if value - number == 5 || heard == number { break }
            }
          }
        }
        for value in 1...20 {
          source.value = value
          if value % 3 == 0 { executor.run() }
        }
        for task in tasks { task.cancel() }
        executor.run()
        for task in tasks { await task.value }
      }
    }
  }

  /// Random sets, runs of the consumer and a cancellation, in every order that comes up.
  @Test func `14.1 cancelled at every await there is, it has heard a run of what was told`() async {
    for seed in 1...UInt64(300 * max(1, Stress.scale)) {
      var random = SeededGenerator(seed: seed)
      let executor = ManualExecutor(), node = MutableNode(0), heard = Journal<Int>()
      let task = Task(executorPreference: executor) {
        for await value in node.values(buffering: .unbounded) { heard.note(value) }
      }
      var told: [Int] = []
      for value in 1...random.below(12) + 1 {
        if random.oneIn(2) { executor.runOne() }
        if random.oneIn(2) {
          node.value = value
          told.append(value)
        }
      }
      let before = heard.entries
      task.cancel()
      if random.oneIn(2) { node.value = 100 }
      executor.run()
      await task.value
      let all = heard.entries
      #expect(all == before, "seed \(seed)")
      let run = all.first == 0 ? Array(all.dropFirst()) : all
      #expect(
        run.isEmpty || told.firstIndex(of: run[0]).map { told[$0...].starts(with: run) } == true,
        "seed \(seed): heard \(all) of \(told)")
      #expect(!node.hasListener, "seed \(seed)")
    }
  }

  @Test func `14.1 a capacity that is not positive stops with a message`() async {
    for capacity in [0, -1] {
      let result = await stopped(by: capacity)
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(
        text.contains("EasyReact: values(buffering:): the capacity \(capacity) is not positive"))
      #expect(text.contains("node “price” of Int, made at "))
      #expect(text.contains("Pass one or more."))
    }
  }

  private func stopped(by capacity: Int) async -> ExitTest.Result? {
    if capacity == 0 {
      return await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = MutableNode(1).named("price").values(buffering: .newest(0))
      }
    }
    return await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("price").values(buffering: .oldest(-1))
    }
  }

  @Test func `14.1 two tasks that wait for one iterator at once stop with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let node = MutableNode<Int>().named("price")
      // Unsafe: misuse on purpose, of an iterator whose state lies in a Mutex.
      nonisolated(unsafe) let shared = node.values.makeAsyncIterator()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            var own = shared
            _ = await own.next()
          }
        }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("values: two tasks wait at once for the next value of one iterator"))
    #expect(text.contains("(node “price” of Int, made at "))
    #expect(text.contains("Give each a `for await`"))
  }
}

/// Contract, 14.2.
@Suite(.watched) struct `14 Next and first` {
  private let executor = ManualExecutor()

  @Test func `14.2 next is the next value told after the call, not the present one`() async throws {
    let node = MutableNode(1)
    let task = executor.task { try? await node.next() }
    #expect(node.hasListener)
    node.value = 2
    node.value = 3
    executor.run()
    #expect(await task.value == 2)
    #expect(!node.hasListener)
  }

  @Test func `14.2 next of an empty node, of an event node and of a derived node`() async {
    let empty = MutableNode<Int>(), keys = MutableNode<Int>.eventNode(), source = MutableNode(1)
    let task = executor.task {
      await [try? empty.next(), try? keys.next(), try? source.map { $0 * 10 }.next()]
    }
    keys.value = 7
    empty.value = 1
    executor.run()
    keys.value = 8
    executor.run()
    source.value = 2
    executor.run()
    #expect(await task.value == [1, 8, 20])
  }

  @Test func `14.2 called by a listener, next is the value after the one that is being told`() async
  {
    let node = MutableNode(0), executor = executor
    let tasks = Mutex<[Task<Int?, Never>]>([])
    let listening = node.listen { value in
      if value != 1 { return }
      let task = executor.task { try? await node.next() }
      tasks.withLock { $0.append(task) }
    }
    node.value = 1
    executor.run()
    node.value = 2
    executor.run()
    #expect(await tasks.withLock { $0[0] }.value == 2)
    listening.cancel()
  }

  @Test func `14.2 first is the present value where that fits, else the first that does`()
    async throws
  {
    let node = MutableNode(1)
    #expect(try await node.first { $0 == 1 } == 1)
    let asked = Journal<Int>()
    let task = executor.task {
      try? await node.first {
        asked.note($0)
        return $0 > 3
      }
    }
    for value in 2...6 { node.value = value }
    executor.run()
    #expect(await task.value == 4)
    #expect(asked.entries == [1, 2, 3, 4])
    #expect(!node.hasListener)
  }

  @Test func `14.2 first hears every value, also of a consumer that is slow, and events`() async {
    let node = MutableNode(0), keys = MutableNode<Int>.eventNode()
    let first = executor.task { try? await node.first { $0 == 2 } }
    let key = executor.task { try? await keys.first { $0 == 2 } }
    for value in 1...5 { (node.value, keys.value) = (value, value) }
    executor.run()
    #expect(await first.value == 2)
    #expect(await key.value == 2)
  }

  @Test func `14.2 what the closure throws ends the wait`() async {
    let node = MutableNode(0)
    let task = executor.task {
      _ = await #expect(throws: Refusal()) {
        try await node.first { if $0 == 1 { throw Refusal() } else { false } }
      }
    }
    node.value = 1
    executor.run()
    await task.value
    #expect(!node.hasListener)
  }

  @Test @MainActor func `14.2 the closure of first runs on the actor that calls`() async throws {
    let node = MutableNode(0)
    var asked = 0
    Task { node.value = 1 }
    let value = try await node.first {
      MainActor.assertIsolated()
      asked += 1
      return $0 == 1
    }
    #expect(value == 1)
    #expect(asked >= 1)
  }

  @Test func `14.2 cancelled, next and first throw a CancellationError and leave nothing`()
    async throws
  {
    try await expectFreed {
      let node = MutableNode(1)
      let next = executor.task {
        do throws(CancellationError) {
          return try await node.map { $0 }.next()
        } catch { return -1 }
      }
      let first = executor.task {
        await #expect(throws: CancellationError.self) { try await node.first { $0 > 1 } }
      }
      #expect(node.listenerCount == 1)
      next.cancel()
      first.cancel()
      executor.run()
      #expect(await next.value == -1)
      _ = await first.value
      #expect(!node.hasListener)
    }
  }

  @Test func `14.2 in a task that was cancelled before they throw at once, whatever is present`()
    async
  {
    let node = MutableNode(1)
    let task = Task(executorPreference: executor) {
      _ = await #expect(throws: CancellationError.self) { try await node.next() }
      _ = await #expect(throws: CancellationError.self) { try await node.first { _ in true } }
    }
    task.cancel()
    executor.run()
    _ = await task.value
    #expect(!node.hasListener)
  }

  @Test func `14.6 a task that waits for a node does not keep settled from returning`() async {
    let node = MutableNode(1)
    let task = executor.task { try? await node.next() }
    #expect(await settled())
    node.value = 2
    executor.run()
    #expect(await task.value == 2)
  }
}
