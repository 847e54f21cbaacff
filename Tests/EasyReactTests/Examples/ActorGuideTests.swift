import EasyReact
import EasyReactTesting
import Foundation
import Testing

// The tests of the guide “From a view to an actor and back”, which are compared with it. Its program is that of the example Search.

@Suite(.watched) struct ActorGuideTests {
  @MainActor @Test func `an old answer is never shown, and a known one is not asked for`() throws {
    let clock = VirtualScheduler(), asked = MutableNode<[String]>([])
    let catalogue = Catalogue { text in
      asked.update { $0.append(text) }
      try await clock.sleep(for: text == "sw" ? .seconds(9) : .seconds(1))
      return ["Common \(text)"]
    }
    let box = SearchBox(in: catalogue, on: clock)
    let text = box.text.observed, shown = box.shown.observed

    text.current = "s"
    clock.advance(by: .milliseconds(299))
    text.current = "sw"
    clock.advance(by: .milliseconds(299))
    #expect(asked.current == [])  // still typing
    clock.advance(by: .milliseconds(1))
    #expect(asked.current == ["sw"])  // the slow one is under way

    text.current = "swift"
    #expect(shown.current == "looking up…")
    clock.advance(by: .milliseconds(1300))
    #expect(shown.current == "Common swift")  // the pause and a second
    clock.advance(by: .seconds(9))
    #expect(shown.current == "Common swift")  // the slow one would have come meanwhile

    text.current = "owl"
    clock.advance(by: .milliseconds(1300))
    text.current = "swift"
    clock.advance(by: .milliseconds(300))
    #expect(shown.current == "Common swift")  // known: no second for it
    #expect(asked.current == ["sw", "swift", "owl"])
  }

  @Test func `a failure is shown, and what follows goes on`() throws {
    struct Offline: Error {}
    let clock = VirtualScheduler()
    let box = SearchBox(
      in: Catalogue { text in
        if text == "dodo" { throw Offline() }
        return []
      }, on: clock)
    let lines = Recorder(box.shown.distinctUntilChanged(), clock: clock)
    for text in ["dodo", "emu"] {
      box.text.value = text
      clock.advance(by: .seconds(1))
    }
    try lines.expect(
      ["type a word", "looking up…", "no answer: Offline()", "looking up…", "nothing"],
      at: [.zero, .zero, .milliseconds(300), .seconds(1), .milliseconds(1300)])
  }

  // MARK: The guide itself

  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { line in
      line.trimmingCharacters(in: .whitespaces).replacing(#/ +//.*/#) { match in
        " " + match.output.trimmingCharacters(in: .whitespaces)
      }
    }.filter { !$0.isEmpty }
  }

  @Test func `the guide's code is that of the example, and what is tested here`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    func read(_ path: String) throws -> String {
      try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
    let here = lines(try String(contentsOfFile: #filePath, encoding: .utf8))
    let example = lines(try read("Examples/Sources/Search/SearchBox.swift"))
    let guide = try read("Sources/EasyReact/EasyReact.docc/FromAViewToAnActor.md")
    let blocks = guide.split(separator: "```swift\n").dropFirst().map {
      lines($0[..<($0.firstRange(of: "```")?.lowerBound ?? $0.endIndex)])
    }
    func contains(_ all: [String], _ block: [String]) -> Bool {
      all.indices.contains { all[$0...].starts(with: block) }
    }
    let model = blocks.filter { contains(example, $0) }
    let tests = blocks.filter { $0.first?.contains("@Test") == true }
    #expect(model.count == 2 && tests.count == 2)
    for block in tests { #expect(contains(here, block), "\(block.first ?? "")") }
  }
}
