import Dispatch
import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 9.3.
extension Section9 {
  /// Any class will do; this one says what it heard.
  private final class Panel: Sendable {
    let journal: Journal<String>
    init(_ journal: Journal<String>) { self.journal = journal }
    func show(_ value: Int) { journal.note("show \(value)") }
  }

  private final class Prompt: ListeningOwner, Sendable {
    let listenings = CancelableBag()
  }

  /// Every form that has an owner, on `node`. Emptiness is heard by the last one only.
  @discardableResult
  private func listenInEveryForm(
    _ node: Node<Int>, by owner: some AnyObject & Sendable, on clock: VirtualScheduler,
    _ journal: Journal<String>
  ) -> [any Cancelable] {
    [
      node.listen(by: owner) { journal.note("plain \($1)") },
      node.listenToChanges(by: owner) { journal.note("context \($1.value)") },
      node.listenToChanges(by: owner) { journal.note("path \($1.value) \($1.path.count)") },
      node.listen(by: owner, on: clock) { journal.note("queue \($1)") },
      node.listenToChanges(by: owner, on: clock) { journal.note("queue context \($1.value)") },
      node.listen(by: owner, with: Section2.Log()),
    ]
  }

  @Test func `9.3 listen(by: owner) lives as long as owner, which gets each value as a parameter`()
  {
    let a = MutableNode(1)
    let journal = Journal<String>()
    var panel: Panel? = Panel(journal)
    a.listen(by: panel!) { panel, value in panel.journal.note("\(value)") }
    a.value = 2
    a.clean()
    a.value = 3
    keepAlive(panel)
    panel = nil
    a.value = 4
    #expect(journal.entries == ["1", "2", "3"])
    #expect(!a.hasListener)
    #expect(checkInvariants([a]) == [])
  }

  @Test func `9.3 owner can be any object, and the library never retains it, in no form`() async {
    let clock = VirtualScheduler()
    let lives = LifetimeTracker()
    let a = MutableNode(1)
    let journal = Journal<String>()
    var token: Token? = lives.track(Token(), "token")
    var panel: Panel? = lives.track(Panel(journal), "panel")
    var prompt: Prompt? = lives.track(Prompt(), "prompt")
    listenInEveryForm(a, by: token!, on: clock, journal)
    listenInEveryForm(a, by: panel!, on: clock, journal)
    listenInEveryForm(a, by: prompt!, on: clock, journal)
    a.listen(by: panel!, calling: Panel.show)
    let called = DispatchSemaphore(value: 0)
    a.listenOnMain(by: panel!) { _, _ in called.signal() }
    a.listenToChangesOnMain(by: panel!) { _, _ in called.signal() }
    a.value = 2
    #expect(lives.alive == ["token", "panel", "prompt"])
    // A call keeps the owner while it runs.
    for _ in 0..<4 { wait(for: called) }
    await MainActor.run {}
    keepAlive(token, panel, prompt)
    (token, panel, prompt) = (nil, nil, nil)
    #expect(lives.alive == [])
    clock.run()
  }

  /// At home in one place: it must not die elsewhere.
  private final class View {}

  /// Where a view is called; lets it go in the midst of a set.
  private final class Home: ListenEdge<Int>, NodeScheduler, @unchecked Sendable {
    // Unchecked: of one thread.
    var view: View? = View()
    private(set) var diedAtOnce = false

    private func letGo() {
      weak let seen = view
      view = nil
      diedAtOnce = seen == nil
    }

    override func receive(_ value: Int, from sender: AnyNode?, context: (any Sendable)?) { letGo() }
    var now: Duration { .zero }
    func schedule(_ work: @escaping @Sendable () -> Void) { letGo() }
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Cancelable {
      letGo()
      return CancelableBag()
    }
  }

  @Test func `9.3 an owner that is not Sendable is not retained on the thread that sets`() {
    let attach: [(Node<Int>, Home) -> any Cancelable] = [
      { node, home in node.listen(by: home.view!, on: home) { _, _ in } },
      { node, home in node.listenToChanges(by: home.view!, on: home) { _, _ in } },
      { node, home in node.listen(by: home.view!, with: home) },
    ]
    for attach in attach {
      let node = MutableNode<Int>(), home = Home()
      _ = attach(node, home)
      node.value = 1
      #expect(home.diedAtOnce)
      node.value = 2
      #expect(!node.hasListener)
    }
  }

  @Test func `9.3 a node may be the owner of a listening of another node`() {
    let lives = LifetimeTracker()
    let a = MutableNode(1)
    var b: MutableNode<Int>? = lives.track(MutableNode(0), "b")
    a.listen(by: b!) { b, value in b.value = value * 10 }
    a.value = 2
    #expect(b?.value == 20)
    b = nil
    #expect(lives.alive == [])
    a.value = 3
    #expect(!a.hasListener)
  }

  @Test func `9.3 the library never retains owner, also where it is what is listened to`() {
    let lives = LifetimeTracker()
    do {
      let node = lives.track(MutableNode(1), "node")
      let log = Journal<String>()
      node.listen(by: node) { owner, value in log.note("\(owner.isMutable) \(value)") }
      node.value = 2
      #expect(log.entries == ["true 1", "true 2"])
      #expect(checkInvariants([node]) == [])
    }
    #expect(lives.alive == [])
    // Those that have ended are forgotten.
    let other = MutableNode(1)
    let token = Token()
    for _ in 0..<1_000 { other.listen(by: token) { _, _ in }.cancel() }
    #expect(!other.hasListener)
    keepAlive(token)
  }

  @Test
  func `9.3 stopListening(by: owner) ends all of an owner's listenings of a node, and no others`() {
    let clock = VirtualScheduler()
    let a = MutableNode(1), b = MutableNode(1)
    let (mine, theirs) = (Journal<String>(), Journal<String>())
    let (panel, other) = (Panel(mine), Panel(theirs))
    listenInEveryForm(a, by: panel, on: clock, mine)
    a.listen(by: other, calling: Panel.show)
    b.listen(by: panel, calling: Panel.show)
    let plain = Recorder(a)
    clock.run()
    _ = mine.take()
    #expect(a.listenerCount == 8)
    a.stopListening(by: panel)
    #expect(a.listenerCount == 2)
    a.value = 2
    b.value = 2
    clock.run()
    #expect(mine.entries == ["show 2"])
    #expect(theirs.entries == ["show 1", "show 2"])
    #expect(plain.values == [1, 2])
    a.stopListening(by: panel)
    a.stopListening(by: Token())
    #expect(checkInvariants([a, b]) == [])
    keepAlive(panel, other)
  }

  @Test func `9.3 the Cancelable of an owned listening ends that one; dropping it ends nothing`() {
    let a = MutableNode(1)
    let journal = Journal<String>()
    let panel = Panel(journal)
    let first = a.listen(by: panel) { journal.note("first \($1)") }
    a.listen(by: panel) { journal.note("second \($1)") }
    _ = journal.take()
    a.value = 2
    first.cancel()
    a.value = 3
    #expect(journal.entries == ["first 2", "second 2", "second 3"])
    keepAlive(panel)
  }

  @Test func `9.3 after the owner is gone no call is made, of what waits on a queue neither`() {
    let clock = VirtualScheduler()
    let a = MutableNode(1)
    let journal = Journal<String>()
    var panel: Panel? = Panel(journal)
    listenInEveryForm(a, by: panel!, on: clock, journal)
    a.listen(by: panel!, calling: Panel.show)
    a.value = 2
    _ = journal.take()
    keepAlive(panel)
    panel = nil
    clock.run()
    a.value = 3
    a.clean()
    clock.run()
    #expect(journal.entries == [])
  }

  @Test func `9.3 an owner that goes in the middle of a notification hears nothing more`() {
    let a = MutableNode(0)
    let journal = Journal<String>(), held = Journal<Panel>()
    held.note(Panel(journal))
    let first = a.listen { if $0 == 1 { _ = held.take() } }
    a.listen(by: held.entries[0], calling: Panel.show)
    a.value = 1
    a.value = 2
    #expect(journal.entries == ["show 0"])
    #expect(a.listenerCount == 1)
    #expect(checkInvariants([a]) == [])
    keepAlive(first)
  }

  @Test func `9.3 an owner that is a ListeningOwner frees the chain at once`() {
    let clock = VirtualScheduler()
    let lives = LifetimeTracker()
    let a = MutableNode(1)
    var prompt: Prompt? = Prompt()
    func attach() {
      for number in 0..<3 {
        let chain = lives.track(a.map { $0 }.fork(), "\(number)")
        listenInEveryForm(chain, by: prompt!, on: clock, Journal())
      }
    }
    attach()
    #expect(lives.alive == ["0", "1", "2"])
    keepAlive(prompt)
    prompt = nil
    #expect(lives.alive == [])
    #expect(!a.hasDownstreamNode)
    #expect(checkInvariants([a]) == [])
  }

  @Test func `9.3 a ListeningOwner that goes inside a turn frees the chain at the turn's end`() {
    let lives = LifetimeTracker()
    let a = MutableNode(0)
    let held = Journal<Prompt>()
    held.note(Prompt())
    lives.track(a.map { $0 }, "chain").listen(by: held.entries[0]) { _, _ in }
    let listening = a.listen { if $0 == 1 { _ = held.take() } }
    #expect(lives.alive == ["chain"])
    a.value = 1
    #expect(lives.alive == [])
    keepAlive(listening)
  }

  @Test(arguments: 0..<6)
  func `9.3 the chain of a dead owner is freed at the latest with the next event of that node`(
    form: Int
  ) {
    let clock = VirtualScheduler()
    let lives = LifetimeTracker()
    let a = MutableNode(1)
    var panel: Panel? = Panel(Journal())
    func attach() {
      let chain = lives.track(a.map { $0 }, "chain")
      let all = listenInEveryForm(chain, by: panel!, on: clock, Journal())
      for (index, listening) in all.enumerated() where index != form { listening.cancel() }
    }
    attach()
    clock.run()
    #expect(lives.alive == ["chain"])
    keepAlive(panel)
    panel = nil
    a.value = 2
    #expect(lives.alive == [])
    #expect(!a.hasDownstreamNode)
    #expect(checkInvariants([a]) == [])
  }

  @Test(arguments: [true, false])
  func `9.3 or with the next listen(by:) to it, and no other`(bySelfKeeping: Bool) {
    let lives = LifetimeTracker()
    let a = MutableNode(1)
    func attach() {
      for number in 0..<5 {
        lives.track(a.map { $0 }, "\(number)").listen(by: Token()) { _, _ in }
      }
    }
    attach()
    let elsewhere = MutableNode(0)
    let (plain, keeping) = (Token(), Prompt())
    func listen(to node: Node<Int>) {
      if bySelfKeeping {
        node.listen(by: keeping) { _, _ in }.cancel()
      } else {
        node.listen(by: plain) { _, _ in }.cancel()
      }
    }
    for _ in 0..<100 { listen(to: elsewhere) }
    #expect(lives.alive.count == 5)
    for number in 0..<5 {
      func listenToFirst() { listen(to: a.downstreamNodes[0] as! Node<Int>) }
      listenToFirst()
      #expect(lives.alive == (number + 1..<5).map { "\($0)" })
    }
    #expect(!a.hasDownstreamNode)
    #expect(checkInvariants([a, elsewhere]) == [])
    keepAlive(plain, keeping)
  }

  @Test func `9.3 each listen(by:) looks at two others of its node, so none is kept for long`() {
    let lives = LifetimeTracker()
    let a = MutableNode(1), living = Token()
    a.listen(by: living) { _, _ in }
    func attach(_ count: Int) {
      for number in 0..<count {
        let kept = lives.track(Token(), "\(number)")
        a.listen(by: living) { _, _ in keepAlive(kept) }
      }
    }
    // Of a living owner: nothing ends.
    attach(20)
    #expect(a.listenerCount == 21 && lives.alive.count == 20)
    func attachDying(_ count: Int) {
      let dying = Token()
      for number in 0..<count {
        let kept = lives.track(Token(), "dying \(number)")
        a.listen(by: dying) { _, _ in keepAlive(kept) }
      }
    }
    attachDying(100)
    #expect(lives.alive.count == 120)
    var most = 0
    for _ in 0..<130 {
      let before = lives.alive.count
      a.listen(by: living) { _, _ in }.cancel()
      most = max(most, before - lives.alive.count)
    }
    #expect(most == 2)
    #expect(a.listenerCount == 21 && lives.alive.count == 20)
    a.stopListening(by: living)
    #expect(!a.hasListener && lives.alive == [])
    #expect(checkInvariants([a]) == [])
    keepAlive(living)
  }

  @Test func `9.3 stopListening(by: owner) finds its own among many`() {
    let a = MutableNode(1), heard = Journal<Int>()
    let owners = (0..<100).map { _ in Token() }
    for round in 0..<2 {
      for (number, owner) in owners.enumerated() {
        a.listen(by: owner) { heard.note($1 * 1_000 + round * 100 + number) }
      }
    }
    let single = a.listen(by: owners[7]) { heard.note(-$1) }
    single.cancel()
    _ = heard.take()
    for (number, owner) in owners.enumerated() where number != 42 { a.stopListening(by: owner) }
    #expect(a.listenerCount == 2)
    a.value = 2
    #expect(heard.entries == [2_042, 2_142])
    a.stopListening(by: owners[42])
    #expect(!a.hasListener)
    #expect(checkInvariants([a]) == [])
  }

  @Test func `9.3 the closure's own captures go with the listening`() {
    let lives = LifetimeTracker()
    let a = MutableNode(1)
    let panel = Panel(Journal())
    func attach() -> [any Cancelable] {
      let (first, second) = (lives.track(Token(), "first"), lives.track(Token(), "second"))
      return [
        a.listen(by: panel) { _, _ in keepAlive(first) }, a.listen { _ in keepAlive(second) },
      ]
    }
    let listenings = attach()
    #expect(lives.alive == ["first", "second"])
    listenings[1].cancel()
    #expect(lives.alive == ["first"])
    a.stopListening(by: panel)
    #expect(lives.alive == [])
    keepAlive(panel)
  }
}
