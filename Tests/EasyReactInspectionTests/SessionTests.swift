import EasyReact
import EasyReactInspection
import EasyReactTesting
import Foundation
import Testing

/// Contract 18.6: a session is saved and opened, replayed on a fresh graph of the same program, compared, and turned into a
/// test.
@Suite(.serialized, .alone) struct Sessions {
  /// A small program: two inputs, a join, a filter, and a listener that sets.
  final class Till: Sendable {
    let price = MutableNode<Int>().named("price")
    let count = MutableNode<Int>().named("count")
    let note = MutableNode<String>().named("note")
    let last = MutableNode<Int>().named("last")
    let total: Node<Int>
    let large: Node<Int>
    private let listening: Listening

    init() {
      total = price.combine(count).map { $0 * $1 }.named("total")
      large = total.filter { $0 >= 100 }.named("large")
      let last = last
      listening = total.listen { last.value = $0 }
    }
  }

  /// What `body` does to a fresh till, as a session.
  private func record(_ body: (Till) -> Void) -> GraphSession {
    let recorder = GraphRecorder()
    recorder.start()
    defer { recorder.stop() }
    let till = Till()
    let listenings: [Listening] = [till.large.listen { _ in }, till.note.listen { _ in }]
    body(till)
    let session = GraphSession(program: "Till", saved: 1_700_000_000, records: recorder.records)
    withExtendedLifetime((till, listenings)) {}
    return session
  }

  private func day(_ till: Till) {
    batch {
      till.price.value = 20
      till.count.value = 3
    }
    till.count.set(5, context: "scanner")
    till.note.value = "a \"quoted\" line\nand another"
    till.price.clean()
    till.price.value = 7
  }

  @Test func `18.6 a session that is saved and opened is the same`() throws {
    let session = record(day)
    let again = try GraphSession(data: try session.data())
    #expect(again == session)
    #expect(try again.data() == session.data())
    #expect(
      again.records.why(again.records.nodes[0].id)
        == session.records.why(session.records.nodes[0].id))
  }

  @Test func `18.6 what was set from outside is told turn by turn, and what listeners set is not`()
  {
    let turns = record(day).turns
    #expect(
      turns.map { $0.inputs.map { "\($0.label)=\($0.value)" } } == [
        ["price=20", "count=3"], ["count=5"], ["note=a \"quoted\" line\nand another"],
        ["price=empty"], ["price=7"],
      ])
    #expect(turns[1].inputs[0].context == "scanner")
  }

  @Test func `18.6 a session that is replayed on a fresh graph tells the same`() {
    let session = record(day)
    #expect(session.told["total"] == ["60", "100", "35"])
    #expect(session.told["large"] == ["100"])
    var report: SessionReplay.Report?
    let again = record { till in
      var replay = SessionReplay(session)
      replay.play("price", into: till.price)
      replay.play("count", into: till.count)
      replay.play("note", into: till.note)
      report = replay.run()
    }
    #expect(report?.description == "5 turns played")
    #expect(session.differences(from: again) == [])
    #expect(
      again.turns.map { $0.inputs.map(\.value) } == session.turns.map { $0.inputs.map(\.value) })
  }

  @Test func `18.6 a difference is named with its place`() {
    let session = record(day)
    let other = record { till in
      till.price.value = 20
      till.count.value = 3
      till.count.value = 6
    }
    let differences = session.differences(from: other, of: ["total", "large"]).map(\.description)
    #expect(
      differences == [
        "large: value 1 is 100 in the first and 120 in the second",
        "total: value 2 is 100 in the first and 120 in the second",
      ])
  }

  @Test func `18.6 an input that nobody plays, or that cannot be read, is counted and said`() {
    let session = record(day)
    var report: SessionReplay.Report?
    _ = record { till in
      var replay = SessionReplay(session)
      replay.play("price", into: till.price) { _ in nil }
      replay.play("count", into: till.count)
      report = replay.run()
    }
    #expect(
      report?.description
        == "2 turns played; 1 × note: nobody plays it; 2 × price: its description gives no value")
  }

  @Test func `18.6 a damaged or newer file gets a clear error`() throws {
    let text = String(decoding: try record(day).data(), as: UTF8.self)
    func error(_ text: String) -> SessionError? {
      do {
        _ = try GraphSession(data: Data(text.utf8))
        return nil
      } catch { return error }
    }
    #expect(error(text) == nil)
    #expect(error(String(text.dropLast(40)))?.code == .otherFormat)
    #expect(error("[]")?.code == .otherFormat)
    #expect(
      error(text.replacing("easyreact-session", with: "other"))?.description.contains(
        "its format is “other”") == true)
    let newer = error(text.replacing("\"version\":1", with: "\"version\":2"))
    #expect(
      newer?.code == .newer
        && newer?.description.contains("version 2; this library reads up to 1") == true)
    let damaged = error(text.replacing("\"kind\":\"set\"", with: "\"kind\":\"sat\""))
    #expect(damaged?.code == .damaged && damaged?.description.contains("records.events[") == true)
    let unsorted = error(
      text.replacing("{\"events\":", with: "{\"x\":0,\"events\":").replacing(
        "\"nodes\":[",
        with:
          "\"nodes\":[{\"counts\":{\"ranInVain\":0,\"stored\":0,\"storedEqual\":0,\"told\":0},\"id\":99999999,\"isMutable\":true,\"isPrivate\":false,\"listeners\":0,\"operation\":\"Source\",\"place\":{\"file\":\"a\",\"line\":1},\"type\":\"Int\",\"value\":{\"form\":\"empty\"}},"
      ))
    #expect(unsorted?.description.contains("they must grow") == true)
  }

  @Test func `18.6 random damage never stops the program`() throws {
    let data = try record(day).data()
    for seed in 1...200 as ClosedRange<UInt64> {
      var random = SplitMix(state: seed)
      var damaged = data
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<damaged.count, using: &random)
        damaged[place] = UInt8.random(in: 0...255, using: &random)
      }
      if let session = try? GraphSession(data: damaged) {
        _ = (
          session.turns, session.told, session.records.waves, session.records.dot(),
          session.records.mermaid()
        )
        for node in session.records.nodes {
          _ = (session.records.why(node.id), session.records.whyNot(node.id))
        }
        _ = try? SessionTest(session, name: "damaged \(seed)").source()
      }
    }
  }

  private func tillTest(_ session: GraphSession, _ name: String) -> SessionTest {
    var test = SessionTest(session, name: name)
    test.traits = [".alone"]
    test.setUp = "let till = Sessions.Till()"
    test.expressions = [
      "price": "till.price", "count": "till.count", "note": "till.note", "last": "till.last",
      "total": "till.total",
      "large": "till.large",
    ]
    return test
  }

  @Test func `18.6 a test is written of a session, and is the one that runs here`() throws {
    try expectWritten(try tillTest(record(day), "a day at the till").source(), "TillSession.swift")
  }

  @Test func `18.6 of a session with a wrong value a test is written that fails`() throws {
    var session = record(day)
    let price = try #require(session.records.nodes.first { $0.name == "price" }).id
    let place = try #require(
      session.records.events.lastIndex { $0.kind == .stored && $0.node == price })
    // It was set to 7.
    session.records.events[place].new = ValueRecord(.value, text: "8")
    var test = tillTest(session, "a day at the till, with a wrong price")
    test.traits.append(".fails")
    try expectWritten(try test.source(), "WrongTillSession.swift")
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `18.6 of random graphs tests are written, and run here`(seed: UInt64) throws {
    let recorder = GraphRecorder()
    recorder.start()
    let graph = RandomGraph(seed: seed)
    graph.play(seed: seed)
    let session = GraphSession(program: "random", records: recorder.records.graph(of: graph.all.id))
    recorder.stop()
    #expect(session.turns.count > 15 && session.told.values.joined().count > 60)
    var test = SessionTest(session, name: "a random graph of seed \(seed)")
    test.traits = [".alone"]
    test.setUp = "let random = RandomGraph(seed: \(seed))\nlet graph = random.all"
    try expectWritten(try test.source(), "RandomSession\(seed).swift")
  }

  @Test func `18.6 of what several graphs did the part of one is taken`() {
    let recorder = GraphRecorder()
    recorder.start()
    let a = MutableNode(1).named("a"), b = MutableNode(2).named("b")
    let double = a.map { $0 * 2 }.named("double"), link = b.link(to: double)
    let other = MutableNode(0).named("other")
    link.cancel()
    let listening = double.listen { other.value = $0 }
    (a.value, b.value) = (5, 6)
    recorder.stop()
    let all = recorder.records
    let one = all.graph(of: b.id), two = all.graph(of: other.id)
    #expect(one.nodes.map(\.label) == ["a", "b", "double"] && two.nodes.map(\.label) == ["other"])
    #expect(one.events.allSatisfy { $0.node != other.id } && one.dropped == all.dropped)
    #expect(one.why(double.id) == all.why(double.id))
    // What the listener set has no cause there.
    #expect(
      GraphSession(program: "", records: two).turns.flatMap(\.inputs).map(\.label) == [
        "other", "other",
      ])
    #expect(
      GraphSession(program: "", records: all).turns.flatMap(\.inputs).map(\.label) == ["a", "b"])
    #expect(all.graph(of: 0).nodes.isEmpty)
    withExtendedLifetime(listening) {}
  }

  /// Two titles with one name, of which the graph reaches one at a time; and a note that it reaches from page 1 alone.
  final class Book: Sendable {
    let page = MutableNode(0).named("page"), note = MutableNode("").named("note")
    let titles = (0..<2).map { MutableNode("title \($0)").named("title") }
    let text: Node<String>

    init() {
      let titles = titles, note = note, nothing = Node<String>()
      let notes = page.flattenMap { $0 == 1 ? note : nothing }
      text = page.flattenMap { titles[$0] }.merge(notes).named("text")
    }
  }

  @Test
  func
    `18.6 a test sets the node that is there: of several with one name, and one that was not there before`()
    throws
  {
    let recorder = GraphRecorder()
    recorder.start()
    let book = Book()
    book.titles[0].value = "a"
    book.page.value = 1
    book.titles[1].value = "b"
    book.note.value = "see page 0"
    book.page.value = 0
    book.titles[0].value = "c"
    let session = GraphSession(program: "Book", records: recorder.records.graph(of: book.page.id))
    recorder.stop()
    #expect(session.told["text"]?.suffix(4) == ["b", "see page 0", "a", "c"])
    var test = SessionTest(session, name: "a book")
    test.traits = [".alone"]
    test.setUp = "let book = Sessions.Book()\nlet graph = book.text"
    try expectWritten(try test.source(), "BookSession.swift")
  }

  @Test func `18.6 what waits for a scheduler, and what follows it, is not expected of a test`()
    throws
  {
    let recorder = GraphRecorder(), clock = VirtualScheduler()
    recorder.start()
    let a = MutableNode(0).named("a"), early = a.map { $0 }.named("early")
    let late = a.delay(.seconds(1), on: clock).named("late")
    let later = early.merge(late).map { $0 }.named("later")
    a.value = 1
    recorder.stop()
    let session = GraphSession(program: "x", records: recorder.records.graph(of: a.id))
    let source = try SessionTest(session, name: "x").source()
    #expect(source.contains("told[\"early\"] == [\"0\", \"1\"]"))
    #expect(!source.contains("late"))
    withExtendedLifetime(later) {}
  }

  /// Of a graph that is made, and set, meanwhile.
  private func session(_ make: () -> AnyNode) -> GraphSession {
    let recorder = GraphRecorder()
    recorder.start()
    let node = make()
    recorder.stop()
    return withExtendedLifetime(node) {
      GraphSession(program: "x", records: recorder.records.graph(of: node.id))
    }
  }

  /// Found by a hostile review, as the next two.
  @Test func `18.6 of several nodes with one name that of the type that was set is looked for`()
    throws
  {
    let session = session {
      let number = MutableNode(0).named("v"), text = MutableNode("").named("v")
      let both = number.combine(text).map { "\($0)" }.named("both")
      number.value = 1
      text.value = "x"
      return both
    }
    let source = try SessionTest(session, name: "x").source()
    #expect(source.contains("try sessionNodes.first(\"v\", Int.self).set(1)"))
    #expect(source.contains("try sessionNodes.first(\"v\", String.self).set(\"x\")"))
  }

  @Test
  func `18.6 of two nodes with one name what is expected is that of the one that is not private`()
    throws
  {
    let session = session {
      let hidden = MutableNode(0).named("v"), source = MutableNode("").named("source")
      hidden.isPrivate = true
      let shown = source.map { $0 }.named("v"), both = hidden.combine(shown).map { "\($0)" }
      source.value = "x\u{7F}y"
      return both
    }
    let source = try SessionTest(session, name: "x").source()
    #expect(source.contains("first(\"v\", String.self).listen"))
    #expect(source.contains("told[\"v\"] == [\"\", \"x\\u{7f}y\"]"))
  }

  @Test(arguments: [
    ("a\r\nb", "`ab`"), ("a`b\\", "`ab`"), ("", "`session`"), ("+", "`session +`"),
    ("$0", "`session $0`"), ("a\u{7F}\u{2028}", "`a`"), ("two words", "`two words`"),
  ])
  func `18.6 a test has a name that Swift takes`(name: String, title: String) throws {
    let session = session {
      let node = MutableNode(0).named("node")
      node.value = 1
      return node
    }
    #expect(try SessionTest(session, name: name).source().contains("@Test func \(title)() throws"))
  }

  @Test func `18.6 what cannot be written as a test is said`() throws {
    let small = GraphRecorder(events: 4)
    small.start()
    let node = MutableNode(0).named("node")
    for value in 1...20 { node.value = value }
    small.stop()
    let session = GraphSession(program: "x", records: small.records)
    let dropped = #expect(throws: SessionError.self) {
      try SessionTest(session, name: "x").source()
    }
    #expect(dropped?.description.contains("were dropped") == true)

    let recorder = GraphRecorder()
    recorder.start()
    let place = MutableNode<SourcePlace>().named("place")
    place.value = SourcePlace(file: "a", line: 1)
    recorder.stop()
    let other = GraphSession(program: "x", records: recorder.records)
    let unwritable = #expect(throws: SessionError.self) {
      try SessionTest(other, name: "x").source()
    }
    #expect(unwritable?.description.contains("“place” was set to a value of SourcePlace") == true)

    recorder.start()
    let unnamed = MutableNode(0)
    unnamed.value = 1
    recorder.stop()
    let third = GraphSession(program: "x", records: recorder.records.graph(of: unnamed.id))
    let nameless = #expect(throws: SessionError.self) { try SessionTest(third, name: "x").source() }
    #expect(nameless?.description.contains("has no name") == true)
    var named = SessionTest(third, name: "x")
    named.expressions = [third.turns[0].inputs[0].label: "count"]
    #expect(try named.source().contains("count.set(1)"))
  }

  @Test(arguments: [
    ("Int", "-4", "-4"), ("Double", "2.5", "2.5"), ("Double", "nan", ".nan"),
    ("Double", "-inf", "-.infinity"), ("Bool", "true", "true"),
    ("String", "a\"b\\", "\"a\\\"b\\\\\""), ("Optional<Int>", "nil", "nil"),
    ("Optional<Int>", "Optional(4)", "4"),
    ("Optional<String>", "Optional(\"x\")", "\"x\""),
  ])
  func `18.6 values are written as literals`(type: String, text: String, literal: String) {
    #expect(SessionTest.literal(type, text) == literal)
  }

  @Test(arguments: [
    ("Int", "x"), ("Int", "1); exit(0"), ("Double", "abc"), ("Bool", "maybe"),
    ("Place", "Place(1)"), ("Optional<Place>", "Optional(x)"),
  ])
  func `18.6 what is no literal is not written`(type: String, text: String) {
    #expect(SessionTest.literal(type, text) == nil)
  }
}

/// The same numbers for the same seed.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    let mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    return mixed ^ (mixed >> 29)
  }
}

/// A file of `Generated/`, which is compiled and run with these tests, is what is written now. To write it anew:
/// `EASYREACT_WRITE_GENERATED=1`.
func expectWritten(_ source: String, _ name: String, file: String = #filePath) throws {
  let path = URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent(
    "Generated/\(name)")
  if ProcessInfo.processInfo.environment["EASYREACT_WRITE_GENERATED"] != nil {
    try FileManager.default.createDirectory(
      at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(source.utf8).write(to: path)
  }
  let written = try String(contentsOf: path, encoding: .utf8)
  #expect(source == written)
}
