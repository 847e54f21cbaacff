import EasyReact
import EasyReactTesting
import Foundation
import Testing
import XCTest

// The code of Documentation/Testing.md, word for word: `GuideTests` compares.

final class SearchBox: Sendable {
  let text = MutableNode<String>()
  let query: Node<String>
  let results: Node<[String]>

  init(words: [String], on scheduler: some NodeScheduler) {
    query = text.debounce(.seconds(1), on: scheduler).distinctUntilChanged()
    results = query.map { query in words.filter { $0.hasPrefix(query) } }
  }
}

struct User: Equatable { let name: String }

@Suite struct GuideTests {
  @Test func `it searches when the typing has paused for a second`() throws {
    let clock = VirtualScheduler()
    let box = SearchBox(words: ["hello", "help", "world"], on: clock)
    let queries = Recorder(box.query, clock: clock)

    for text in ["h", "he", "hel", "hell", "hello"] {
      box.text.value = text
      clock.advance(by: .milliseconds(100))
    }
    try queries.expect([])  // 500 ms: the last letter is 100 ms old
    clock.advance(by: .milliseconds(1200))
    try queries.expect(["hello"])
    for text in ["hello ", "hello w", "hello wo", "hello wor", "hello worl", "hello world"] {
      box.text.value = text
      clock.advance(by: .milliseconds(100))
    }
    clock.run()  // until nothing is scheduled any more
    try queries.expect(["hello", "hello world"], at: [.milliseconds(1400), .milliseconds(3200)])
  }

  @Test func `it searches when the typing pauses, and not twice for the same text`() throws {
    let test = MarbleTest(step: .milliseconds(500))
    let text = try test.node("-ab---c--d-----d----")
    let query = text.debounce(.seconds(1), on: test.clock).distinctUntilChanged()
    try test.expect(query, "----b---c--d--------")
  }

  @Test func `the box shows the words that begin with what was typed`() throws {
    let test = MarbleTest(step: .milliseconds(500))
    let box = SearchBox(words: ["hello", "help", "world"], on: test.clock)
    try test.set(box.text, "           -'he'-'hel'--    'help'--     'world'--")
    try test.expect([
      .line(box.query, "               --   --    -'hel'-     -'help'-      -'world'"),
      .line(box.results.map(\.count), "--   --    -2    -     -1     -      -1"),
    ])
  }

  @Test func `inputs of any type`() throws {
    let test = MarbleTest()
    let price = try test.node("1-2---3", as: Double.self)
    let user = try test.node("-a---b-", values: ["a": User(name: "Ada"), "b": User(name: "Bo")])
    let label = price.combine(user).map { "\($1.name) \($0)" }
    try test.expect(label, "-'Ada 1.0''Ada 2.0'--'Bo 2.0''Bo 3.0'")
  }

  @Test func `taps tell the last key`() throws {
    let test = MarbleTest()
    let taps = MutableNode<Void>.eventNode(), keys = MutableNode<String>.eventNode()
    try test.set(taps, "x--x---x", values: ["x": ()])
    try test.set(keys, "-a---b--")
    try test.expect([
      .line(taps.count(), "      1--2---3"),
      .line(keys.held(), "       -a---b--"),
      .line(taps.withLatest(from: keys.held()).map(\.1), "---a---b"),
    ])
  }

  @Test func `several lines`() throws {
    let test = MarbleTest()
    let number = try test.node("1--7--2--9--")
    let copy = MutableNode<String>()
    try test.cancel(copy.link(to: number), "-------!----")
    let signs = number.if { $0 > "5" }
    try test.expect([
      .line(signs.thenNode, "---7-----9--"),
      .line(signs.elseNode, "1-----2-----"),
      .line(copy, "          1--7--2-----"),
    ])
  }

  @Test func `who set it, when, and on which thread`() throws {
    let clock = VirtualScheduler()
    let volume = MutableNode(1)
    let recorder = Recorder(volume, clock: clock)
    clock.advance(by: .seconds(5))
    volume.set(2, context: "slider")
    try recorder.expect([1, 2], at: [.zero, .seconds(5)])
    #expect(recorder.contexts.last as? String == "slider")
    #expect(recorder.threads == [.current, .current])
  }

  @Test func `a price arrives on the queue`() async {
    let price = MutableNode(1)
    let shown = Recorder(price.deliver(on: .queue(DispatchQueue(label: "prices"))))
    price.value = 2
    #expect(await settle())
    #expect(shown.values == [1, 2])
  }

  @Test func `a closed screen leaves nothing behind`() throws {
    let model = MutableNode("Ada")
    try expectFreed {
      let title = model.map { "Hello, \($0)" }
      let listening = title.listen { print($0) }
      listening.cancel()
    }
  }

  // MARK: The guide itself

  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { line in
      // A comment is set off by more spaces in the guide.
      line.trimmingCharacters(in: .whitespaces).replacing(#/ +//.*/#) { match in
        " " + match.output.trimmingCharacters(in: .whitespaces)
      }
    }.filter { !$0.isEmpty }
  }

  private var guide: String {
    get throws {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      return try String(
        contentsOf: root.appending(path: "Documentation/Testing.md"), encoding: .utf8)
    }
  }

  @Test func `the guide's code is the code that is tested here`() throws {
    let here = lines(try String(contentsOfFile: #filePath, encoding: .utf8))
    let blocks = try guide.split(separator: "```swift\n").dropFirst().map {
      lines($0[..<($0.firstRange(of: "```")?.lowerBound ?? $0.endIndex)])
    }
    #expect(blocks.count == 11)
    for block in blocks {
      let isHere = here.indices.contains { start in here[start...].starts(with: block) }
      #expect(isHere, "\(block.first ?? "")")
    }
  }

  @Test func `the failures that the guide shows are those that come`() throws {
    let test = MarbleTest(step: .milliseconds(500))
    let text = try test.node("-ab---c--d-----d----")
    let error = #expect(throws: MarbleMismatch.self) {
      try test.expect(text.debounce(.seconds(1), on: test.clock), "----b---c--d--------")
    }
    let difference = try #require(error?.difference)
    #expect(try guide.contains(difference), "\(difference)")
  }

  @Test func `every picture that the guide shows is there`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Documentation")
    for link in try guide.matches(of: #/\]\(([^)]+)\)/#) {
      let path = folder.appending(path: String(link.output.1)).path
      #expect(FileManager.default.fileExists(atPath: path), "\(path)")
    }
  }
}

final class SearchTests: XCTestCase {
  func testItSearchesWhenTheTypingPauses() throws {
    let test = MarbleTest(step: .milliseconds(500))
    let text = try test.node("-ab---c--d-----d----")
    let query = text.debounce(.seconds(1), on: test.clock).distinctUntilChanged()
    try test.expect(query, "----b---c--d--------")
  }
}
