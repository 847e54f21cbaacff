import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, 14.5: any clock is a scheduler; and sleeping by a scheduler's time.
@Suite(.watched) struct `14 Clocks` {
  private let clock = ManualClock()

  @Test func `14.5 a test clock moves the operators' time`() async {
    let a = MutableNode<Int>(), scheduler = ClockScheduler(clock)
    let quiet = a.debounce(.seconds(2), on: scheduler), late = a.delay(.seconds(1), on: scheduler)
    let told = Answers<String>()
    let listenings = [
      quiet.listen { told.hear("quiet \($0)") }, late.listen { told.hear("late \($0)") },
    ]
    a.value = 1
    await clock.isSlept(until: .seconds(1))
    clock.advance(to: .seconds(1))
    #expect(await settled())
    #expect(told.values == ["late 1"])
    a.value = 2
    await clock.isSlept(until: .seconds(2))
    clock.advance(to: .seconds(2))
    #expect(await settled())
    #expect(told.values == ["late 1", "late 2"])
    await clock.isSlept(until: .seconds(3))
    clock.advance(to: .seconds(3))
    #expect(await told.first(3).last == "quiet 2")
    #expect(clock.sleepers == [])
    keepAlive(listenings[0], listenings[1])
  }

  @Test func `14.5 at one moment timers go off in the order in which they were set`() async {
    let scheduler = ClockScheduler(clock), done = Journal<Int>()
    for number in 0..<200 {
      scheduler.schedule(after: .seconds(200 - number / 2)) { done.note(number) }
    }
    // A task for each that was earlier than all before it, and none for the second of two at one moment.
    for second in 101...200 { await clock.isSlept(until: .seconds(second)) }
    #expect(clock.sleepers == (101...200).map { .seconds($0) })
    clock.advance(to: .seconds(500))
    #expect(await settled())
    #expect(done.entries == (0..<200).sorted { ($1 / 2, $0) < ($0 / 2, $1) })
    #expect(scheduler.now == .seconds(500))
  }

  @Test func `14.5 work runs in the order in which it is scheduled, one at a time`() async {
    let scheduler = ClockScheduler(clock), heard = Heard<Int>()
    for number in 0..<500 { scheduler.schedule { heard.hear(number) } }
    scheduler.schedule { scheduler.schedule { heard.hear(501) } }
    #expect(await settled())
    #expect(heard.values == Array(0..<500) + [501] && heard.overlaps == 0)
  }

  @Test
  func `14.5 what is cancelled does not run, and keeps nothing, nor does a clock stay asleep`()
    async
  {
    let lives = LifetimeTracker(), scheduler = ClockScheduler(clock)
    let late = scheduler.schedule(after: .seconds(9)) { [token = lives.track(Token(), "late")] in
      keepAlive(token)
    }
    await clock.isSlept(until: .seconds(9))
    let soon = scheduler.schedule(after: .seconds(5)) { [token = lives.track(Token(), "soon")] in
      keepAlive(token)
    }
    await clock.isSlept(until: .seconds(5))
    soon.cancel()
    #expect(lives.alive == ["late"])
    clock.advance(to: .seconds(5))
    await clock.isSlept(until: .seconds(9))
    late.cancel()
    late.cancel()
    #expect(lives.alive == [])
    clock.advance(to: .seconds(20))
    #expect(await settled())
    #expect(clock.sleepers == [])
  }

  @Test func `14.5 a delay that is not positive is due at once, later`() async {
    let scheduler = ClockScheduler(clock), done = Journal<Int>()
    scheduler.schedule(after: .zero) { done.note(1) }
    scheduler.schedule(after: .seconds(-1)) { done.note(2) }
    #expect(await settled())
    #expect(done.entries == [1, 2])
  }

  /// Found by a hostile review: the system keeps a sleep that was cancelled until its time, 750 bytes for each value.
  @Test
  func
    `14.5 a deadline that is set anew begins no sleep: the present one goes on from where it ends`()
    async
  {
    let a = MutableNode<Int>(), scheduler = ClockScheduler(clock), told = Answers<Int>()
    let quiet = a.debounce(.seconds(5), on: scheduler)
    let listening = quiet.listen { told.hear($0) }
    a.value = 0
    await clock.isSlept(until: .seconds(5))
    clock.advance(to: .seconds(1))
    for value in 1...1_000 { a.value = value }
    #expect(clock.sleeps == 1)
    clock.advance(to: .seconds(5))
    await clock.isSlept(until: .seconds(6))
    #expect(told.values == [])
    clock.advance(to: .seconds(6))
    #expect(await told.first(1) == [1_000])
    #expect(clock.sleeps == 2 && clock.sleepers == [])
    keepAlive(listening)
  }

  /// Knows whole milliseconds only.
  private struct Coarse: Clock {
    struct Instant: InstantProtocol {
      var milliseconds: Int
      func advanced(by duration: Duration) -> Instant {
        Instant(milliseconds: milliseconds + Int(duration / .milliseconds(1)))
      }
      func duration(to other: Instant) -> Duration {
        .milliseconds(other.milliseconds - milliseconds)
      }
      static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }
    }
    let clock: ManualClock
    var now: Instant { Instant(milliseconds: Int(clock.now.offset / .milliseconds(1))) }
    var minimumResolution: Duration { .milliseconds(1) }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      let end = ManualClock.Instant(offset: .milliseconds(deadline.milliseconds))
      try await clock.sleep(until: end, tolerance: nil)
    }
  }

  @Test func `14.5 a clock of whole milliseconds wakes who waits for a part of one`() async {
    let a = MutableNode<Int>(), scheduler = ClockScheduler(Coarse(clock: clock))
    let late = a.delay(.microseconds(1_500), on: scheduler)
    a.value = 1
    await clock.isSlept(until: .milliseconds(1))
    clock.advance(to: .milliseconds(1))
    #expect(await settled())
    #expect(late.value == 1)
    #expect(clock.sleepers == [])
  }

  @Test func `11.1, 14.5 a delay that outlasts every clock is one`() async {
    let a = MutableNode<Int>()
    for delay in [Duration.seconds(Int64.max), .seconds(1e19)] {
      let late = [
        a.delay(delay, on: .clock(ContinuousClock())), a.delay(delay, on: .clock(clock)),
        a.delay(delay, on: .queue(.global())),
      ]
      a.value = 1
      #expect(await settled())
      #expect(late.allSatisfy { $0.isEmpty })
    }
  }

  @Test func `14.5 a released operator leaves no timer`() async throws {
    let a = MutableNode(1), scheduler = ClockScheduler(clock)
    try await expectFreed {
      let late = a.delay(.seconds(5), on: scheduler), quiet = a.debounce(.seconds(7), on: scheduler)
      await clock.isSlept(until: .seconds(5))
      keepAlive(late, quiet)
    }
    #expect(clock.sleepers == [])
  }

  @Test func `14.5 the system's clocks`() async {
    let a = MutableNode(1)
    let one = a.delay(.nanoseconds(1), on: .clock(ContinuousClock()))
    let two = a.delay(.nanoseconds(1), on: .clock(SuspendingClock()))
    let three = a.deliver(on: .clock(ContinuousClock()))
    let far = a.delay(.seconds(100_000_000), on: .clock(ContinuousClock()))
    #expect(await settled())
    #expect(one.value == 1 && two.value == 1 && three.value == 1 && far.isEmpty)
  }

  @Test func `14.5 many threads set and cancel timers: each goes off or is cancelled, once`() async
  {
    let scheduler = ClockScheduler(clock), count = 400
    let ran = Tally(), cancelled = Tally()
    await withTaskGroup { group in
      for thread in 0..<4 {
        group.addTask {
          for number in 0..<count {
            let timer = scheduler.schedule(after: .milliseconds((number * 7 + thread) % 50)) {
              ran.add()
            }
            if number % 3 == 0 {
              timer.cancel()
              cancelled.add()
            }
          }
        }
      }
      group.addTask { [clock] in
        for step in 1...49 {
          clock.advance(to: .milliseconds(step))
          await hop()
        }
      }
    }
    clock.advance(to: .seconds(1))
    #expect(await settled())
    // What was cancelled may have gone off before.
    #expect(ran.count <= 4 * count && ran.count >= 4 * count - cancelled.count)
    #expect(clock.sleepers == [])
  }

  // MARK: Sleeping

  /// Virtual time that says when somebody begins to wait.
  private struct Announcing: NodeScheduler {
    let clock: VirtualScheduler, begun: Answers<Duration>
    var now: Duration { clock.now }
    func schedule(_ work: @escaping @Sendable () -> Void) { clock.schedule(work) }
    func schedule(
      after delay: Duration, _ work: @escaping @Sendable () -> Void
    ) -> any Cancelable {
      defer { begun.hear(delay) }
      return clock.schedule(after: delay, work)
    }
  }

  @Test func `14.5 a task sleeps by a scheduler's time, and no longer when it is cancelled`() async
  {
    let clock = Announcing(clock: VirtualScheduler(), begun: Answers()), done = Answers<String>()
    let first = Task {
      try await clock.sleep(for: .seconds(2))
      done.hear("first at \(clock.now)")
    }
    #expect(await clock.begun.first(1) == [.seconds(2)])
    let second = Task {
      do { try await clock.sleep(for: .seconds(1)) } catch is CancellationError {
        done.hear("cancelled")
      }
    }
    #expect(await clock.begun.first(2).last == .seconds(1))
    second.cancel()
    #expect(await done.first(1) == ["cancelled"])
    #expect(clock.clock.pendingCount == 1)
    clock.clock.advance(by: .seconds(2))
    #expect(await done.first(2).last == "first at 2.0 seconds")
    // Cancelled before it sleeps.
    let third = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      do { try await clock.sleep(for: .seconds(1)) } catch { done.hear("cancelled before") }
    }
    #expect(await done.first(3).last == "cancelled before")
    #expect(clock.clock.pendingCount == 0)
    _ = await (first.result, second.result, third.result)
  }
}
