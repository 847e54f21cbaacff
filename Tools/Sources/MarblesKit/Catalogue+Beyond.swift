import EasyReact
import Synchronization

// The operators beyond the original: section 10.6 of the contract.

extension Catalogue {
  static let counting: [Entry] = [
    Entry("count", "How many values there were so far.", ["x: a-b-a-c-"]) { draw, s in
      draw.result("x.count()", s.x.count())
    },
    Entry("enumerated", "Each value with its number, from zero.", ["x: a-b-a-c-"]) { draw, s in
      draw.result("x.enumerated()", s.x.enumerated()) { "\($0.offset)\($0.element)" }
    },
    Entry(
      "pairwise", "Each value with the one before it.", ["a: 1-2-3-4-"],
      known: ["combinePrevious", "zipPrevious"]
    ) { draw, s in
      draw.result("a.pairwise()", s.a.pairwise()) { "\($0)\($1)" }
      draw.line("startingWith: 0", s.a.pairwise(startingWith: 0)) { "\($0)\($1)" }
    },
    Entry(
      "scan-first", "Without a first total, the first value is it.", ["a: 3-1-5-2-"],
      known: ["reductions"]
    ) { draw, s in
      draw.result("a.scan { max($0, $1) }", s.a.scan { max($0, $1) })
    },
    Entry(
      "scan-into", "The total is changed in place, which spares copies.", ["a: 1-2-3-4-"],
      known: ["reduce(into:)"]
    ) { draw, s in
      draw.result("a.scan(into: 0) { $0 += $1 }", s.a.scan(into: 0) { $0 += $1 })
    },
    Entry(
      "collect", "Arrays of so many values; each value is in one of them.", ["a: 1-2-3-4-5-6-"],
      known: ["bufferCount", "chunked", "chunks"]
    ) { draw, s in
      draw.result("a.collect(count: 3)", s.a.collect(count: 3), as: joined)
    },
  ]

  static let gating: [Entry] = [
    Entry(
      "startWith", "Holds the first value until the node tells one.", ["a: ---1--2-"],
      known: ["prepend", "prefix(value:)"]
    ) { draw, s in
      draw.result("a.startWith(0)", s.a.startWith(0))
    },
    Entry(
      "takeWhile", "Values pass until one does not fit; from there on nothing passes.",
      ["a: 1-4-7-2-3-"], known: ["prefix(while:)", "take(while:)"]
    ) { draw, s in
      draw.result("a.takeWhile { $0 < 5 }", s.a.takeWhile { $0 < 5 })
      draw.line("inclusive", s.a.takeWhile(inclusive: true) { $0 < 5 })
    },
    Entry(
      "skipWhile", "Values are left out until one does not fit; from there on all pass.",
      ["a: 1-4-7-2-3-"], known: ["drop(while:)", "dropWhile", "skip(while:)"]
    ) { draw, s in
      draw.result("a.skipWhile { $0 < 5 }", s.a.skipWhile { $0 < 5 })
    },
    Entry(
      "takeUntil", "Values pass until the other node tells something.",
      ["a: 1-2-3-4-5-", "x: -----x----"], known: ["prefix(untilOutputFrom:)", "take(until:)"]
    ) { draw, s in
      draw.result("a.takeUntil(x)", s.a.takeUntil(s.x))
    },
    Entry(
      "skipUntil", "Values pass from when the other node tells something.",
      ["a: 1-2-3-4-5-", "x: -----x----"], known: ["drop(untilOutputFrom:)", "skip(until:)"]
    ) { draw, s in
      draw.result("a.skipUntil(x)", s.a.skipUntil(s.x))
    },
  ]

  static let limiting: [Entry] = [
    Entry(
      "throttleFirst", "At most one value an interval: the first passes, the others are dropped.",
      ["a: 1-23--4----56--"]
    ) { draw, s in
      draw.result(
        "a.throttleFirst(.seconds(3), on: clock)", s.a.throttleFirst(.seconds(3), on: s.clock))
    },
    Entry(
      "throttleLatest",
      "At most one value an interval: the first at once, then the latest of each.",
      ["a: 1-23--4----56--"]
    ) { draw, s in
      draw.result(
        "a.throttleLatest(.seconds(3), on: clock)", s.a.throttleLatest(.seconds(3), on: s.clock))
    },
    Entry(
      "sample-every", "The latest value at the end of each interval, if there was a new one.",
      ["a: 1-23-----4-5--"], known: ["sample", "sampleTime"]
    ) { draw, s in
      draw.result(
        "a.sample(every: .seconds(4), on: clock)", s.a.sample(every: .seconds(4), on: s.clock))
    },
    Entry(
      "buffer", "What came in each interval, told at its end.", ["a: 1-23-----4-5--"],
      known: ["bufferTime", "collect(.byTime)", "collect(every:)"]
    ) { draw, s in
      draw.result(
        "a.buffer(for: .seconds(4), on: clock)", s.a.buffer(for: .seconds(4), on: s.clock),
        as: joined)
    },
    Entry(
      "buffer-orCount", "What came in each interval; when there are enough, at once.",
      ["a: 1-23----45---"], known: ["collect(.byTimeOrCount)"]
    ) { draw, s in
      draw.result(
        "a.buffer(for: .seconds(4), orCount: 2, on: clock)",
        s.a.buffer(for: .seconds(4), orCount: 2, on: s.clock), as: joined)
    },
    Entry(
      "timeout", "Each value, and a failure when none came for the interval.", ["a: 1-2-----3-----"]
    ) { draw, s in
      draw.result(
        "a.timeout(.seconds(3), on: clock)", s.a.timeout(.seconds(3), on: s.clock), as: outcome)
    },
    Entry("interval", "Tells 0, 1, 2, … once an interval.", [], steps: 14, known: ["timer(every:)"])
    {
      draw, s in
      draw.result("Node.interval(.seconds(3), on: clock)", Node.interval(.seconds(3), on: s.clock))
    },
    Entry("timer", "Tells 0 after the delay, then once a period, if there is one.", [], steps: 14) {
      draw, s in
      draw.result(
        "Node.timer(after: .seconds(2), every: .seconds(4), on: clock)",
        Node.timer(after: .seconds(2), every: .seconds(4), on: s.clock))
    },
  ]

  static let following: [Entry] = [
    Entry(
      "flattenMerge", "Follows every node that the outer one has held.",
      ["a: 1--2----3-", "b: --6----78-", "outer: a----b----"],
      known: ["merge()", "flatten(.merge)"]
    ) { draw, s in
      draw.result("outer.flattenMerge()", s.outer.flattenMerge())
    },
    Entry(
      "mergeMap", "Follows every node that the closure made of a value.",
      ["a: 1-----2-----", "b: -3-4---5-6-"], known: ["flatMap", "flatMap(.merge)"]
    ) { draw, s in
      draw.result(
        "a.mergeMap { a in b.map { a * 10 + $0 } }", s.a.mergeMap { a in s.b.map { a * 10 + $0 } })
    },
    Entry(
      "mergeMap-maxConcurrent",
      "Follows so many at a time, each until it told a value; others wait.",
      ["a: 1234-----------"], known: ["merge(maxConcurrent:)", "flatMap(maxPublishers:)"]
    ) { draw, s in
      draw.result(
        "a.mergeMap(maxConcurrent: 2) { Node($0).delay(.seconds(3), on: clock) }",
        s.a.mergeMap(maxConcurrent: 2) { Node($0).delay(.seconds(3), on: s.clock) })
    },
    Entry(
      "concatMap", "Follows one after the other, each until it told a value; none is left out.",
      ["a: 123------------"], known: ["flatMap(.concat)"]
    ) { draw, s in
      draw.result(
        "a.concatMap { Node($0).delay(.seconds(3), on: clock) }",
        s.a.concatMap { Node($0).delay(.seconds(3), on: s.clock) })
    },
    Entry(
      "exhaustMap", "Follows one until it told a value; what comes meanwhile is dropped.",
      ["a: 123-4---5------"], known: ["flatMapFirst", "flatMap(.throttle)"]
    ) { draw, s in
      draw.result(
        "a.exhaustMap { Node($0).delay(.seconds(3), on: clock) }",
        s.a.exhaustMap { Node($0).delay(.seconds(3), on: s.clock) })
    },
  ]

  static let grouping: [Entry] = [
    Entry("partition", "The two halves of an if, as a tuple.", ["a: 1-2-3-4-5-"]) { draw, s in
      let (even, odd) = draw.code(
        "let (even, odd) = a.partition { $0 % 2 == 0 }", s.a.partition { $0 % 2 == 0 })
      draw.line("even", even)
      draw.line("odd", odd)
    },
    Entry(
      "groupBy", "A group for each key that comes, told when its first value comes.",
      ["a: 1-3-4-5-6-"]
    ) { draw, s in
      let groups = draw.code(
        #"let groups = a.groupBy { $0 % 2 == 0 ? "even" : "odd" }"#,
        s.a.groupBy { $0 % 2 == 0 ? "even" : "odd" })
      draw.line("groups", groups) { $0.key }
      draw.result(
        "groups.mergeMap { group in group.values.scan(0) { $0 + $1 } }",
        groups.mergeMap { group in group.values.scan(0) { $0 + $1 } })
    },
  ]

  static let sampling: [Entry] = [
    Entry(
      "withLatest", "Each value with the latest of the other node.",
      ["a: -1--2-3---4-", "x: ---a---b-c--"], known: ["withLatestFrom"]
    ) { draw, s in
      draw.result("a.withLatest(from: x)", s.a.withLatest(from: s.x)) { "\($0)\($1)" }
    },
    Entry(
      "sample", "The latest value whenever the other node tells something, if it is new.",
      ["a: 1--2-3---4--", "x: --x---x-x--x"], known: ["sampleOn", "sample(on:)"]
    ) { draw, s in
      draw.result("a.sample(on: x)", s.a.sample(on: s.x))
    },
    Entry(
      "race", "Follows whichever tells a value first, and leaves the others.",
      ["a: ---1-2-3--", "b: --7---8--9"], known: ["amb", "race(with:)"]
    ) { draw, s in
      draw.result("a.race(b)", s.a.race(s.b))
    },
    Entry(
      "combine-dictionary", "The latest of each, under their keys.",
      ["a: 1----2-----", "b: --7------8-"]
    ) { draw, s in
      draw.result(
        #"Node.combine(["a": a, "b": b])"#, Node.combine(["a": s.a, "b": s.b])
      ) { values in values.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value)" }.joined() }
    },
    Entry(
      "flattenCombine", "The latest of each node in a set that changes.",
      ["a: 1----2----3-", "b: 7-------8---", "set: a--'ab'---b----"]
    ) { draw, s in
      draw.result("set.flattenCombine()", s.set.flattenCombine(), as: joined)
    },
  ]

  static let results: [Entry] = [
    Entry(
      "tryMap", "What the closure makes of each value, or the error that it throws.",
      ["x: 1-q-2-z-3-"], known: ["attemptMap"]
    ) { draw, s in
      draw.result("x.tryMap(parse)", s.x.tryMap(parse), as: outcome)
    },
    Entry("successes", "The values of the successes.", ["x: 1-q-2-z-3-"], known: ["elements"]) {
      draw, s in
      draw.result("x.tryMap(parse).successes()", s.x.tryMap(parse).successes())
    },
    Entry("failures", "The errors of the failures.", ["x: 1-q-2-z-3-"], known: ["errors"]) {
      draw, s in
      draw.result("x.tryMap(parse).failures()", s.x.tryMap(parse).failures())
    },
    Entry("mapError", "Each error becomes what the closure makes of it.", ["x: 1-q-2-z-3-"]) {
      draw, s in
      draw.result(
        #"x.tryMap(parse).mapError { Failure("\($0)!") }"#,
        s.x.tryMap(parse).mapError { Failure("\($0)!") }, as: outcome)
    },
    Entry(
      "replaceError", "A value stands for each failure.", ["x: 1-q-2-z-3-"],
      known: ["catchAndReturn", "catchErrorJustReturn"]
    ) { draw, s in
      draw.result(
        "x.tryMap(parse).replaceError(with: 0)", s.x.tryMap(parse).replaceError(with: 0))
    },
    Entry(
      "catch", "After a failure follows another node, until the next result.",
      ["x: 1-q---2--z--", "b: 7--8-9----6-"], known: ["flatMapError", "catchError"]
    ) { draw, s in
      draw.result("x.tryMap(parse).catch { _ in b }", s.x.tryMap(parse).catch { _ in s.b })
    },
    Entry(
      "retry",
      "A failure is followed by another attempt, so many times; a new value empties the result.",
      ["x: -3-----z-----"]
    ) { draw, s in
      let server = Server()
      draw.result(
        "x.retry(times: 2, delay: .seconds(2), on: clock) { server.load($0) }",
        s.x.retry(times: 2, delay: .seconds(2), on: s.clock) { server.load($0) }, as: outcome)
    },
    Entry(
      "retry-atOnce", "The same without a delay: the next attempt follows in the same turn.",
      ["x: -3-----z-----"]
    ) { draw, s in
      let server = Server()
      draw.result(
        "x.retry(times: 2) { server.load($0) }", s.x.retry(times: 2) { server.load($0) },
        as: outcome)
    },
  ]
}

// MARK: - What the entries use

private struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// `7` or, for a failure, `✗q`.
@Sendable private func outcome<Value, Failure>(_ result: Result<Value, Failure>) -> String {
  switch result {
  case .success(let value): "\(value)"
  case .failure(let error): error is TimeoutError ? "✗" : "✗\(error)"
  }
}

@Sendable private func joined(_ values: [Int]) -> String { values.map(String.init).joined() }

@Sendable private func parse(_ text: String) throws -> Int {
  guard let number = Int(text) else { throw Failure(text) }
  return number
}

/// Answers the third time that it is asked for a number, and never for anything else.
private final class Server: Sendable {
  private let asked = Mutex<[String: Int]>([:])

  func load(_ text: String) -> Node<Result<Int, Failure>> {
    let times = asked.withLock { asked in
      asked[text, default: 0] += 1
      return asked[text]!
    }
    guard let number = Int(text), times == 3 else { return Node(.failure(Failure(text))) }
    return Node(.success(number))
  }
}
