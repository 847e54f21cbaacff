import EasyReact
import EasyReactTesting
import Foundation
import Testing

/// The examples of the original's documents, under their numbers. See Documentation of EasyReact
/// 2.3.1, in our spelling.
@Suite("Examples", .watched) struct Examples {
  /// Is this the main queue? Not `Thread.isMainThread`: on Linux the main queue may leave the main
  /// thread.
  static let isOnMainQueue: @Sendable () -> Bool = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return { [key] in DispatchQueue.getSpecific(key: key) == true }
  }()

  /// The first `count` things that a stream says.
  static func first<Element: Sendable>(
    _ count: Int, of stream: AsyncStream<Element>
  ) async -> [Element] {
    var found: [Element] = []
    if count == 0 { return found }
    for await element in stream {
      found.append(element)
      if found.count == count { break }
    }
    return found
  }
}

// MARK: - 1-2 Values

extension Examples {
  @Test func `1 making nodes, and making them mutable`() {
    #expect(Node(15).value == 15)
    #expect(Node<Int>().value == nil)
    #expect(Node<Int>().isEmpty)
    let node = Node(33)
    #expect(!node.isMutable)
    let mutable = node.mutablify()
    #expect(mutable === node)
    #expect(node.isMutable)
    #expect(mutable.isMutable)
    mutable.value = 34
    #expect(node.value == 34)
  }

  @Test func `2 setting, emptying and reading with a default`() {
    let n = MutableNode(55)
    n.value = 82
    #expect(n.value == 82)
    n.clean()
    #expect(n.value == nil)
    #expect(n.value ?? 0 == 0)
    n.value = 33
    #expect(n.value ?? 0 == 33)
  }
}

// MARK: - 3-5 Listening

extension Examples {
  @Test func `3 listening lives with its owner`() {
    final class Owner: Sendable {}
    let n = MutableNode(1)
    let log = Journal<Int>()
    var owner: Owner? = Owner()
    n.listen(by: owner!) { _, value in log.note(value) }
    n.value = 2
    n.clean()
    n.value = 3
    owner = nil
    n.value = 4
    #expect(log.entries == [1, 2, 3])
    #expect(!n.hasListener)
  }

  @Test func `4 a listener hears the context of a set`() {
    let n = MutableNode(1)
    let log = Journal<String>()
    let listening = n.listenToChanges { change in
      log.note("\(change.value), \(change.context as? String ?? "none")")
    }
    n.set(2, context: "hey, it is me")
    #expect(log.entries == ["1, none", "2, hey, it is me"])
    listening.cancel()
  }

  /// For example 5.
  final class View: Sendable {
    let log: Journal<String>
    init(_ log: Journal<String>) { self.log = log }
    func removeFromSuperview() { log.note("removed") }
    func show(_ text: String) { log.note("show \(text)") }
    func show(_ text: String, because context: (any Sendable)?) {
      log.note("show \(text), \(context as? String ?? "none")")
    }
  }

  @Test
  func
    `5 a method as listener: of nothing, of the value, of the value and the context; the view is not retained`()
  {
    let n = MutableNode("a")
    let log = Journal<String>()
    var view: View? = View(log)
    weak let gone = view
    n.listen(by: view!, calling: View.removeFromSuperview)
    n.listen(by: view!, calling: View.show(_:))
    n.listenToChanges(by: view!) { $0.show($1.value, because: $1.context) }
    #expect(log.take() == ["removed", "show a", "show a, none"])
    n.set("b", context: "c")
    #expect(log.take() == ["removed", "show b", "show b, c"])
    view = nil
    #expect(gone == nil)
    n.value = "c"
    #expect(log.entries == [])
  }
}

// MARK: - 6-7 Threads

extension Examples {
  @Test
  func `6 without queues a listener runs on the thread that sets, and before the set returns`() {
    let n = MutableNode(1)
    let log = Journal<String>()
    let setter = Thread.current
    let isHere: @Sendable () -> Bool = { [id = ObjectIdentifier(setter)] in
      ObjectIdentifier(Thread.current) == id
    }
    let listening = n.listen { log.note("\($0) \(isHere())") }
    n.value = 2
    #expect(log.entries == ["1 true", "2 true"])
    listening.cancel()
  }

  @Test func `6 with a queue a listener runs there, later, also for the first value`() {
    let n = MutableNode(1)
    let log = Journal<String>()
    let queue = DispatchQueue(label: "example 6")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    queue.suspend()
    let listening = n.listen(on: .queue(queue)) {
      log.note("\($0) \(DispatchQueue.getSpecific(key: key) == true)")
    }
    n.value = 2
    n.value = 3
    #expect(log.entries == [])  // the setting code goes on at once: the queue has not run yet
    queue.resume()
    queue.sync {}
    #expect(log.entries == ["1 true", "2 true", "3 true"])
    listening.cancel()
  }

  @Test
  @MainActor
  func
    `6 two listeners, on the main queue and on a global queue, hear 1, 2, 3 in order, each on its queue`()
    async
  {
    let n = MutableNode(1)
    let (onMain, mainSays) = AsyncStream.makeStream(of: String.self)
    let (onGlobal, globalSays) = AsyncStream.makeStream(of: String.self)
    let log = Journal<Int>()
    let main = n.listen(on: .queue(.main)) {
      log.note($0)
      mainSays.yield("\($0) \(Self.isOnMainQueue())")
    }
    let global = n.listen(on: .global()) {
      globalSays.yield("\($0) \(Self.isOnMainQueue())")
    }
    n.value = 2
    n.value = 3
    #expect(log.entries == [])
    #expect(await Self.first(3, of: onMain) == ["1 true", "2 true", "3 true"])
    #expect(await Self.first(3, of: onGlobal) == ["1 false", "2 false", "3 false"])
    main.cancel()
    global.cancel()
  }

  /// For example 7.
  @MainActor final class Label { var text = "" }

  /// That a plain listener may not touch the label is checked by Scripts/check-compile.sh, with
  /// Tests/Compile/MustFail/Example07PlainListener.swift.
  @Test
  @MainActor
  func
    `7 the main-actor form of listen may update a label, and runs on the main actor whichever thread sets`()
    async
  {
    let n = MutableNode("first")
    let label = Label()
    let (shown, says) = AsyncStream.makeStream(of: String.self)
    let listening = n.listenOnMain { text in
      MainActor.preconditionIsolated()
      label.text = text
      says.yield("\(text) \(Self.isOnMainQueue())")
    }
    #expect(label.text == "")  // later, also from the main thread
    DispatchQueue.global().async { n.value = "second" }
    #expect(await Self.first(2, of: shown) == ["first true", "second true"])
    #expect(label.text == "second")
    listening.cancel()
  }

  @Test
  @MainActor
  func `7 the main-actor form with an owner updates the owner's label`() async {
    let n = MutableNode("first")
    let label = Label()
    let (shown, says) = AsyncStream.makeStream(of: Void.self)
    n.listenOnMain(by: label) { label, text in
      label.text = text
      says.yield()
    }
    DispatchQueue.global().async { n.value = "second" }
    #expect(await Self.first(2, of: shown).count == 2)
    #expect(label.text == "second")
  }
}

// MARK: - 8 Linking

extension Examples {
  @Test func `8 linking by the ends of a transform, and by link`() {
    let a = MutableNode(1)
    let b = Node<Int>()
    let t = NodeTransform<Int, Int>()
    t.from = a
    #expect(b.isEmpty)
    t.to = b
    #expect(b.value == 1)
    a.value = 2
    #expect(b.value == 2)
    t.to = nil
    a.value = 3
    #expect(b.value == 2)
    let c = MutableNode(2)
    let d = MutableNode<Int>()
    d.link(to: c)
    #expect(d.value == 2)
  }

  @Test(arguments: 1...4)
  func `8 removing upstream and downstream nodes leaves the downstream as it was`(way: Int) {
    let a = MutableNode(1)
    let b = MutableNode<Int>()
    b.link(to: a)
    b.link(to: a)
    switch way {
    case 1: b.wiring.removeUpstreamNode(a)
    case 2: a.wiring.removeDownstreamNode(b)
    case 3: b.wiring.removeUpstreamNodes()
    default: a.wiring.removeDownstreamNodes()
    }
    a.value = 2
    #expect(b.value == 1)
    #expect(!a.hasDownstreamNode && !b.hasUpstreamNode)
    #expect(checkInvariants([a, b]) == [])
  }
}
