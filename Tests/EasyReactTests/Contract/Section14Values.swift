import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, 14.1: what a loop over a node's values hears, and when.
@Suite(.watched) struct `14 Values` {
  private let executor = ManualExecutor()

  @Test func `14.1 for await hears the present value first, then what comes`() async {
    let node = MutableNode(1), heard = Journal<Int>()
    let task = executor.task { for await value in node.values { heard.note(value) } }
    #expect(heard.take() == [1])
    node.value = 2
    #expect(heard.take() == [])  // the task hears it, not the set
    executor.run()
    #expect(heard.take() == [2])
    task.cancel()
    executor.run()
    await task.value
  }

  @Test func `14.1 of an empty node the first is the first that comes; emptying tells nothing`()
    async
  {
    let node = MutableNode<Int>(), heard = Journal<Int>()
    let task = executor.task {
      for await value in node.values(buffering: .unbounded) { heard.note(value) }
    }
    #expect(heard.take() == [])
    node.value = 1
    node.clean()
    node.value = 1
    executor.run()
    #expect(heard.take() == [1, 1])
    task.cancel()
    executor.run()
    await task.value
  }

  @Test
  func `14.1 an iterator listens from when it is made, so nothing is lost before its first next`()
    async
  {
    let node = MutableNode(1)
    let values = node.values(buffering: .unbounded)
    #expect(!node.hasListener)  // the sequence itself does not listen
    node.value = 2
    var iterator = values.makeAsyncIterator()
    #expect(node.listenerCount == 1)
    node.value = 3
    node.value = 4
    #expect(await [iterator.next(), iterator.next(), iterator.next()] == [2, 3, 4])
  }

  @Test
  func `14.1 what another thread sets between making an iterator and its first next is heard`()
    async
  {
    let node = MutableNode(0)
    var all = node.values(buffering: .unbounded).makeAsyncIterator()
    var newest = node.values.makeAsyncIterator()
    onThread { for value in 1...100 { node.value = value } }
    for value in 0...100 { #expect(await all.next() == value) }
    #expect(await newest.next() == 100)
  }

  @Test func `14.1 an iterator made while another thread is inside hears what that one tells`()
    async
  {
    let node = MutableNode(0)
    var iterator = node.values(buffering: .unbounded).makeAsyncIterator()
    whileInside(node, settingTo: 1) {
      iterator = node.values(buffering: .unbounded).makeAsyncIterator()
      node.value = 2  // left with that thread
    }
    var heard: [Int?] = []
    repeat { heard.append(await iterator.next()) } while heard.last != 2
    #expect(heard == [1, 2])
  }

  @Test func `14.1 iterators of one sequence are listeners of their own: each hears all`() async {
    let node = MutableNode(1), values = node.values(buffering: .unbounded)
    var first = values.makeAsyncIterator()
    #expect(await first.next() == 1)
    var second = values.makeAsyncIterator()
    node.value = 2
    #expect(await [first.next(), second.next(), second.next()] == [2, 1, 2])
    #expect(node.listenerCount == 2)
    keepAlive(node)
  }

  @Test func `14.1 a copy of an iterator shares what it has taken`() async {
    let node = MutableNode(1)
    var iterator = node.values(buffering: .unbounded).makeAsyncIterator()
    var copy = iterator
    node.value = 2
    #expect(await iterator.next() == 1)
    #expect(await copy.next() == 2)
    #expect(node.listenerCount == 1)
  }

  @Test func `14.1 the sequence keeps the node alive, and so does an iterator`() async {
    let lives = LifetimeTracker()
    var values: NodeValues<Int>? = lives.track(MutableNode(7), "node").values
    #expect(lives.alive == ["node"])
    var iterator = values?.makeAsyncIterator()
    values = nil
    #expect(await iterator?.next() == 7)
    #expect(lives.alive == ["node"])
    iterator = nil
    #expect(lives.alive == [])
  }

  @Test func `14.1 values of a derived node are told once a turn, without a mixture`() async {
    let a = MutableNode(1), sum = a.map { $0 + 1 }.combine(a.map { $0 * 10 })
    var iterator = sum.map { [$0, $1] }.values(buffering: .unbounded).makeAsyncIterator()
    a.value = 2
    #expect(await [iterator.next(), iterator.next()] == [[2, 10], [3, 20]])
  }

  @Test func `14.1 who sets the node in the loop over it hears that too`() async {
    let node = MutableNode(0)
    var heard: [Int] = []
    for await value in node.values {
      heard.append(value)
      if value == 1_000 { break }
      node.value = value + 1
    }
    #expect(heard == Array(0...1_000))
    #expect(!node.hasListener)
  }

  @Test @MainActor func `14.1 on the main actor the loop stays there`() async {
    let node = MutableNode(1)
    var heard: [Int] = []
    for await value in node.values {
      MainActor.assertIsolated()
      heard.append(value)
      if value == 3 { break }
      node.value = value + 1
    }
    #expect(heard == [1, 2, 3])
    var iterator = node.values.makeAsyncIterator()
    #expect(await iterator.next() == 3)
  }

  @Test func `14.1 the sequence's own operators work on it`() async {
    let node = MutableNode(1), heard = Journal<String>()
    let task = executor.task {
      for await text in node.values.filter({ $0 % 2 == 1 }).map({ "\($0)" }).prefix(2) {
        heard.note(text)
      }
    }
    node.value = 2
    executor.run()
    node.value = 3
    executor.run()
    await task.value
    #expect(heard.entries == ["1", "3"])
    #expect(!node.hasListener)
  }
}

/// Contract, 14.1: what a slow consumer gets.
@Suite(.watched) struct `14 Buffering` {
  /// What comes of six values that were told before the consumer took one, and one after.
  private func heard(_ policy: BufferingPolicy?, of node: MutableNode<Int>) async -> [Int] {
    let values = policy.map { node.values(buffering: $0) } ?? node.values
    let executor = ManualExecutor(), heard = Journal<Int>()
    var iterator = values.makeAsyncIterator()
    for value in 2...6 { node.value = value }
    // Unsafe: handed over to the task: from here on nobody else uses it.
    nonisolated(unsafe) let taken = iterator
    let task = executor.task {
      iterator = taken
      while let value = await iterator.next() { heard.note(value) }
    }
    node.value = 7
    executor.run()
    task.cancel()
    executor.run()
    await task.value
    return heard.entries
  }

  @Test(
    arguments: [
      (nil, [6, 7]), (.newest(1), [6, 7]), (.newest(3), [4, 5, 6, 7]), (.oldest(1), [1, 7]),
      (.oldest(3), [1, 2, 3, 7]), (.unbounded, [1, 2, 3, 4, 5, 6, 7]),
      (.newest(.max), [1, 2, 3, 4, 5, 6, 7]), (.oldest(.max), [1, 2, 3, 4, 5, 6, 7]),
    ] as [(BufferingPolicy?, [Int])])
  func `14.1 a slow consumer gets what the policy says, in order`(
    _ policy: BufferingPolicy?, _ expected: [Int]
  ) async {
    #expect(await heard(policy, of: MutableNode(1)) == expected)
  }

  @Test func `14.1 a capacity counts what waits, not what the consumer has`() async {
    let node = MutableNode(1)
    var iterator = node.values(buffering: .oldest(2)).makeAsyncIterator()
    node.value = 2
    #expect(await iterator.next() == 1)
    node.value = 3
    node.value = 4
    #expect(await [iterator.next(), iterator.next()] == [2, 3])
    node.value = 5
    #expect(await iterator.next() == 5)
  }

  @Test
  func `14.1 a consumer that was woken gets the newest when it runs, not the one that woke it`()
    async
  {
    let node = MutableNode<Int>(), executor = ManualExecutor(), heard = Journal<Int>()
    let task = executor.task { for await value in node.values { heard.note(value) } }
    for value in 1...3 { node.value = value }
    executor.run()
    #expect(heard.entries == [3])
    task.cancel()
    executor.run()
    await task.value
  }

  @Test func `14.1 on an event node all events come, in order, but for those before the iterator`()
    async
  {
    #expect(await heard(nil, of: .eventNode()) == [2, 3, 4, 5, 6, 7])
    #expect(await heard(.newest(1), of: .eventNode()) == [6, 7])
  }

  @Test func `14.1 what passes events on tells them all; where they are kept the newest is enough`()
    async
  {
    let keys = MutableNode<Int>.eventNode()
    var passed = keys.map { $0 * 10 }.values.makeAsyncIterator()
    var kept = keys.held().values.makeAsyncIterator()
    for key in 1...3 { keys.value = key }
    #expect(await [passed.next(), passed.next(), passed.next()] == [10, 20, 30])
    #expect(await kept.next() == 3)
  }

  @Test func `14.1 of events and values merged no event is lost, and values only to newer ones`()
    async
  {
    let keys = MutableNode<Int>.eventNode(), level = MutableNode(100)
    var iterator = keys.merge(level).values.makeAsyncIterator()
    keys.value = 1
    keys.value = 2
    for value in 101...103 { level.value = value }
    keys.value = 3
    level.value = 104
    var heard: [Int?] = []
    for _ in 0..<6 { heard.append(await iterator.next()) }
    #expect(heard == [100, 1, 2, 103, 3, 104])
  }

  @Test func `14.1 what is dropped is freed at once, and under no lock`() async {
    let tokens = LifetimeTracker()
    let node = MutableNode<Echo>()
    let echo = MutableNode<Int>.eventNode()
    var iterator = node.values.makeAsyncIterator()
    for number in 1...3 {
      let value = Echo(number) { echo.value = $0 }
      node.value = tokens.track(value, "\(number)")
    }
    // The deinit of what was dropped sets a node and asks this very iterator's node.
    let gone = echo.listen { _ in node.clean() }
    node.value = tokens.track(Echo(4) { _ in }, "4")
    #expect(tokens.alive == ["4"])
    #expect(await iterator.next()?.number == 4)
    gone.cancel()
  }

  private final class Echo: Sendable {
    let number: Int
    private let end: @Sendable (Int) -> Void
    init(_ number: Int, _ end: @escaping @Sendable (Int) -> Void) {
      self.number = number
      self.end = end
    }
    deinit { end(number) }
  }

  @Test(arguments: [BufferingPolicy.unbounded, .newest(1)])
  func `14.1 a million values, while the consumer is at it`(_ policy: BufferingPolicy) async {
    let count = Sanitizer.part(of: 1_000_000)
    let node = MutableNode(0)
    let consumer = Task { [values = node.values(buffering: policy)] in
      var (last, heard, isRising) = (-1, 0, true)
      for await value in values {
        isRising = isRising && value > last
        (last, heard) = (value, heard + 1)
        if value == count { break }
      }
      return (heard, isRising)
    }
    // The task may begin late, and then hears what is present.
    for value in 1...count { node.value = value }
    let (heard, isRising) = await consumer.value
    #expect(isRising)
    #expect(heard <= count + 1)
    #expect(!node.hasListener)
  }

  @Test func `14.1 a million values that wait for a consumer all come, in order`() async {
    let count = Sanitizer.part(of: 1_000_000)
    let node = MutableNode(0)
    var iterator = node.values(buffering: .unbounded).makeAsyncIterator()
    for value in 1...count { node.value = value }
    var wrong = 0
    for value in 0...count where await iterator.next() != value { wrong += 1 }
    #expect(wrong == 0)
  }
}
