import EasyReactTesting
import Foundation
import Testing

@testable import MarblesKit

@Suite struct CatalogueTests {
  /// The operators of the contract, section 10.
  static let contract = [
    "fork", "map", "mapReplace", "compactMap", "filter", "ignore", "select", "distinctUntilChanged",
    "skip", "take", "scan", "then", "deliver", "delay", "debounce", "flatten",
    "flattenMap", "switch", "switchMap", "case", "default", "unmatched", "if", "combine", "zip",
    "merge", "sync", "link",
    // 10.6
    "withLatest", "sample", "startWith", "pairwise", "takeUntil", "takeWhile", "skipWhile",
    "skipUntil", "collect", "buffer", "timeout", "retry", "successes", "failures", "mapError",
    "tryMap", "catch", "replaceError", "count", "enumerated", "concatMap", "mergeMap",
    "mergeMap-maxConcurrent", "exhaustMap", "race", "partition", "flattenMerge", "flattenCombine",
    "combine-dictionary", "throttleFirst", "throttleLatest", "sample-every", "buffer-orCount",
    "interval", "timer", "scan-first", "scan-into", "groupBy", "retry-atOnce", "eventNode",
    "events",
    "held", "objects", "weak", "else", "distinctUntilChanged-by", "distinctUntilChanged-on",
    "sync-transform",
    // 14
    "mapAsync", "mapAsync-ordered", "mapAsync-unordered", "mapAsync-dropWhileBusy", "load",
  ]

  @Test func `every operator of the contract has an entry`() {
    let names = Set(Catalogue.entries.map(\.name))
    #expect(Self.contract.filter { !names.contains($0) } == [])
  }

  @Test func `names differ, and each entry says in one sentence what it does`() {
    let entries = Catalogue.entries
    #expect(Set(entries.map(\.name)).count == entries.count)
    for entry in entries {
      #expect(entry.sentence.hasSuffix(".") && entry.sentence.count <= 110, "\(entry.name)")
    }
  }

  @Test(arguments: Catalogue.entries.map(\.name))
  func `a diagram is the same in every run, and something happens in it`(name: String) throws {
    let entry = try Catalogue.entry(named: name)
    let diagram = try entry.diagram()
    #expect(try entry.diagram() == diagram)
    #expect(Picture.svg(of: try entry.diagram()) == Picture.svg(of: diagram))
    #expect(!diagram.code.isEmpty && !diagram.outputs.isEmpty)
    #expect(diagram.outputs.contains { row in row.marbles.steps.contains { !$0.isEmpty } })
    #expect(diagram.length <= 16, "too long to be readable at 600 pixels")
  }

  @Test func `nothing of a run outlives it`() throws {
    for entry in Catalogue.entries { try expectFreed { _ = try entry.diagram() } }
  }

  // MARK: What the operators do

  @Test(arguments: [
    ("map", ["'10'-'20'--'30'--"]), ("debounce", ["------3-------5"]), ("deliver", ["-1-[23]--4-"]),
    ("combine", ["--'1a'-'1b'-'2b'--['3b''3c']-"]), ("zip", ["--'1a'-'2b'---'3c'-"]),
    ("flatten", ["1--2-6-783"]), ("sync", ["1--2--3-4--5", "1--2--3-4---"]),
    ("link", ["1-2-9-3----"]), ("if", ["--7---8-9-", "1---3-----"]),
    ("throttleFirst", ["1--3--4----5---"]), ("throttleLatest", ["1--3--4----5--6"]),
    ("timeout", ["1-2--✗--3--✗--"]), ("race", ["--7---8--9"]), ("interval", ["---0--1--2--3-"]),
    ("mergeMap-maxConcurrent", ["---12-34-------"]), ("concatMap", ["---1--2--3-----"]),
    ("flattenCombine", ["1--'17'-'27'-78---"]), ("withLatest", ["----'2a'-'3a'---'4c'-"]),
    ("eventNode", ["----------c--", "-------b--c--"]),
    ("events", ["---b-----c--", "---------c--"]), ("objects", ["---b-----a-"]),
    ("held", ["-a--b-----c--", "-------b--c--"]), ("weak", ["a-", "-'1a'--'2a'---'3gone'--"]),
    ("groupBy", ["'odd'---'even'-", "1-4-4-9-'10'-"]), ("retry-atOnce", ["-3-----'✗z'-----"]),
    ("mapAsync", ["1-2----3----", "--1---------", "-----2----3-"]),
    ("mapAsync-ordered", ["412---3-----", "--1-[42]----3--", "----[412]----3--"]),
    ("mapAsync-unordered", ["412---3-----", "--1-[42]----3--"]),
    ("mapAsync-dropWhileBusy", ["1---3--5----", "--1---3--5--"]),
    ("load", ["1---0---2---", "…-6-'…6'-'✗6'-'…6'-3-"]),
    ("sync-transform", ["1-3-2--5-4-", "'10'-'30'-'20'--'50'-'40'-"]),
    ("combine-everyValue", ["'20'-['30''31']-['41''42']-", "'20'-'31'-'42'-"]),
  ])
  func `the diagram shows what the operator did`(name: String, lines: [String]) throws {
    let outputs = try Catalogue.entry(named: name).diagram().outputs.map(\.marbles.trimmed)
    #expect(outputs == (try lines.map { try Marbles($0).trimmed }))
  }

  @Test func `inputs can be changed, the others stay`() throws {
    let entry = try Catalogue.entry(named: "merge")
    let diagram = try entry.diagram(changing: [try InputLine(reading: "b:5-5")])
    #expect(diagram.inputs.map(\.marbles.description) == ["-1--2---3-", "5-5-------"])
    #expect(diagram.outputs.map(\.marbles.description) == ["515-2---3-"])
  }

  @Test func `what a user can get wrong is told`() {
    func message(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "no error"
      } catch { return "\(error)" }
    }
    let map = Catalogue.entries.first { $0.name == "map" }!
    #expect(
      message { _ = try map.diagram(changing: ["q: 1"]) } == "map has no input 'q', but: a")
    #expect(
      message { _ = try InputLine(reading: "1-2") }
        == "an input is a name, a colon and marbles: 'a: 1--2-3', not '1-2'")
    #expect(
      message { _ = try map.diagram(changing: ["a: 1-x"]) }
        == "“x” is not of type Int; column 3\n  1-x\n    ^")
    #expect(
      message { _ = try map.diagram(changing: ["a: 1-["]) }
        == "the group is not closed: write ] after its last mark; column 3\n  1-[\n    ^")
  }

  // MARK: Names

  @Test(arguments: [
    ("debunce", "there is no operator 'debunce'. Did you mean debounce?"),
    ("combineLatest", "'combineLatest' is called combine here."),
    ("FLATMAP", "'FLATMAP' is called flattenMap or mergeMap here."),
    ("Map", "'Map' is called map here."),
    ("filtre", "there is no operator 'filtre'. Did you mean filter?"),
    ("xyzzyxyzzy", "there is no operator 'xyzzyxyzzy'. 'easyreact marbles' lists all."),
    ("", "there is no operator ''. Did you mean if?"),
  ])
  func `an unknown name is answered with near ones`(name: String, message: String) {
    let error = #expect(throws: InputError.self) { try Catalogue.entry(named: name) }
    #expect(error?.description == message)
  }

  @Test(arguments: [
    ("", "", 0), ("abc", "", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ac", 1),
    ("kitten", "sitting", 3),
  ])
  func `the distance of words counts letters changed, put in, taken out and swapped`(
    a: String, b: String, distance: Int
  ) {
    #expect(editDistance(a, b) == distance && editDistance(b, a) == distance)
  }

  // MARK: What is shown is what runs

  /// `draw.result("a.fork()", s.a.fork())`: the text must be the code, but for the `s.`.
  @Test func `the code in each picture is the code that ran`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/MarblesKit")
    var count = 0
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where file.hasPrefix("Catalogue+") {
      let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for call in source.split(separator: #/draw\.(?:result|code)\(/#).dropFirst() {
        let (shown, ran) = try arguments(of: call)
        #expect(plain(shown) == plain(ran), "\(file)")
        count += 1
      }
    }
    let all = try Catalogue.entries.map { try $0.diagram().code.count }.reduce(0, +)
    #expect(count == all)
  }

  /// The text of the literal that is the first argument, and the source of the second one.
  private func arguments(of call: Substring) throws -> (Substring, Substring) {
    let literal = try #require(call.prefixMatch(of: #/\s*(#?)"(.*?)"\1,\s*/#.dotMatchesNewlines()))
    var depth = 0
    var rest = call[literal.range.upperBound...]
    let end = rest.firstIndex { character in
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      return depth < 0 || depth == 0 && character == ","
    }
    rest = rest[..<(try #require(end))]
    return (literal.output.2, rest)
  }

  private func plain(_ code: Substring) -> String {
    code.replacing(#/^let (\w+|\([\w, ]+\)) = /#, with: "").replacing(#/\bs\./#, with: "")
      .filter { !$0.isWhitespace }
  }
}
