import EasyReact
import EasyReactTesting
import Foundation
import Testing

// MARK: - 9-11

extension Examples {
  @Test func `9 fork, map and mapReplace`() {
    let a = MutableNode(1)
    let copy = a.fork()
    let text = a.map { "\($0)" }
    #expect(copy.value == 1)
    #expect(text.value == "1")
    a.value = 2
    #expect(copy.value == 2)
    #expect(text.value == "2")
    let b = MutableNode(1)
    let bell = Recorder(b.mapReplace("ding"))
    b.value = 2
    b.value = 3
    #expect(bell.values == ["ding", "ding", "ding"])
  }

  @Test func `10 filter, ignore and select`() {
    let a = MutableNode(1)
    let big = a.filter { $0 > 5 }
    #expect(big.isEmpty)
    a.value = 6
    #expect(big.value == 6)
    a.value = 3
    #expect(big.value == 6)

    let b = MutableNode(1)
    let log = Journal<String>()
    let listenings = [
      b.ignore(1).listen { log.note("ignore \($0)") },
      b.select(1).listen { log.note("select \($0)") },
    ]
    for value in [12, 1, 7] { b.value = value }
    #expect(log.entries == ["select 1", "ignore 12", "select 1", "ignore 7"])
    #expect(listenings.count == 2)
  }

  @Test func `11 distinctUntilChanged`() {
    let a = MutableNode(1)
    let log = Recorder(a.distinctUntilChanged())
    for value in [1, 2, 2, 1, 2] { a.value = value }
    #expect(log.values == [1, 2, 1, 2])
  }
}

// MARK: - 12-16

extension Examples {
  @Test func `12 debounce, the original's throttle`() {
    let main = VirtualScheduler()
    let typed = MutableNode<String>()
    let log = Recorder(typed.debounce(.seconds(1), on: main))
    for text in ["h", "he", "hel", "hell", "hello"] { typed.value = text }
    main.advance(by: .milliseconds(1200))
    for text in ["hello ", "hello w", "hello wo", "hello wor", "hello worl", "hello world"] {
      typed.value = text
    }
    main.run()
    #expect(log.values == ["hello", "hello world"])
  }

  @Test func `13 skip and take`() {
    let a = MutableNode<Int>()
    let later = a.skip(2)
    a.value = 1
    #expect(later.isEmpty)
    a.value = 2
    #expect(later.isEmpty)
    a.value = 3
    #expect(later.value == 3)

    let b = MutableNode<Int>()
    let first = b.take(2)
    b.value = 1
    #expect(first.value == 1)
    b.value = 2
    #expect(first.value == 2)
    b.value = 3
    #expect(first.value == 2)
  }

  @Test
  func `14 deliver before a slow map, and on main before a main-only map`() async {
    let isSet = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "example 14")
    let a = MutableNode<Int>()
    let slow = a.deliver(on: .queue(queue)).map { value in
      // Would never return if the setting thread waited for it.
      let result = isSet.wait(timeout: patience)
      return result == .success ? value * 10 : -1
    }
    let shown = slow.deliver(on: .main).map { value in
      MainActor.assumeIsolated { "\(value) \(Self.isOnMainQueue())" }
    }
    let (stream, says) = AsyncStream.makeStream(of: String.self)
    let listening = shown.listen { says.yield($0) }
    a.value = 1
    isSet.signal()
    DispatchQueue.global().async {
      a.value = 2
      isSet.signal()
    }
    #expect(await Self.first(2, of: stream) == ["10 true", "20 true"])
    listening.cancel()
  }

  @Test func `15 delay`() {
    let global = VirtualScheduler()
    let main = VirtualScheduler()
    let a = MutableNode(1)
    let one = Recorder(a.delay(.seconds(1), on: global), clock: global)
    let two = Recorder(a.delay(.seconds(2), on: main), clock: main)
    a.value = 2
    for clock in [global, main] { clock.advance(by: .milliseconds(500)) }
    a.value = 3
    for clock in [global, main] { clock.run() }
    #expect(one.values == [1, 2, 3])
    #expect(one.times == [.seconds(1), .seconds(1), .milliseconds(1500)])
    #expect(two.values == [1, 2, 3])
    #expect(two.times == [.seconds(2), .seconds(2), .milliseconds(2500)])
  }

  @Test func `16 scan`() {
    let a = MutableNode<Int>()
    let log = Recorder(a.scan([]) { $0 + [$1] })
    for value in 1...5 { a.value = value }
    #expect(log.values == [[1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5]])
  }
}

// MARK: - 17-19

extension Examples {
  @Test func `17 combine`() {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let sum = a.combine(b).map { $0 + $1 }
    #expect(sum.value == 3)
    a.value = 4
    #expect(sum.value == 6)
    b.value = 6
    #expect(sum.value == 10)
  }

  @Test func `18 merge`() {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let either = a.merge(b)
    #expect(either.value == 2)
    a.value = 3
    #expect(either.value == 3)
    b.value = 4
    #expect(either.value == 4)
  }

  @Test func `19 zip`() {
    let a = MutableNode(1)
    let b = MutableNode(2)
    let log = Recorder(a.zip(b))
    a.value = 3
    a.value = 4
    b.value = 5
    a.value = 6
    b.value = 7
    #expect(log.values.map { "\($0)" } == ["(1, 2)", "(3, 5)", "(4, 7)"])
  }
}
