import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// Contract, section 0: every form of listening compiles and is told.
extension Section0 {
  final class Owner: Sendable {
    let journal = Journal<String>()
    func show(_ value: Int) { journal.note("show \(value)") }
    func showWithContext(_ value: Int, _ context: (any Sendable)?) {
      journal.note("show \(value) \(context as? String ?? "-")")
    }
    func refresh() { journal.note("refresh") }
  }

  @Test func `0.6 listen returns a Listening: released or cancelled it is over, store keeps it`() {
    let a = MutableNode(1)
    let journal = Journal<Int>()
    var listening: Listening? = a.listen { value in journal.note(value) }
    #expect(a.hasListener)
    a.value = 2
    listening = nil
    a.value = 3
    #expect(journal.take() == [1, 2])
    #expect(!a.hasListener)
    listening = a.listen { value in journal.note(value) }
    listening?.cancel()
    a.value = 4
    #expect(journal.take() == [3])
    var array: [Listening] = [], bag = CancelableBag()
    a.listen { value in journal.note(value) }.store(in: &array)
    a.listen { value in journal.note(value * 10) }.store(in: bag)
    a.value = 5
    #expect(journal.take() == [4, 40, 5, 50])
    array = []
    bag.cancel()
    a.value = 6
    #expect(journal.take() == [])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `0.7 listen(by:) lives with owner, in every form`() {
    let a = MutableNode(1)
    let queue = VirtualScheduler()
    var owner: Owner? = Owner()
    let journal = owner!.journal
    a.listen(by: owner!) { owner, value in owner.journal.note("plain \(value)") }
    a.listenToChanges(by: owner!) { owner, change in
      owner.journal.note("context \(change.value) \(change.context as? String ?? "-")")
    }
    a.listen(by: owner!, calling: Owner.show)
    a.listenToChanges(by: owner!) { $0.showWithContext($1.value, $1.context) }
    a.listen(by: owner!, calling: Owner.refresh)
    a.listen(by: owner!, on: queue) { owner, value in owner.journal.note("queue \(value)") }
    a.listenToChanges(by: owner!, on: queue) { owner, change in
      owner.journal.note("queue \(change.value) \(change.context as? String ?? "-")")
    }
    #expect(journal.take() == ["plain 1", "context 1 -", "show 1", "show 1 -", "refresh"])
    queue.run()
    #expect(journal.take() == ["queue 1", "queue 1 -"])
    a.set(2, context: "c")
    #expect(journal.take() == ["plain 2", "context 2 c", "show 2", "show 2 c", "refresh"])
    queue.run()
    #expect(journal.take() == ["queue 2", "queue 2 c"])
    owner = nil
    a.value = 3
    queue.run()
    #expect(journal.take() == [])
    #expect(!a.hasListener)
    #expect(checkInvariants([a]) == [])
  }

  @Test func `0.8 the owner-less forms with context, on a scheduler and with both`() {
    let a = MutableNode(1)
    let queue = VirtualScheduler()
    let journal = Journal<String>()
    let listenings = [
      a.listenToChanges { journal.note("\($0.value) \($0.context as? String ?? "-")") },
      a.listen(on: queue) { value in journal.note("queue \(value)") },
      a.listenToChanges(on: queue) { change in
        journal.note("queue \(change.value) \(change.context as? String ?? "-")")
      },
    ]
    a.set(2, context: "c")
    #expect(journal.take() == ["1 -", "2 c"])
    queue.run()
    #expect(Set(journal.take()) == ["queue 1", "queue 2", "queue 1 -", "queue 2 c"])
    listenings.forEach { $0.cancel() }
    a.value = 3
    queue.run()
    #expect(journal.take() == [])
  }

  @Test func `0.8 listen(on:) of a node of pairs can take the pair apart`() {
    let pairs = MutableNode((1, "x"))
    let queue = VirtualScheduler()
    let journal = Journal<String>()
    let listening = pairs.listen(on: queue) { number, text in journal.note("\(number)\(text)") }
    queue.run()
    #expect(journal.entries == ["1x"])
    keepAlive(listening)
  }

  @MainActor final class Label {
    var lines: [String] = []
    func show(_ line: String) { lines.append(line) }
  }

  /// Everything that the main queue had to do before is done when this returns.
  static func mainQueueIsDrained() async {
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
  }

  @MainActor
  @Test func `0.8 listenOnMain, of the owner and without, with context and without`() async {
    let a = MutableNode(1)
    var label: Label? = Label()
    let kept = label!
    let listenings = [
      a.listenOnMain { [kept] value in kept.show("less \(value)") },
      a.listenToChangesOnMain { [kept] change in
        kept.show("less \(change.value) \(change.context as? String ?? "-")")
      },
    ]
    a.listenOnMain(by: label!) { label, value in label.show("by \(value)") }
    a.listenToChangesOnMain(by: label!) { label, change in
      label.show("by \(change.value) \(change.context as? String ?? "-")")
    }
    a.set(2, context: "c")
    #expect(kept.lines == [])
    await Self.mainQueueIsDrained()
    await Self.mainQueueIsDrained()
    #expect(
      kept.lines == [
        "less 1", "less 2", "less 1 -", "less 2 c", "by 1", "by 2", "by 1 -", "by 2 c",
      ])
    listenings.forEach { $0.cancel() }
    label = nil
  }
}
