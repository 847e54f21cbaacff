import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 10.6: nodes of results.
@Suite("10.6 Results", .watched) struct ResultTests {
  struct Problem: Error, Equatable { var code: Int }
  typealias Outcome = Result<Int, Problem>

  @Test func `10.6 tryMap tells a result for each value, and goes on after a failure`() throws {
    let text = MutableNode("1")
    let number = text.tryMap { text in
      guard let number = Int(text) else { throw Refusal(reason: text) }
      return number
    }
    let told = Recorder(number.map { result in (try? result.get()).map { "\($0)" } ?? "failed" })
    text.value = "x"
    text.clean()
    text.value = "3"
    #expect(told.values == ["1", "failed", "3"])
    let failures = Recorder(number.failures().map { "\($0)" })
    text.value = "y"
    #expect(failures.values == ["Refusal(reason: \"y\")"])
    try Operators.repoint(number, to: MutableNode("9"))
    #expect(try number.value?.get() == 9)
    #expect(checkInvariants([text, number]) == [])
  }

  @Test func `10.6 tryMap of results maps the successes and lets failures pass`() {
    let a = MutableNode<Outcome>(.success(1))
    let calls = Tally()
    let halves = a.tryMap { number -> Int in
      calls.add()
      if number.isMultiple(of: 2) { return number / 2 }
      throw Refusal(reason: "odd")
    }
    let told = Recorder(
      halves.map { result in
        switch result {
        case .success(let value): "\(value)"
        case .failure(let error): "\(error)"
        }
      })
    a.value = .failure(Problem(code: 7))
    a.value = .success(8)
    #expect(told.values == ["Refusal(reason: \"odd\")", "Problem(code: 7)", "4"])
    #expect(calls.count == 2)
  }

  @Test func `10.6 tryMap keeps the type of error that its function throws`() {
    @Sendable func half(_ number: Int) throws(Problem) -> Int {
      if number.isMultiple(of: 2) { return number / 2 }
      throw Problem(code: number)
    }
    let a = MutableNode(8)
    let halves: Node<Outcome> = a.tryMap(half)
    let quarters: Node<Outcome> = halves.tryMap(half)
    let told = Recorder(quarters)
    a.value = 6
    a.value = 5
    #expect(told.values == [.success(2), .failure(Problem(code: 3)), .failure(Problem(code: 5))])
    let plain: Node<Outcome> = quarters.tryMap { $0 + 1 }
    a.value = 4
    #expect(plain.value == .success(2))
  }

  @Test func `10.6 successes and failures part a node of results, and each keeps its last`() {
    let a = MutableNode<Outcome>(.success(1))
    let values = a.successes(), errors = a.failures()
    #expect(values.value == 1 && errors.isEmpty)
    let good = Recorder(values), bad = Recorder(errors)
    a.set(.failure(Problem(code: 2)), context: "why")
    a.clean()
    a.value = .success(3)
    #expect(good.values == [1, 3])
    #expect(bad.values == [Problem(code: 2)])
    #expect(bad.contexts.map { $0 as? String } == ["why"])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `10.6 mapError changes the errors alone, replaceError puts a value in their place`() {
    let a = MutableNode<Outcome>(.failure(Problem(code: 2)))
    let mapped = Recorder(a.mapError { Refusal(reason: "\($0.code)") })
    let replaced = Recorder(a.replaceError(with: -1))
    a.value = .success(1)
    #expect(mapped.values == [.failure(Refusal(reason: "2")), .success(1)])
    #expect(replaced.values == [-1, 1])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `10.6 catch follows the handler's node after a failure, until the next result`() throws
  {
    let a = MutableNode<Outcome>(.success(1))
    let spares = [MutableNode(100), MutableNode<Int>()]
    let whole = a.catch { spares[$0.code] }
    let told = Recorder(whole)
    a.set(.failure(Problem(code: 0)), context: "failure")
    spares[0].value = 101
    a.value = .success(2)
    spares[0].value = 102  // left
    a.value = .failure(Problem(code: 1))
    #expect(whole.value == 2)  // the spare node is empty
    a.clean()
    spares[1].value = 200
    #expect(told.values == [1, 100, 101, 2, 200])
    #expect(told.contexts.map { $0 as? String } == [nil, "failure", nil, nil, nil])
    #expect(!spares[0].hasDownstreamNode)
    whole.wiring.removeUpstreamNode(a)
    #expect(!spares[1].hasDownstreamNode)
    #expect(checkInvariants([a, whole] + spares) == [])
  }

  @Test func `10.6 catch of a second failure with the same empty node leaves the result as it is`()
  {
    let a = MutableNode<Outcome>(.success(1)), spare = MutableNode<Int>()
    let whole = a.catch { _ in spare }
    for code in 1...2 { a.value = .failure(Problem(code: code)) }
    #expect(whole.value == 1)
    spare.value = 5
    a.value = .failure(Problem(code: 3))
    #expect(whole.value == 5)
  }

  // MARK: Retry

  /// Attempts that are answered by hand.
  private final class Server: Sendable {
    let asked = Journal<String>()
    let answers = Journal<MutableNode<Outcome>>()
    func ask(_ query: String) -> Node<Outcome> {
      let answer = MutableNode<Outcome>()
      asked.note(query)
      answers.note(answer)
      return answer
    }
    func answer(_ outcome: Outcome) { answers.entries.last?.value = outcome }
  }

  @Test func `10.6 retry tries again after the delay, and tells the success or the last failure`() {
    let clock = VirtualScheduler()
    let server = Server()
    let query = MutableNode("q")
    let result = query.retry(times: 2, delay: .seconds(1), on: clock) { server.ask($0) }
    let told = Recorder(result, clock: clock)
    for code in 1...3 {
      server.answer(.failure(Problem(code: code)))
      clock.advance(by: .milliseconds(999))
      #expect(server.asked.count == code)
      clock.advance(by: .milliseconds(1))
    }
    #expect(server.asked.count == 3)
    #expect(told.values == [.failure(Problem(code: 3))])
    #expect(told.times == [.seconds(2)])
    server.answer(.success(5))
    #expect(told.values.last == .success(5))
    #expect(clock.pendingCount == 0)
    #expect(checkInvariants([query, result]) == [])
  }

  @Test
  func `4.3, 10.6 an attempt is no part of the batch that is open when the scheduler runs it`() {
    struct Thrown: Error {}
    let query = MutableNode(1), attempts = Tally(), made = Journal<Node<Result<Int, Thrown>>>()
    #expect(throws: Thrown.self) {
      try batch {
        made.note(
          query.retry(times: 2, delay: .seconds(1), on: .immediate) { _ in
            attempts.add()
            return MutableNode(.failure(Thrown()))
          })
        throw Thrown()
      }
    }
    #expect(attempts.count == 3)
    #expect(made.entries[0].value.map { (try? $0.get()) == nil } == true)
  }

  @Test func `10.6 retry of a newer value leaves the attempts of the one before, and counts anew`()
  {
    let clock = VirtualScheduler()
    let server = Server()
    let query = MutableNode("old")
    let told = Recorder(query.retry(times: 1, delay: .seconds(1), on: clock) { server.ask($0) })
    server.answer(.failure(Problem(code: 1)))
    query.value = "new"
    #expect(clock.pendingCount == 0)
    clock.run()
    #expect(server.asked.entries == ["old", "new"])
    server.answer(.failure(Problem(code: 2)))
    clock.run()
    server.answer(.success(3))
    #expect(server.asked.entries == ["old", "new", "new"])
    #expect(told.values == [.success(3)])
  }

  @Test func `10.6 retry is empty from a newer value until its attempts tell something`() {
    let server = Server()
    let query = MutableNode<String>()
    let result = query.retry(times: 1) { server.ask($0) }
    let loaded = result.successes()
    #expect(result.isEmpty)
    query.value = "old"
    #expect(result.isEmpty)
    server.answer(.success(1))
    #expect(result.value == .success(1) && loaded.value == 1)
    query.value = "new"
    #expect(result.isEmpty && loaded.value == 1)
    server.answer(.failure(Problem(code: 2)))
    #expect(result.isEmpty && loaded.value == 1)  // another attempt is under way
    server.answer(.failure(Problem(code: 3)))
    #expect(result.value == .failure(Problem(code: 3)) && loaded.value == 1)
    query.clean()
    #expect(result.value == .failure(Problem(code: 3)))
    server.answer(.success(4))
    #expect(result.value == .success(4) && loaded.value == 4)
    #expect(server.asked.entries == ["old", "new", "new"])
    #expect(checkInvariants([query, result, loaded]) == [])
  }

  @Test func `10.6 retry: releasing the result or cutting its edge drops the attempt that waits`() {
    let clock = VirtualScheduler()
    let lives = LifetimeTracker()
    let server = Server()
    let query = MutableNode("q")
    var result: Node<Outcome>? = lives.track(
      query.retry(times: 9, delay: .seconds(1), on: clock) { server.ask($0) }, "result")
    server.answer(.failure(Problem(code: 1)))
    #expect(clock.pendingCount == 1)
    result?.wiring.removeUpstreamNode(query)
    #expect(clock.pendingCount == 0)
    result = query.retry(times: 9, delay: .seconds(1), on: clock) { server.ask($0) }
    #expect(lives.alive == [])
    server.answer(.failure(Problem(code: 2)))
    keepAlive(result)
    result = nil
    #expect(clock.pendingCount == 0)
    clock.run()
    #expect(server.asked.count == 2)
    #expect(!query.hasDownstreamNode)
    #expect(checkInvariants([query]) == [])
  }

  @Test func `10.6 retry without a delay tries again in the same turn, on a small stack`() {
    onThread {
      let query = MutableNode(1), attempts = Tally()
      let result = query.retry(times: 20_000) { value -> Node<Outcome> in
        attempts.add()
        return Node(.failure(Problem(code: value)))
      }
      let told = Recorder(result)
      #expect(attempts.take() == 20_001)
      #expect(told.values == [.failure(Problem(code: 1))])
      query.value = 2
      #expect(attempts.count == 20_001)
      #expect(told.values == [.failure(Problem(code: 1)), .failure(Problem(code: 2))])
    }
  }

  @Test(arguments: [0, 1, 3]) func `5.1, 10.6 a ring over retry without a delay ends`(times: Int) {
    let chooser = MutableNode(1), ring = MutableNode(0), rounds = Tally()
    let chosen = chooser.flattenMap { $0 % 2 == 0 ? chooser : ring }
    let result: Node<Outcome> = chosen.retry(times: times) { _ in
      ring.map { .failure(Problem(code: $0)) }
    }
    let back = result.map { _ in 7 }
    let links = [ring.link(to: back), ring.link(to: back)]
    let listening = back.listen { _ in
      rounds.add()
      if rounds.count > 2_000 { for link in links { link.cancel() } }
    }
    for value in 2...5 { chooser.value = value }
    #expect(rounds.take() < 100)
    #expect(ring.value == 7 && result.value == .failure(Problem(code: 7)))
    for link in links { link.cancel() }
    listening.cancel()
  }

  @Test func `10.6 what the last attempt holds at once is told once, with the value's context`() {
    let query = MutableNode<Int>(), attempts = Tally()
    let result: Node<Outcome> = query.retry(times: 5) { value in
      attempts.add()
      return Node(attempts.count < 3 ? .failure(Problem(code: value)) : .success(value))
    }
    let told = Journal<String>()
    let listening = result.listenToChanges { told.note("\($0.value) \($0.context ?? "none")") }
    query.set(4, context: "who")
    #expect(told.entries == ["\(Outcome.success(4)) who"])
    #expect(attempts.count == 3)
    listening.cancel()
  }

  @Test func `10.6 retry(times: 0) is one attempt; misuse stops with a message`() async {
    let once = MutableNode(1).retry(times: 0) { Node<Outcome>(.failure(Problem(code: $0))) }
    #expect(once.value == .failure(Problem(code: 1)))
    let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("source").retry(times: -1) { Node<Outcome>(.success($0)) }
    }
    Operators.expectMessage(negative, "retry: the count -1 is negative")
    let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = MutableNode(1).named("source").retry(times: 1, delay: .zero, on: .immediate) {
        Node<Outcome>(.success($0))
      }
    }
    Operators.expectMessage(zero, "retry: the interval 0.0 seconds is not positive")
  }
}
