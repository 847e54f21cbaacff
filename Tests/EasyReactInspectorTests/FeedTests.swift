import EasyReact
import EasyReactInspection
import Foundation
import Synchronization
import Testing

@testable import EasyReactInspector

/// A program whose records the test chooses.
private final class ScriptedProgram: PageSource {
  private let current: Mutex<GraphRecords>
  let title = "Scripted"
  let isLive = true
  let lint = LintReport()
  init(_ records: GraphRecords) { current = Mutex(records) }
  var records: GraphRecords {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
  func records(after sequence: UInt64) -> GraphRecords { records.after(sequence) }
  func node(_ id: UInt64) -> AnyNode? { nil }
}

/// Contract 19: the page follows a running program without being asked.
@Suite struct FeedTests {
  private let program = ScriptedProgram(SampleRecords.shop(sets: 3))

  private func next(_ feed: inout Feed) throws -> Feed.Frame {
    let frame = feed.next()
    return try #require(frame)
  }

  private func expectQuiet(_ feed: inout Feed) {
    let frame = feed.next()
    #expect(frame == nil)
  }

  @Test func `19 a frame has what is new since the last one, and nothing gives none`() throws {
    var feed = Feed(program)
    let first = try next(&feed)
    #expect(first.values.count == 7 && first.nodeCount == 7 && first.edgeCount == 7)
    #expect(first.waves.map(\.number) == [1, 2, 3] && first.wavesNotShown == 0)
    expectQuiet(&feed)

    program.records = SampleRecords.shop(sets: 5)
    let next = try next(&feed)
    #expect(next.values.keys.sorted() == ["2", "3", "4", "5"])
    #expect(next.values["4"]?.text == "50")
    #expect(next.waves.map(\.number) == [4, 5])
    #expect(next.structure == first.structure)
    expectQuiet(&feed)
  }

  @Test
  func
    `19 however much happens, a frame has each value once, and counts the waves that it leaves out`()
    throws
  {
    var feed = Feed(program)
    _ = feed.next()
    program.records = SampleRecords.shop(sets: 5_003)
    let frame = try next(&feed)
    #expect(frame.values.count == 4 && frame.values["2"]?.text == "5003")
    #expect(frame.waves.count == Feed.mostWaves && frame.waves.last?.number == 5_003)
    #expect(frame.wavesNotShown == 5_000 - Feed.mostWaves)
    #expect(
      frame.events == program.records.after(20).events.count
        - SampleRecords.shop(sets: 3).events.count)
  }

  @Test func `19 when the recorder is started again the page follows from the beginning`() throws {
    program.records = SampleRecords.shop(sets: 50)
    var feed = Feed(program)
    let first = try next(&feed)
    var again = SampleRecords.shop(sets: 2)
    again.began += 60
    program.records = again
    let frame = try next(&feed)
    #expect(frame.waves.map(\.number) == [1, 2] && frame.values.count == 7)
    #expect(frame.events == again.events.count && frame.began == first.began + 60)
    expectQuiet(&feed)
  }

  @Test func `19 events that the recorder has dropped are counted`() throws {
    var records = SampleRecords.shop(sets: 3)
    records.dropped = 812
    program.records = records
    var feed = Feed(program)
    let frame = try next(&feed)
    #expect(frame.dropped == 812)
  }

  @Test func `19 the page hears of nodes and edges that come, go, and are renamed`() throws {
    var feed = Feed(program)
    var structures = [try next(&feed).structure]
    var records = program.records
    records.nodes[0].name = "cost"
    program.records = records
    structures.append(try next(&feed).structure)
    records.edges[3].cut = Moment(sequence: 60, nanoseconds: 1)
    program.records = records
    structures.append(try next(&feed).structure)
    records.nodes[6].gone = Moment(sequence: 61, nanoseconds: 2)
    program.records = records
    let last = try next(&feed)
    structures.append(last.structure)
    #expect(Set(structures).count == 4)
    #expect(last.nodeCount == 6 && last.edgeCount == 6)
  }
}
