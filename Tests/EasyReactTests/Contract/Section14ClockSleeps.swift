import EasyReact
import EasyReactTesting
import Testing

/// Contract, 14.5: how a scheduler of a clock sleeps for several timers.
@Suite(.watched) struct `14 Sleeps of a clock` {
  private let clock = ManualClock()

  /// Found by a hostile review: the sleep of a later timer was cancelled for each earlier one, and begun anew behind it; 735 bytes for each.
  @Test func `14.5 n timers that go off beside a later one begin n sleeps, and end none`() async {
    let scheduler = ClockScheduler(clock), done = Journal<Int>()
    let late = scheduler.schedule(after: .seconds(1_000)) { done.note(1_000) }
    await clock.isSlept(until: .seconds(1_000))
    for second in 1...20 {
      scheduler.schedule(after: .seconds(1)) { done.note(second) }
      await clock.isSlept(until: .seconds(second))
      clock.advance(to: .seconds(second))
      #expect(await settled())
      await clock.isSlept(until: .seconds(1_000))
    }
    #expect(done.entries == Array(1...20))
    #expect(clock.sleeps == 21 && clock.cancelledSleeps == 0)
    late.cancel()
    #expect(clock.sleepers == [])
  }

  @Test func `14.5 timers that come each before the last one are slept for side by side`() async {
    let scheduler = ClockScheduler(clock), done = Journal<Int>()
    for second in stride(from: 10, to: 0, by: -1) {
      scheduler.schedule(after: .seconds(second)) { done.note(second) }
      await clock.isSlept(until: .seconds(second))
    }
    clock.advance(to: .seconds(1))
    #expect(await settled())
    #expect(done.entries == [1] && clock.sleepers == (2...10).map { .seconds($0) })
    for second in 2...10 {
      clock.advance(to: .seconds(second))
      #expect(await settled())
      #expect(done.entries == Array(1...second))
    }
    #expect(clock.sleeps == 10 && clock.cancelledSleeps == 0)
  }

  @Test func `14.5 a sleep whose timer was cancelled changes nothing when it is over`() async {
    let scheduler = ClockScheduler(clock), done = Answers<Int>()
    var timers: [any Cancelable] = []
    for second in [9, 7, 5] {
      timers.append(scheduler.schedule(after: .seconds(second)) { done.hear(second) })
      await clock.isSlept(until: .seconds(second))
    }
    timers[1].cancel()
    timers[2].cancel()
    clock.advance(to: .seconds(8))
    scheduler.schedule(after: .milliseconds(500)) { done.hear(8) }
    await clock.isSlept(until: .milliseconds(8_500))
    clock.advance(to: .milliseconds(8_500))
    #expect(await done.first(1) == [8])
    clock.advance(to: .seconds(9))
    #expect(await done.first(2) == [8, 9])
    #expect(await settled())
    #expect(clock.sleeps == 4 && clock.sleepers == [])
  }

  @Test func `14.5 what sleeps for nobody is ended when the last timer goes off`() async {
    let scheduler = ClockScheduler(clock), done = Journal<Int>()
    let late = scheduler.schedule(after: .seconds(9)) { done.note(9) }
    await clock.isSlept(until: .seconds(9))
    scheduler.schedule(after: .seconds(5)) { done.note(5) }
    await clock.isSlept(until: .seconds(5))
    late.cancel()
    clock.advance(to: .seconds(5))
    #expect(await settled())
    #expect(done.entries == [5] && clock.sleepers == [])
  }

  @Test func `14.5 a clock that wakes the later sleep first has all timers until then go off`()
    async
  {
    let scheduler = ClockScheduler(clock), done = Answers<Int>()
    for second in [9, 5] {
      scheduler.schedule(after: .seconds(second)) { done.hear(second) }
      await clock.isSlept(until: .seconds(second))
    }
    clock.wake(until: .seconds(9))
    #expect(await done.first(2) == [5, 9])
    scheduler.schedule(after: .seconds(7)) { done.hear(7) }
    await clock.isSlept(until: .seconds(7))
    clock.advance(to: .seconds(6))
    #expect(await settled())
    #expect(done.values == [5, 9])
    clock.advance(to: .seconds(7))
    #expect(await done.first(3).last == 7)
    #expect(clock.sleepers == [])
  }

  @Test func `14.5 a clock whose sleep fails is asked again when a timer is set`() async {
    let scheduler = ClockScheduler(clock), done = Answers<Int>()
    for second in [9, 5] {
      scheduler.schedule(after: .seconds(second)) { done.hear(second) }
      await clock.isSlept(until: .seconds(second))
    }
    clock.wake(until: .seconds(5), throwing: Refusal())
    clock.advance(to: .seconds(6))
    #expect(await settled())
    #expect(done.values == [])
    scheduler.schedule(after: .seconds(4)) { done.hear(10) }
    #expect(await done.first(1) == [5])
    await clock.isSlept(until: .seconds(9))
    clock.advance(to: .seconds(10))
    #expect(await done.first(3) == [5, 9, 10])
  }

  /// Found by a hostile review: the earlier sleep was forgotten with it, and nothing went off until somebody set another timer.
  @Test func `14.5 a later sleep that fails leaves the earlier one as it is`() async {
    for _ in 0..<20 {
      let clock = ManualClock(), scheduler = ClockScheduler(clock), done = Journal<Int>()
      for second in [9, 5] {
        scheduler.schedule(after: .seconds(second)) { done.note(second) }
        await clock.isSlept(until: .seconds(second))
      }
      clock.wake(until: .seconds(9), throwing: Refusal())
      for _ in 1...4 { await Task.detached {}.value }  // behind the task whose sleep has failed
      clock.advance(to: .seconds(5))
      #expect(await settled())
      #expect(done.entries == [5])
    }
  }
}
