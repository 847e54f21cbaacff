import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, 14.4: calls under many tasks, on Swift's own threads; and cancellation at every await.
@Suite(.watched) struct `14 Races` {
  /// Suspends a few times, as `seed` and the value say.
  @Sendable private static func work(_ value: Int, _ seed: UInt64) async -> Int {
    var random = SeededGenerator(seed: seed &+ UInt64(bitPattern: Int64(value)))
    for _ in 0..<Int.random(in: 0...3, using: &random) { await hop() }
    return value
  }

  /// Many tasks set, each its own numbers.
  private static func set(_ a: MutableNode<Int>, tasks: Int, each count: Int) async {
    await withTaskGroup { group in
      for task in 0..<tasks {
        group.addTask {
          for number in 0..<count {
            a.set(task * 1_000 + number, context: task * 1_000 + number)
            if number % 16 == task { await hop() }
          }
        }
      }
    }
  }

  @Test(arguments: [OverlapPolicy.ordered(maxConcurrent: 3), .unordered(maxConcurrent: 3)])
  func `14.4 of many tasks that set, each value is answered once, with its context`(
    _ policy: OverlapPolicy
  ) async {
    for seed in Stress.firstSeed..<Stress.firstSeed + 4 {
      let a = MutableNode<Int>(), source = Heard<Int>(), told = Answers<Int>(), strays = Tally()
      let running = Atomic(0), most = Atomic(0)
      let first = a.listen { source.hear($0) }
      let second = a.mapAsync(policy) { value in
        let count = running.wrappingAdd(1, ordering: .relaxed).newValue
        most.max(count, ordering: .relaxed)
        defer { running.wrappingSubtract(1, ordering: .relaxed) }
        return await Self.work(value, seed)
      }.listenToChanges { change in
        if change.context as? Int != change.value { strays.add() }
        if change.value % 50 == 0 { letOthersRun() }  // a slow consumer
        told.hear(change.value)
      }
      await Self.set(a, tasks: 6, each: 100)
      let answers = await told.first(600)
      #expect(answers.sorted() == source.values.sorted(), "seed \(seed)")
      if case .ordered = policy { #expect(answers == source.values, "seed \(seed)") }
      #expect(strays.count == 0 && most.load(ordering: .relaxed) <= 3)
      keepAlive(first, second)
    }
  }

  @Test func `14.4 latest under many tasks: never an older answer after a newer, the last always`()
    async
  {
    for seed in Stress.firstSeed..<Stress.firstSeed + 6 {
      let a = MutableNode<Int>(), source = Heard<Int>(), told = Answers<Int>()
      let first = a.listen { source.hear($0) }
      let second = a.mapAsync { await Self.work($0, seed) }.listen { told.hear($0) }
      await Self.set(a, tasks: 6, each: 100)
      a.value = -1
      _ = await told.all { $0 == -1 }
      #expect(await settled())
      let places = Dictionary(uniqueKeysWithValues: zip(source.values, 0...))
      let order = told.values.map { places[$0]! }
      #expect(order == Array(Set(order)).sorted(), "seed \(seed)")
      #expect(told.values.last == -1, "seed \(seed)")
      keepAlive(first, second)
    }
  }

  @Test func `14.4 load under many tasks: what was loaded answers the last loading`() async {
    for seed in Stress.firstSeed..<Stress.firstSeed + 6 {
      let a = MutableNode<Int>(), told = Answers<(Loading<Int>, Int?)>()
      let listening = a.load { await Self.work($0, seed) }.listenToChanges { change in
        told.hear((change.value, change.context as? Int))
      }
      await Self.set(a, tasks: 6, each: 60)
      a.set(-1, context: -1)
      _ = await told.all { $0.0 == .loaded(-1) }
      var asked: Int?
      for (state, context) in told.values {
        if state.isLoading { asked = context } else { #expect(context == asked, "seed \(seed)") }
        if case .loaded(let value) = state { #expect(value == context) }
      }
      #expect(told.values.count(where: \.0.isLoading) == 361)
      keepAlive(listening)
    }
  }

  @Test(arguments: [
    OverlapPolicy.latest, .ordered(maxConcurrent: 2), .unordered(maxConcurrent: 2), .dropWhileBusy,
  ])
  func `14.4 9 made, set, cut and dropped by many tasks, nothing is left`(_ policy: OverlapPolicy)
    async
  {
    let lives = LifetimeTracker(), a = MutableNode<Token>()
    await withTaskGroup { group in
      for task in 0..<4 {
        group.addTask {
          for round in 0..<60 {
            let found = a.mapAsync(policy, on: .global()) { token in
              await hop()
              keepAlive(token)
              return lives.track(Token(), "answer")
            }
            let listening = found.listen { keepAlive($0) }
            for _ in 0..<3 {
              a.set(lives.track(Token(), "value"), context: lives.track(Token(), "context"))
            }
            if round % 2 == 0 { await hop() }
            if round % 3 == task % 3 { found.wiring.removeUpstreamNodes() }
            listening.cancel()
          }
        }
      }
    }
    a.clean()
    // Calls that were cancelled keep their value until they have returned.
    #expect(await settled())
    #expect(lives.alive == [])
    #expect(!a.hasDownstreamNode && a.listenerCount == 0)
    #expect(checkInvariants([a]) == [])
  }

  // MARK: Cancellation at every await

  /// How a call comes to its end before it returns.
  enum Interruption: CaseIterable { case newerValue, dropped, cut, repointed, upstreamDropped }

  @Test(arguments: Interruption.allCases)
  func `14.4 cancelled at every await, a call tells nothing and keeps nothing`(
    _ interruption: Interruption
  ) throws {
    for place in 0...5 {
      let clock = VirtualScheduler(), lives = LifetimeTracker(), journal = Journal<String>()
      let a = MutableNode(1), other = MutableNode<Int>()
      try expectFreed {
        let source = a.map { $0 }, answers = Journal<Int>()
        var found: Node<Token>? = source.mapAsync(on: clock) { value in
          let kept = lives.track(Token(), "call of \(value)")
          for step in 0..<5 {
            do { try await clock.sleep(for: .seconds(1)) } catch {
              journal.note("\(value) cancelled at \(step)")
            }
          }
          journal.note("\(value) ends")
          return kept
        }
        var listening = found!.listen { _ in answers.note(1) } as Listening?
        clock.advance(by: .milliseconds(place * 1_000 + 500))
        let before = journal.take().count
        #expect(before == (place == 5 ? 1 : 0) && answers.count == before)
        switch interruption {
        case .newerValue: a.value = 2
        case .dropped: (found, listening) = (nil, nil)
        case .cut: found!.wiring.removeUpstreamNodes()
        case .repointed: try Operators.repoint(found!, to: other)
        case .upstreamDropped: source.wiring.removeUpstreamNodes()
        }
        clock.run()
        keepAlive(found, listening)
        let isReplaced = interruption == .newerValue
        let goesOn = interruption == .upstreamDropped  // the edge is there yet
        let entries = journal.entries
        #expect(answers.count == (place == 5 ? 1 : 0) + (isReplaced || goesOn && place < 5 ? 1 : 0))
        if place < 5, !goesOn {
          #expect(entries.first == "1 cancelled at \(place)" && entries.contains("1 ends"))
        }
      }
      #expect(lives.alive == [] && clock.pendingCount == 0)
    }
  }
}
