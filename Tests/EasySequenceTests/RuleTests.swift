import EasySequence
import Foundation
import Testing

// The rules of the reference on RACSequence, part 2, by their numbers. Where the original is inconsistent, ours is not,
// and the test says so.

@Suite struct `2.1 Emptiness and nil` {
  @Test func `1 empty is having no element, not a nil head; the tail of the last is empty`() {
    #expect(LazyStream<Int>().isEmpty)
    #expect(LazyStream.just(1).tail.isEmpty)
    #expect(LazyStream<Int>().tail.isEmpty)
    #expect(LazyStream<Int>().uncons() == nil)
  }

  @Test func `2 nil is an element; only compactMap removes it, unlike the original's map`() {
    let numbers: LazyStream = [1, 2, 3]
    #expect(numbers.map { $0 == 2 ? nil : $0 }.array == [1, nil, 3])
    #expect(numbers.compactMap { $0 == 2 ? nil : $0 }.array == [1, 3])
    #expect(numbers.mapReplace(Int?.none).array == [nil, nil, nil])
    #expect(numbers.map { Optional($0) }.prepending(nil).array == [nil, 1, 2, 3])
  }

  @Test func `3 a stream of nil has one element`() {
    let stream = LazyStream<Int?>.just(nil)
    #expect(!stream.isEmpty)
    #expect(stream != LazyStream<Int?>())
    #expect(stream.array == [nil])
  }

  @Test func `4 ignoring nil removes it, as on signals`() {
    #expect(LazyStream<Int?>([1, nil, 2]).ignore(nil).array == [1, 2])
  }

  @Test func `5 an element that is nil does not end the stream`() {
    #expect(LazyStream<Int?>(head: { nil }, tail: { [1] }).array == [nil, 1])
  }

  @Test func `6 an empty stream from flatMap continues; nil from bind stops`() {
    let numbers: LazyStream = [0, 1, 2]
    #expect(numbers.flatMap { $0 == 1 ? [] : [$0 + 1] }.array == [1, 3])
    #expect(numbers.bind(()) { _, element, _ in element == 1 ? nil : [element + 1] }.array == [1])
  }
}

@Suite struct `2.2 Laziness and memoisation` {
  @Test
  func `7 building any operator evaluates nothing, also on a single element, unlike the original`()
  {
    let calls = Calls()
    let source = LazyStream.just(1).noting(calls)
    _ = source.map { $0 }
    _ = source.filter { _ in true }
    _ = source.flatMap { [$0] }
    _ = source.scan(0, +)
    _ = source.appending(source).dropFirst(3).prefix(4)
    _ = zip(source, source.tail)
    _ = source.removeDuplicates().drop { $0 > 1 }.prefix { $0 < 3 }
    _ = source.cycled()
    _ = source.description
    #expect(calls.all == [])
  }

  @Test func `8 each closure runs once an element, however often it is read and derived from`() {
    let calls = Calls()
    let stream = LazyStream(1...).noting(calls)
    #expect(stream.head == 1)
    #expect(stream.head == 1)
    #expect(stream.prefix(3).array == [1, 2, 3])
    #expect(stream.map { $0 * 2 }.prefix(3).array == [2, 4, 6])
    #expect(calls.all == [1, 2, 3])
  }

  @Test func `8 a stage that is held and one that is not run each closure once`() {
    let (first, second) = (Calls(), Calls())
    let held = LazyStream(1...).noting(first)
    let end = held.map { $0 * 10 }.noting(second).prefix(3)
    #expect(end.array == [10, 20, 30])
    #expect(end.array == [10, 20, 30])
    #expect(held.prefix(4).array == [1, 2, 3, 4])
    #expect(first.all == [1, 2, 3, 4])
    #expect(second.all == [10, 20, 30])
  }

  @Test func `9 reading an element runs nothing of the next one, unlike the original`() {
    let (source, mapped) = (Calls(), Calls())
    let stream = LazyStream(0...).noting(source).noting(mapped)
    #expect(stream.head == 0)
    #expect(source.all == [0])
    #expect(mapped.all == [0])
    #expect(stream.tail.head == 1)
    #expect(source.all == [0, 1])
  }

  @Test(arguments: 0...40) func `9 asking for k elements runs k closures`(_ count: Int) {
    let calls = Calls()
    let stream = LazyStream(0...).noting(calls)
    #expect(stream.prefix(count).array == Array(0..<count))
    #expect(calls.count == count)
  }

  @Test func `10 making a tail runs no head; its own head comes after the first`() {
    let calls = Calls()
    let stream = LazyStream<Int>(
      head: {
        calls.note(1)
        return 1
      },
      tail: {
        calls.note(2)
        return [2]
      })
    let tail = stream.tail
    #expect(calls.all == [])
    #expect(tail.head == 2)
    #expect(calls.all == [1, 2])
  }

  @Test
  func
    `11 a source that is consumed keeps its order when the tail is read first, unlike the original`()
  {
    var next = 0
    let stream = LazyStream(
      AnyIterator<Int> {
        next += 1
        return next <= 3 ? next : nil
      })
    #expect(stream.tail.head == 2)
    #expect(stream.head == 1)
    #expect(stream.tail.tail.head == 3)
    #expect(stream.array == [1, 2, 3])
  }

  @Test func `11 an iterator that is consumed is asked once an element, never after its end`() {
    let calls = Calls()
    var left = 2
    let stream = LazyStream(
      AnyIterator<Int> {
        calls.note(left)
        left -= 1
        return left >= 0 ? left : nil
      })
    #expect(calls.all == [])
    #expect(stream.array == [1, 0])
    #expect(stream.array == [1, 0])
    #expect(stream.dropFirst(5).isEmpty)
    #expect(calls.all == [2, 1, 0])
  }

  @Test func `12 the state of bind is made once a stream, and goes in the order of elements`() {
    let counted = LazyStream<String>(["a", "b", "c"]).bind(0) { count, _, _ in
      defer { count += 1 }
      return [count]
    }
    #expect(counted.array == [0, 1, 2])
    #expect(counted.array == [0, 1, 2])
    #expect(zip(counted, counted).map { $0 + $1 }.array == [0, 2, 4])
  }

  @Test func `13 a for loop evaluates exactly what it yields, unlike the original`() {
    let calls = Calls()
    for element in LazyStream(0...).noting(calls) where element == 1 { break }
    #expect(calls.all == [0, 1])
  }

  @Test(arguments: 0...130) func `13 walks end where the stream does, however long it is`(
    _ count: Int
  ) {
    // The original read on, or began anew, at 16 elements: #494, #714.
    let stream = LazyStream(0..<count).filter { _ in true }
    #expect(stream.array == Array(0..<count))
    #expect(stream.reduce(0) { sum, _ in sum + 1 } == count)
    var iterator = stream.makeIterator()
    for _ in 0..<count { _ = iterator.next() }
    #expect(iterator.next() == nil)
    #expect(iterator.next() == nil)
    #expect(stream.dropFirst(count).isEmpty)
    #expect(stream.dropFirst(count).tail.isEmpty)
  }

  @Test func `14 evaluating everything gives the same stream; a stream of a stream is itself`() {
    let calls = Calls()
    let stream = LazyStream(1...3).noting(calls)
    let evaluated = stream.evaluated()
    #expect(calls.all == [1, 2, 3])
    #expect(evaluated == stream)
    #expect(LazyStream(stream).known(limit: 9).elements == [1, 2, 3])
    #expect(calls.count == 3)
  }

  @Test func `15 stages of a lazy chain interleave by element`() {
    let calls = Calls()
    _ = LazyStream(1...2).noting(calls).map { $0 * 10 }.noting(calls).array
    #expect(calls.all == [1, 10, 2, 20])
  }

  @Test
  func `14 what is derived from an evaluated stream is lazy in all cases, unlike the original`() {
    let calls = Calls()
    let evaluated = LazyStream(1...3).evaluated()
    _ = evaluated.noting(calls)
    _ = zip(evaluated, evaluated.noting(calls))
    _ = evaluated.dropFirst(3).noting(calls)
    #expect(calls.all == [])
  }

  @Test func `17 a copy is the same stream: what one reads, the other knows`() {
    let calls = Calls()
    let stream = LazyStream(1...).noting(calls)
    let copy = stream
    #expect(copy[2] == 3)
    #expect(stream.prefix(3).array == [1, 2, 3])
    #expect(calls.all == [1, 2, 3])
    #expect(copy == stream)  // at once, though neither ends
    #expect(calls.all == [1, 2, 3])
  }

  @Test func `16 an element that asks for itself stops with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stream = LazyStream<Int>.recursive { stream in stream.map { $0 + 1 } }
      _ = stream.head
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("asked for while it is being computed"))
  }

  @Test func `13 a count below zero stops with a message`() async {
    let results = [
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = LazyStream([1]).prefix(-1)
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = LazyStream([1]).dropFirst(-2)
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = LazyStream.repeating(1, count: -3)
      },
    ]
    let texts = results.map { String(decoding: $0?.standardErrorContent ?? [], as: UTF8.self) }
    let expected = ["prefix of -1", "dropFirst of -2", "repeating(_:count:) of -3"]
    for (text, problem) in zip(texts, expected) {
      #expect(text.contains("LazyStream: \(problem). Pass zero or more."))
    }
  }
}

@Suite struct `2.3 Bind and stop` {
  @Test func `18 stop with a stream tells it and ends; with nil or an empty one it ends`() {
    let numbers = LazyStream(1...)
    let told = numbers.bind(()) { _, element, stop in
      stop = element == 2
      return [element]
    }
    #expect(told.array == [1, 2])
    let nothing = numbers.bind(()) { _, element, stop -> LazyStream<Int>? in
      stop = element == 2
      return stop ? nil : [element]
    }
    #expect(nothing.array == [1])
    let ended = numbers.bind(()) { _, element, stop -> LazyStream<Int>? in
      stop = element == 2
      return stop ? [] : [element]
    }
    #expect(ended.array == [1])
  }

  @Test func `19 after stop all of the last stream is told, unlike the original`() {
    let stream = LazyStream([1, 2, 3]).bind(()) { _, element, stop in
      stop = true
      return [element, element * 10, element * 100]
    }
    #expect(stream.array == [1, 10, 100])
  }

  @Test func `20 flatMap over a stream that was cut loses nothing, unlike the original`() {
    #expect(LazyStream([1, 2, 3]).prefix(2).flatMap { [$0, $0] }.array == [1, 1, 2, 2])
    let pairs = zip(LazyStream(["1", "2", "3"]), LazyStream(["a", "b", "c"]))
    #expect(pairs.flatMap { [$0.0, $0.1] }.array == ["1", "a", "2", "b", "3", "c"])
  }
}
