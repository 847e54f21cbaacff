import EasyReact
import EasyReactInspection
import Foundation
import Testing

@testable import EasyReactInspector

extension `18 A graph that explains itself` {
  /// 18.7 and 19: whatever a page asks, a private node's values are in no answer.
  @Suite struct Private {
    /// It stands in every value that is to be hidden, and nowhere else.
    private static let secret = "867530947114711"

    /// Values of each kind: text that is described when it is stored, numbers that are described late, events that nobody
    /// keeps, and what is derived from them and marked too. What is derived and not marked says no more than it may.
    private final class Account: Sendable {
      let password = MutableNode("old \(secret)").named("password")
      let pin = MutableNode(Int(secret)!).named("pin")
      let typed = MutableNode<String>.eventNode().named("typed")
      let copy: Node<String>
      let hidden: [AnyNode]
      let shown: [AnyNode]
      private let listenings: [Listening]

      init(isPrivate: Bool) {
        copy = password.combine(pin).map { "\($0) \($1)" }.named("copy")
        let length = password.map(\.count).named("length")
        let waits = password.combine(MutableNode<Int>().named("code")).map { "\($0) \($1)" }
          .named("waits")
        let refused = pin.filter { $0 < 0 }.named("refused")
        hidden = [password, pin, typed, copy] + copy.upstreamNodes
        shown = [length, waits, refused]
        if isPrivate { for node in hidden { node.isPrivate = true } }
        listenings = [
          copy.listen { _ in }, typed.listen { _ in }, length.listen { _ in },
          waits.listen { _ in }, refused.listen { _ in },
        ]
      }

      func use() {
        for step in 1...3 {
          password.set("\(secret) new \(step)", context: "sign-up")
          pin.value = Int(secret)! &+ step
          pin.update { $0 -= step }
          typed.value = "\(secret) typed \(step)"
        }
      }
    }

    /// Everything that a page can ask, and what it is told, refusals included.
    private func everything(
      _ source: any PageSource, _ nodes: [AnyNode]
    ) throws -> [(path: String, text: String)] {
      let answers = PageAnswers(source, allowsChanges: true)
      let records = source.records
      var asked: [(path: String, query: [String: String])] = [
        "hello", "graph", "values", "waves", "counts", "lint",
      ].map { ("api/\($0)", [:]) }
      asked += ["dot", "mermaid", "json", "session", "test"].map {
        ("api/export", ["form": $0])
      }
      asked += ViewOptions.Grouping.allCases.map {
        ("api/graph", ["group": $0.rawValue, "fold": "all"])
      }
      asked += records.waves.map { ("api/wave", ["number": "\($0.number)"]) }
      asked += records.events.map { ("api/values", ["at": "\($0.sequence)"]) }
      asked += ["", "private", "\(Self.secret) new", "password", "typed"].map {
        ("api/search", ["text": $0])
      }
      let last = try #require(records.events.last).sequence
      asked.append(("api/difference", ["from": "0", "to": "\(last)"]))
      for node in nodes {
        asked.append(("api/node", ["id": "\(node.id)"]))
        asked += ["api/why", "api/whynot"].map { ($0, ["node": "\(node.id)", "since": "0"]) }
      }
      var told = try asked.map { path, query in
        var request = try Request(head: Data("GET /x HTTP/1.1\r\nHost: a".utf8))
        request.query = query
        return (query["form"].map { "\(path) \($0)" } ?? path, text(answers, request, path))
      }
      var feed = Feed(source)
      let frame = try JSON.encoder.encode(feed.next())
      told.append(("api/events", String(decoding: frame, as: UTF8.self)))
      return told
    }

    private func text(_ answers: PageAnswers, _ request: Request, _ path: String) -> String {
      do {
        guard case .data(let data) = try answers.answer(request, path: path).content else {
          return ""
        }
        return String(decoding: data, as: UTF8.self)
      } catch { return "\(error)" }
    }

    /// Where the secret is told.
    private func tellers(isPrivate: Bool) throws -> (running: Set<String>, saved: Set<String>) {
      try recorded { recorder in
        let account = Account(isPrivate: isPrivate)
        account.use()
        let nodes = account.hidden + account.shown
        let running = try everything(RunningProgram(title: "Account", recorder: recorder), nodes)
        let session = GraphSession(program: "Account", records: recorder.records)
        let opened = try GraphSession(data: try session.data())
        let saved = try everything(SavedProgram(title: "Account", records: opened.records), nodes)
        func paths(_ told: [(path: String, text: String)]) -> Set<String> {
          Set(told.filter { $0.text.contains(Self.secret) }.map(\.path))
        }
        return (paths(running), paths(saved))
      }
    }

    @Test func `18.7 a private node's values are in no answer to a page, nor in a saved session`()
      throws
    {
      let told = try tellers(isPrivate: true)
      #expect(told.running == [] && told.saved == [])
    }

    @Test func `18.7 of the same nodes, not private, each answer that has values has them`() throws
    {
      let told = try tellers(isPrivate: false)
      let expected: Set = [
        "api/values", "api/waves", "api/wave", "api/search", "api/difference", "api/node",
        "api/why", "api/events", "api/export json", "api/export session", "api/export test",
      ]
      #expect(told.running == expected)
      #expect(told.saved == expected)
    }

    @Test func `18.7 a refused change of a private node does not say what was typed`() throws {
      let pin = MutableNode(1).named("pin"), count = MutableNode(1).named("count")
      pin.isPrivate = true
      func refusal(_ node: AnyNode) -> String? {
        #expect(throws: Refusal.self) { try node.change(to: "hunter2") }?.text
      }
      #expect(refusal(pin) == "What was typed is no Int.")
      #expect(refusal(count) == "“hunter2” is no Int.")
    }

    @Test func `18.7 a test made of a session expects nothing of private nodes`() throws {
      let session = recorded { recorder in
        let count = MutableNode(1).named("count")
        let token = count.map { "token \($0)" }.named("token")
        let double = count.map { $0 * 2 }.named("double")
        token.isPrivate = true
        let listenings: [Listening] = [token.listen { _ in }, double.listen { _ in }]
        count.value = 2
        withExtendedLifetime(listenings) {}
        return GraphSession(program: "x", records: recorder.records)
      }
      #expect(session.told == ["count": ["1", "2"], "double": ["2", "4"]])
      var test = SessionTest(session, name: "x")
      let source = try test.source()
      #expect(source.contains(#"#expect(told["double"] == ["2", "4"])"#))
      #expect(!source.contains("token"))
      test.outputs = ["token"]
      let error = #expect(throws: SessionError.self) { try test.source() }
      #expect(error?.description == "“token” is private: nobody knows what it told. Leave it out.")
    }
  }
}
