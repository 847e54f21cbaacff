import EasyReact
import EasyReactInspection
import Foundation
import Synchronization
import Testing

extension `18 A graph that explains itself` {
  /// What is recorded of values.
  @Suite struct Describing {
    private func session(_ body: (GraphRecorder) -> Void) -> GraphSession {
      recorded { recorder in
        body(recorder)
        return GraphSession(program: "x", saved: 0, records: recorder.records)
      }
    }

    /// Found by a hostile review: the first look at it, or a recorded set, ran out of stack.
    @Test func `12.3, 18.7 values that lead to each other's nodes are described`() {
      struct Row: Sendable {
        let children = MutableNode<[Row]>([]).named("children")
        let parent = MutableNode<Row?>(nil).named("parent")
      }
      let root = Row(), leaf = Row()
      leaf.parent.value = .some(root)
      root.children.value = [leaf]
      let type = "\(Row?.self)"
      #expect(
        "\(root.children)".hasSuffix(
          "parent: Node<\(type)>(parent: …))])"), "\(root.children)")
      #expect(root.children.snapshot().nodes[0].value?.contains("(children: …)") == true)
      let session = session { _ in root.children.value = [leaf] }
      #expect(session.records.events.contains { $0.new?.text?.contains("(children: …)") == true })
      // A node that lies in what is no node's value has its own.
      #expect("\([MutableNode(1).named("one")])" == "[Node<Int>(one: 1)]")
      root.children.value = []
    }

    /// What a description sets is told as ever.
    @Test func `12.3 a listener that runs in a description prints nodes with their values`() {
      struct Setting: CustomStringConvertible, Sendable {
        let target: MutableNode<Int>
        var description: String {
          target.value = 5
          return "\(target)"
        }
      }
      let target = MutableNode(1).named("target"), printed = Mutex<[String]>([])
      let listening = target.listen { [weak target] _ in
        if let target { printed.withLock { $0.append("\(target)") } }
      }
      printed.withLock { $0 = [] }
      let outer = MutableNode(Setting(target: target)).named("outer")
      #expect("\(outer)" == "Node<Setting>(outer: Node<Int>(target: …))")
      #expect(printed.withLock { $0 } == ["Node<Int>(target: 5)"])
      withExtendedLifetime(listening) {}
    }

    /// And at a cost that is that of one value.
    @Test func `18.7 nor does what lies in a value describe on and on`() {
      var last = MutableNode<AnyNode?>(nil)
      for _ in 0..<20_000 { last = MutableNode<AnyNode?>(last) }
      let whole = "\(last)"
      #expect(whole.hasSuffix("(unnamed: …)))") && whole.utf8.count < 200, "\(whole.suffix(40))")
      let session = session { _ in last.value = last.value! }
      #expect(session.records.events.contains { $0.new?.text?.contains("(unnamed: …)") == true })
    }

    @Test func `18.6, 18.7 an optional text is recorded as Swift describes it, and played again`()
      throws
    {
      let session = session { _ in
        let source = MutableNode<String?>(nil).named("source")
        let copy = source.map { $0 }.named("copy"), listening = copy.listen { _ in }
        source.set(.some("x"))
        source.set(.some("nil"))
        source.set(nil)
        withExtendedLifetime(listening) {}
      }
      #expect(session.told["copy"] == ["nil", "Optional(\"x\")", "Optional(\"nil\")", "nil"])
      let source = try SessionTest(session, name: "x").source()
      for literal in ["\"x\"", "\"nil\"", "nil"] { #expect(source.contains(".set(\(literal))")) }
    }

    /// What is set there waits until the sync has told its first value. Found by a hostile review: that was read after it had been destroyed.
    @Test func `18.1, 5.3 a description may empty the node whose value a new sync tells first`() {
      let lives = Mutex(2)
      final class Described: CustomStringConvertible, Sendable {
        let act = Mutex<(@Sendable () -> Void)?>(nil)
        let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
        var description: String {
          act.withLock { act in
            defer { act = nil }
            return act
          }?()
          return "described"
        }
      }
      let one = { Described { lives.withLock { $0 -= 1 } } }
      let first = MutableNode(one()), other = MutableNode(one())
      _ = recorded { recorder in
        other.current.act.withLock { act in
          act = { [other] in other.clean() }
        }
        first.sync(with: other)
        return GraphSession(program: "x", saved: 0, records: recorder.records)
      }
      #expect(!first.isEmpty && other.isEmpty)
      first.clean()
      #expect(lives.withLock { $0 } == 0)
    }

    @Test func `18.6 a text that ends with an ellipsis is a value like others, unless it was cut`()
      throws
    {
      let long = String(repeating: "a", count: 300)
      func session(of text: String) -> GraphSession {
        self.session { _ in
          let source = MutableNode("").named("source")
          let copy = source.map { $0 }.named("copy"), listening = copy.listen { _ in }
          source.set(text)
          withExtendedLifetime(listening) {}
        }
      }
      let loading = session(of: "Loading…")
      #expect(try SessionTest(loading, name: "x").source().contains("[\"\", \"Loading…\"]"))
      let fresh = MutableNode("")
      var replay = SessionReplay(loading)
      replay.play("source", into: fresh)
      #expect(replay.run().leftOut.isEmpty && fresh.value == "Loading…")
      let cut = session(of: long)
      let error = #expect(throws: SessionError.self) { try SessionTest(cut, name: "x").source() }
      #expect(error?.description.contains("was cut") == true)
      // Of a session that does not say where its recorder cut nobody knows.
      var old = loading
      old.records.descriptionLength = nil
      let unknown = #expect(throws: SessionError.self) { try SessionTest(old, name: "x").source() }
      #expect(unknown?.description.contains("was cut") == true)
    }

    private struct User: Hashable, Sendable {
      var id: Int, name: String
      func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    @Test func `18.5 values of one hash that look different are not equal`() {
      recorded { recorder in
        let user = MutableNode(User(id: 1, name: "")), listening = user.listen { _ in }
        for number in 0..<30 { user.value = User(id: 1, name: "\(number / 2)") }
        #expect(recorder.counts[user.id]?.storedEqual == 15)
        #expect(user.lint(with: recorder).isEmpty)
        withExtendedLifetime(listening) {}
      }
    }

    @Test func `18.5 sets and dictionaries are equal in whatever order they are described`() {
      recorded { recorder in
        let members = MutableNode(Set(0..<20)), names = MutableNode<[Int: String]?>(nil)
        for capacity in [64, 1_024, 32] {
          var set = Set<Int>(minimumCapacity: capacity)
          var dictionary = [Int: String](minimumCapacity: capacity)
          for number in (0..<20).reversed() {
            set.insert(number)
            dictionary[number] = "\(number)"
          }
          members.value = set
          names.value = dictionary
        }
        #expect(recorder.counts[members.id]?.storedEqual == 3)
        #expect(recorder.counts[names.id]?.storedEqual == 2)
      }
    }

    /// How long it takes: the growth row "a long array described, n characters of it shown".
    @Test func `18.7 of a long array the first characters are shown`() {
      struct Element: Sendable, CustomStringConvertible {
        let number: Int
        var description: String { "\u{301}\(number)" }
      }
      for limit in [1, 2, 7, 1_000] {
        recorded(descriptionLength: limit) { recorder in
          let node = MutableNode<[Element]>()
          let elements = (0..<5_000).map { Element(number: $0) }
          node.value = elements
          let text = recorder.records.events(of: node, .stored).last?.new?.text
          #expect(text == "\(elements)".prefix(limit) + "…")
        }
      }
    }

    @Test func `18.7 marked later, what somebody has read before is hidden too`() {
      recorded { recorder in
        let number = MutableNode(1).named("pin"), text = MutableNode("a").named("password")
        number.value = 867_530_947_114_711
        text.value = "hunter2"
        #expect("\(recorder.records)".contains("867530947114711"))
        (number.isPrivate, text.isPrivate) = (true, true)
        let described = "\(recorder.records) \(recorder.why(text)) \(recorder.why(number))"
        #expect(!described.contains("867530947114711") && !described.contains("hunter2"))
        let stored = recorder.records.events(of: text, .stored)
        #expect(stored.last?.old == .private && stored.last?.new == .private)
        recorder.stop()
        #expect(!"\(recorder.records)".contains("hunter2"))
      }
    }
  }
}
