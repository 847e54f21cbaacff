import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, 14.5: nodes and listeners on actors.
@Suite(.watched) struct `14 Actors` {
  /// Writes down what it is told, on itself.
  private actor Archive {
    var notes: [Int] = []
    var listening: Listening?
    let answers: Answers<Int>?
    init(_ answers: Answers<Int>? = nil) { self.answers = answers }

    func note(_ value: Int) {
      notes.append(value)
      answers?.hear(value)
    }
    func keep(_ listening: Listening) { self.listening = listening }
    func stop() -> Int {
      listening?.cancel()
      return notes.count
    }
    func listen(to node: Node<Int>) {
      listening = node.listen(isolatedTo: self) { archive, value in archive.note(value) }
    }
    /// On the actor, all in one piece.
    func run(_ body: @Sendable (isolated Archive) -> Void) { body(self) }
  }

  @Test func `14.5 a listener isolated to an actor is called there, later and in order`() async {
    let a = MutableNode(0), archive = Archive()
    let listening = a.listen(isolatedTo: archive) { archive, value in
      archive.assertIsolated()
      archive.note(value)
    }
    for value in 1...1_000 { a.value = value }
    #expect(await settled())
    #expect(await archive.notes == Array(0...1_000))
    // Also of a set that is made on the actor.
    await archive.run { archive in
      a.value = -1
      #expect(archive.notes.last == 1_000)
    }
    #expect(await settled())
    #expect(await archive.notes.last == -1)
    keepAlive(listening)
  }

  @Test func `14.5 of many tasks that set, the actor hears each value, and each task's in order`()
    async
  {
    let a = MutableNode<Int>(), archive = Archive()
    let listening = a.listen(isolatedTo: archive) { archive, value in archive.note(value) }
    let delivered = Answers<Int>()
    let second = a.deliver(on: archive).listen { delivered.hear($0) }
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<200 {
            a.value = task * 1_000 + number
            if number % 16 == 0 { await hop() }
          }
        }
      }
    }
    #expect(await settled())
    for notes in [await archive.notes, delivered.values] {
      #expect(notes.count == 1_600)
      for task in 0..<8 {
        #expect(notes.filter { $0 / 1_000 == task } == (0..<200).map { task * 1_000 + $0 })
      }
    }
    keepAlive(listening, second)
  }

  @Test func `14.5 cancelled on the actor, no call comes afterwards`() async {
    let a = MutableNode(0)
    for _ in 0..<50 {
      let archive = Archive()
      await archive.listen(to: a)
      let setter = Task { for value in 1...50 { a.value = value } }
      let count = await archive.stop()
      await setter.value
      #expect(await settled())
      #expect(await archive.notes.count == count)
    }
    #expect(a.listenerCount == 0)
  }

  @Test func `14.5 the actor is not kept, and what waits is dropped with it`() async throws {
    let lives = LifetimeTracker(), a = MutableNode<Token>()
    var archive: Archive? = lives.track(Archive(), "archive")
    let listening = a.listen(isolatedTo: archive!) { archive, _ in archive.note(1) }
    let delivered = a.deliver(on: archive!)
    let told = Tally()
    let second = delivered.listen { _ in told.add() }
    a.value = Token()
    #expect(await settled())
    #expect(told.count == 1)
    archive = nil
    #expect(lives.alive == [])
    a.value = lives.track(Token(), "value")
    #expect(await settled())
    #expect(told.count == 1)
    a.clean()
    #expect(lives.alive == [])  // nothing waits
    keepAlive(listening, second)
  }

  @Test func `14.5 an actor may keep the listening that calls it`() async throws {
    let lives = LifetimeTracker(), a = MutableNode(0)
    var archive: Archive? = lives.track(Archive(), "archive")
    await archive!.listen(to: a)
    #expect(await settled())
    archive = nil
    #expect(lives.alive == [] && a.listenerCount == 0)
  }

  @Test func `14.5 what is delivered on an actor is computed and told there, with its context`()
    async
  {
    let a = MutableNode<Int>(), archive = Archive()
    let places = Journal<String>()
    let delivered = a.deliver(on: archive).map { value in
      archive.assertIsolated()
      return value * 2
    }
    let listening = delivered.listenToChanges { change in
      archive.assertIsolated()
      places.note("\(change.value) \(change.context as? String ?? "-")")
    }
    a.value = 0
    a.set(1, context: "who")
    #expect(await settled())
    #expect(places.entries == ["0 -", "2 who"])
    #expect(delivered.value == 2)
    keepAlive(listening)
  }

  @Test func `14.5 what waits for an actor when the edge is cut is dropped`() async throws {
    let a = MutableNode(0), archive = Archive(), lives = LifetimeTracker()
    let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
    let delivered = a.deliver(on: archive), told = Tally()
    let listening = delivered.listen { _ in told.add() }
    #expect(await settled())
    let busy = Task.detached {
      await archive.run { _ in
        isInside.signal()
        wait(for: mayGo)
      }
    }
    wait(for: isInside)
    a.value = 1
    delivered.wiring.removeUpstreamNodes()
    try expectFreed {
      let late = a.map { _ in lives.track(Token(), "waits") }.deliver(on: archive)
      keepAlive(late)
    }
    mayGo.signal()
    await busy.value
    #expect(await settled())
    #expect(told.count == 1 && delivered.value == 0 && lives.alive == [])
    keepAlive(listening)
  }

  @Test func `14.5 changes come with their context and path`() async {
    let a = MutableNode(1).named("a"), archive = Archive(), heard = Answers<String>()
    let listening = a.map { $0 * 2 }.named("b").listenToChanges(isolatedTo: archive) {
      archive, change in
      archive.note(change.value)
      heard.hear("\(change.value) \(change.context as? String ?? "-") \(change.path)")
    }
    a.set(2, context: "who")
    let lines = await heard.first(2)
    #expect(lines[0].hasPrefix("2 -") && lines[1].hasPrefix("4 who"))
    #expect(lines[1].contains("a") && lines[1].contains("b"))
    #expect(await archive.notes == [2, 4])
    keepAlive(listening)
  }

  // MARK: Sets from tasks

  @Test func `14.7 sets from tasks: each task reads what it set, joins agree, nothing is lost`()
    async
  {
    let count = MutableNode(0), a = MutableNode(0), b = MutableNode(0)
    let sum = a.combine(b).map { $0 - $1 }
    await withTaskGroup { group in
      for task in 1...8 {
        group.addTask {
          for number in 1...100 {
            count.update { $0 += 1 }
            let own = MutableNode(0)
            own.value = number
            await hop()  // perhaps on another thread from here
            #expect(own.value == number)
            batch {
              a.value = task * number
              b.value = task * number
            }
          }
        }
      }
    }
    #expect(await settled())
    #expect(count.value == 800)
    #expect(sum.value == a.value! - b.value!)
  }
}

/// Contract, 14.5: listening on the main actor at once.
@Suite(.watched) @MainActor struct `14 Main actor` {
  @Test func `14.5 immediately: at once where the main actor sets, the first value too`() async {
    let a = MutableNode(0)
    var shown: [Int] = []
    let listening = a.listenOnMain(.immediately) { shown.append($0) }
    #expect(shown == [0])
    a.value = 1
    #expect(shown == [0, 1])
    let changes = Journal<String>()
    let second = a.listenToChangesOnMain(.immediately) { change in
      changes.note("\(change.value) \(change.context as? String ?? "-")")
    }
    a.set(2, context: "who")
    #expect(shown == [0, 1, 2] && changes.entries == ["1 -", "2 who"])
    listening.cancel()
    a.value = 3
    #expect(shown == [0, 1, 2] && changes.count == 3)
    keepAlive(second)
  }

  @Test func `14.5 immediately: what another thread sets comes later, and what waits goes first`()
    async
  {
    let a = MutableNode(0), isSet = DispatchSemaphore(value: 0)
    var shown: [Int] = []
    let listening = a.listenOnMain(.immediately) { shown.append($0) }
    DispatchQueue.global().async {
      a.value = 1
      isSet.signal()
    }
    wait(for: isSet)
    a.value = 2  // behind 1, which waits
    #expect(shown == [0])
    #expect(await settled())
    #expect(shown == [0, 1, 2])
    a.value = 3
    #expect(shown == [0, 1, 2, 3])
    keepAlive(listening)
  }

  @Test func `14.5 immediately: a set made by the listener is told after, in order`() async {
    let a = MutableNode<Int>(), isSet = DispatchSemaphore(value: 0)
    var shown: [String] = []
    let listening = a.listenOnMain(.immediately) { value in
      shown.append("begin \(value)")
      if value < 3 { a.value = value + 1 }
      shown.append("end \(value)")
    }
    let text = ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]
    a.value = 1
    #expect(shown == text)
    // The same out of the queue.
    shown = []
    DispatchQueue.global().async {
      a.value = 1
      isSet.signal()
    }
    wait(for: isSet)
    #expect(await settled())
    #expect(shown == text)
    keepAlive(listening)
  }

  @Test func `14.5 immediately: many tasks set, each value is told, each task's in order`() async {
    let a = MutableNode<Int>()
    var shown: [Int] = []
    let listening = a.listenOnMain(.immediately) { shown.append($0) }
    let others = (1...4).map { task in
      Task.detached {
        for number in 0..<100 {
          a.value = task * 1_000 + number
          if number % 10 == 0 { await hop() }
        }
      }
    }
    for number in 0..<100 {
      a.value = number
      if number % 10 == 0 { await hop() }
    }
    for other in others { await other.value }
    #expect(await settled())
    #expect(shown.count == 500)
    for task in 0...4 {
      #expect(shown.filter { $0 / 1_000 == task } == (0..<100).map { task * 1_000 + $0 })
    }
    keepAlive(listening)
  }

  @Test func `14.5 immediately, by an owner, as long as it lives`() async {
    final class Label { var texts: [Int] = [] }  // not Sendable
    final class Panel: Sendable { let journal = Journal<Int>() }
    let a = MutableNode(0)
    var label: Label? = Label(), panel: Panel? = Panel()
    let journal = panel!.journal
    let texts = { [weak label] in label?.texts }
    a.listenOnMain(.immediately, by: label!) { label, value in label.texts.append(value) }
    a.listenToChangesOnMain(.immediately, by: label!) { label, change in
      label.texts.append(-change.value)
    }
    a.listenOnMain(.immediately, by: panel!) { panel, value in panel.journal.note(value) }
    a.listenToChangesOnMain(.immediately, by: panel!) { panel, change in
      panel.journal.note(-change.value)
    }
    a.value = 1
    #expect(texts() == [0, 0, 1, -1] && journal.entries == [0, 0, 1, -1])
    label = nil
    panel = nil
    a.value = 2
    #expect(texts() == nil && journal.count == 4)
    #expect(a.listenerCount == 0)
    #expect(await settled())
  }

  @Test func `14.5 later is the default, also when the main actor sets`() async {
    let a = MutableNode(0)
    var shown: [Int] = []
    let listening = a.listenOnMain { shown.append($0) }
    a.value = 1
    #expect(shown == [])
    #expect(await settled())
    #expect(shown == [0, 1])
    keepAlive(listening)
  }
}
