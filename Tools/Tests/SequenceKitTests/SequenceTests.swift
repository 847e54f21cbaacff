import ArgumentParser
import Foundation
import Testing

@testable import EasyReactCommand
@testable import SequenceKit

#if canImport(FoundationXML)
import FoundationXML
#endif

private func record(_ text: String, _ positions: Int..., limit: Int = 1000) throws -> DemandRecord {
  try DemandRecord(of: Pipeline(text: text), reading: positions, limit: limit)
}

@Suite struct `A pipeline as text` {
  @Test(arguments: [
    "1...", "1...9", "-3...-1", "3,1,2", "fibonacci",
    "1... | map +1 | map -2 | map *3 | scan + | scan *",
    "1... | filter odd | filter even | filter <5 | prefixWhile >5 | dropWhile /3",
    "1... | prefix 0 | removeDuplicates",
  ]) func `is read and written`(text: String) throws {
    #expect(try Pipeline(text: text).description == text)
  }

  @Test func `may be spaced at will`() throws {
    let pipeline = try Pipeline(text: " 1...|map   square| filter  > 5 ")
    #expect(pipeline.description == "1... | map square | filter >5")
  }

  @Test(arguments: [
    ("", "begins with a source"), ("a", "'a' is no source"), ("3...1", "'3...1' is no range"),
    ("1,,2", "'1,,2' is no source"), ("1... |", "there is no operator ''"),
    ("1... | zip", "there is no operator 'zip'; expected map, filter"),
    ("1... | map", "map needs a function"), ("1... | map /2", "not '/2'"),
    ("1... | scan +1", "as in 'scan +' or 'scan *', not '+1'"),
    ("1... | filter", "as in 'filter odd'"), ("1... | filter /0", "not '/0'"),
    ("1... | prefix -1", "prefix needs a count"), ("1... | prefix", "prefix needs a count"),
    ("1... | removeDuplicates 2", "takes nothing"),
  ]) func `says what is wrong`(text: String, reason: String) {
    #expect {
      try Pipeline(text: text)
    } throws: { "\($0)".contains(reason) }
  }
}

@Suite struct `What is recorded` {
  @Test func `a miss holds what it made happen, a hit nothing`() throws {
    let made = try record("5,6 | map +1", 0, 0)
    typealias Event = DemandRecord.Event
    #expect(
      made.events == [
        Event(lane: 2, kind: .reading),
        Event(lane: 1, kind: .missed),
        Event(lane: 0, kind: .missed),
        Event(lane: 0, kind: .ran("next() = 5")),
        Event(lane: 0, kind: .computed, value: 5),
        Event(lane: 1, kind: .ran("5 + 1 = 6")),
        Event(lane: 1, kind: .computed, value: 6),
        Event(lane: 2, kind: .answered, value: 6),
        Event(lane: 2, kind: .reading),
        Event(lane: 1, kind: .hit, value: 6),
        Event(lane: 2, kind: .answered, value: 6),
      ])
  }

  @Test(arguments: [
    ("1... | map square", 2, 9), ("1... | map -1", 0, 0), ("1...9 | filter even", 1, 4),
    ("1... | filter /3 | map *2", 1, 12), ("0,0,1 | removeDuplicates", 1, 1),
    ("fibonacci", 11, 89), ("fibonacci | filter odd | prefix 5", 4, 13), ("1... | scan +", 9, 55),
    ("1... | scan *", 4, 120), ("5,1,9 | dropWhile >4", 1, 9), ("1... | prefixWhile <3", 1, 2),
    ("1... | prefixWhile <3", 2, nil), ("1... | prefix 0", 0, nil), ("1...3", 3, nil),
  ]) func `has the values of the stream`(text: String, position: Int, value: Int?) throws {
    #expect(try record(text, position).events.last?.value == value)
  }

  @Test func `asking for an element runs no closure of a later one`() throws {
    let made = try record("1... | map square | filter odd | prefix 3", 1)
    #expect(made.totals.map(\.ran) == [3, 3, 3, 0])
    #expect(made.totals.map(\.hit) == [0, 0, 0, 0])
    #expect(made.totals.map(\.missed) == [3, 3, 2, 2])
  }

  @Test func `a definition by itself finds its own elements known`() throws {
    let made = try record("fibonacci", 5, 5)
    #expect(made.lanes == ["itself", "fibonacci"])
    #expect(made.totals[0] == .init(asked: 8, missed: 0, hit: 8, ran: 0))
    #expect(made.totals[1] == .init(asked: 7, missed: 6, hit: 1, ran: 4))
  }

  @Test(arguments: ["1... | filter <0", "fibonacci | filter <0"])
  func `a search that nothing ends is cut`(text: String) throws {
    let made = try record(text, 0, limit: 50)
    #expect(made.events.last?.value == nil)
    #expect(made.cut == 50)
    #expect(made.totals.last?.ran == 50)
    #expect(made.text.contains("The source was stopped after 50 elements"))
    #expect(try record("1...3", 9, limit: 3).cut == nil)
  }
}

@Suite struct `The pictures of demand` {
  @Test func `the text is indented by what made what happen`() throws {
    #expect(
      try record("2,3 | filter odd", 0, 0).text == """
        2,3 | filter odd

        read [0]
          filter odd [0]                              miss
            2,3 [0]                                   miss
              next() = 2                              closure
            = 2
            2 odd? no                                 closure
            2,3 [1]                                   miss
              next() = 3                              closure
            = 3
            3 odd? yes                                closure
          = 3
        = 3

        read [0]
          filter odd [0] = 3                          hit
        = 3

        stage          asked    misses      hits  closures
        2,3                2         2         0         2
        filter odd         2         1         1         2

        """)
  }

  @Test func `an end is told`() throws {
    let text = try record("1...1 | map +1", 1).text
    #expect(
      text.contains("    1...1 [1]                                 miss\n    = none: the end"))
    #expect(text.contains("\n= none\n"))
  }

  @Test func `the SVG is well-formed and has a mark for each event`() throws {
    let made = try record("1... | filter <3 | map *2", 0, 1, 1)
    let svg = made.svg
    let parser = XMLParser(data: Data(svg.utf8))
    #expect(parser.parse())
    func marks(_ text: String) -> Int { svg.components(separatedBy: text).count - 1 }
    let totals = made.totals
    #expect(marks("]?<") == totals.map(\.missed).reduce(0, +))
    #expect(marks("fill=\"#fed7aa\"") == totals.map(\.missed).reduce(0, +))
    #expect(marks("fill=\"#dbeafe\"") == totals.map(\.ran).reduce(0, +))
    #expect(marks(">[1] = 4<") == 1)
    #expect(svg.contains("1 &lt; 3? yes"))
    #expect(svg.contains("miss: computed now (6)") && svg.contains("hit: known (1)"))
  }
}

@Suite struct `The command line of easyreact sequence` {
  private func sequence(_ arguments: String...) throws -> SequenceCommand {
    try #require(try EasyReactCommand.parseAsRoot(["sequence"] + arguments) as? SequenceCommand)
  }

  @Test func `needs no options`() throws {
    let command = try sequence()
    #expect(command.pipeline.description == "1... | map square | filter odd | prefix 3")
    #expect(command.read == [0, 1, 0] && !command.svg && command.limit == 1000)
  }

  @Test func `takes a pipeline and positions`() throws {
    let command = try sequence("fibonacci | prefix 9", "--read", "3,0", "--svg", "--limit", "20")
    #expect(command.pipeline.description == "fibonacci | prefix 9")
    #expect(command.read == [3, 0] && command.svg && command.limit == 20)
  }

  @Test(arguments: [
    (["1... | zip"], "there is no operator 'zip'"),
    (["--read", "a"], "--read needs positions such as 0,1,0, not 'a'"),
    (["--read", "-1"], "not '-1'"), (["--read", ""], "--read needs positions"),
    (["--limit", "0"], "--limit must be at least 1"),
  ]) func `says what is wrong`(arguments: [String], reason: String) {
    do {
      _ = try EasyReactCommand.parseAsRoot(["sequence"] + arguments)
      Issue.record("no error")
    } catch {
      #expect(EasyReactCommand.fullMessage(for: error).contains(reason))
      #expect(EasyReactCommand.exitCode(for: error) == .validationFailure)
    }
  }

  @Test func `its examples in the help are pipelines`() throws {
    let help = EasyReactCommand.helpMessage(for: SequenceCommand.self)
    for text in ["fibonacci | filter even", "1... | map *3 | scan +"] {
      #expect(help.contains(text))
      _ = try Pipeline(text: text)
    }
  }
}
