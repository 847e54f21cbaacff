import EasyReact
import EasyReactTesting
import Synchronization
import Testing

@Suite struct LifetimeTests {
  private final class Kept: Sendable {
    let things = Mutex<[any Sendable]>([])
    func keep(_ thing: any Sendable) { things.withLock { $0.append(thing) } }
    func drop() {
      let old = things.withLock { things in
        defer { things = [] }
        return things
      }
      _ = consume old
    }
  }
  private final class Owner: Sendable {}
  private let kept = Kept()

  private func report(_ body: () throws -> Void) -> [String] {
    var found: StillAlive?
    #expect { try body() } throws: { error in
      found = error as? StillAlive
      return found != nil
    }
    return found?.report.split(separator: "\n").map { $0.dropFirst(2).description } ?? []
  }

  @Test func `tracked objects are known as long as they live`() {
    let lives = LifetimeTracker()
    let a = MutableNode(1)
    var b: Node<Int>? = lives.track(a.map { $0 + 1 }, "b")
    var owner: Owner? = lives.track(Owner())
    #expect(
      lives.alive == [
        "b", "of Owner, tracked at EasyReactTestingTests/LifetimeTests.swift:\(#line - 1)",
      ])
    withExtendedLifetime((b, owner)) {}
    b = nil
    #expect(lives.survivors.map(\.kind) == ["object"])
    withExtendedLifetime(owner) {}
    owner = nil
    #expect(lives.alive == [] && lives.report == nil)
  }

  @Test func `a graph that is dropped is freed`() throws {
    let model = MutableNode(1)
    try expectFreed {
      let doubled = model.map { $0 * 2 }.filter { $0 > 0 }
      let both = doubled.combine(model).named("both")
      let listening = both.listen { _ in }
      model.listen(by: Owner()) { _, _ in }
      model.value = 5
      #expect(both.value! == (10, 5))
      listening.cancel()
    }
    #expect(checkInvariants([model]) == [])
  }

  @Test func `a node that is kept is named with its place, its edge and its listener`() {
    let model = MutableNode(1).named("model")
    let made = #line - 1
    let kept = kept
    let line = #line + 2
    let report = report {
      try expectFreed {
        let title = model.map { "\($0)" }.named("title")
        kept.keep(title.listen { _ in })
      }
    }
    let file = "EasyReactTestingTests/LifetimeTests.swift"
    let model_ = "node “model” of Int, made at \(file):\(made)"
    let title = "node “title” of String, made at \(file):\(line + 1)"
    #expect(
      report == [
        title, "edge Map from \(model_) to \(title)",
        "listener of \(title), attached at \(file):\(line + 2)",
      ])
    #expect(model.hasDownstreamNode)
  }

  @Test func `a listener on a node that was there before is named`() {
    let line = #line + 1
    let model = MutableNode(1)
    let owner = Owner()
    let report = report { try expectFreed { model.listen(by: owner) { _, _ in } } }
    let place = "EasyReactTestingTests/LifetimeTests.swift"
    #expect(
      report == [
        "listener of node unnamed of Int, made at \(place):\(line), attached at \(place):\(line + 2)"
      ])
    model.stopListening(by: owner)
  }

  @Test func `every way to listen tells where`() {
    let (model, owner, clock) = (MutableNode(1), Owner(), VirtualScheduler())
    var places: [Int] = []
    let lives = LifetimeTracker()
    let kept = kept
    lives.watch {
      let first = #line + 1
      kept.keep(model.listen { _ in })
      kept.keep(model.listenToChanges { _ in })
      kept.keep(model.listen(on: clock) { _ in })
      kept.keep(model.listenToChanges(on: clock) { _ in })
      kept.keep(model.listenOnMain { _ in })
      kept.keep(model.listenToChangesOnMain { _ in })
      kept.keep(model.listen(with: ListenEdge()))
      kept.keep(model.listen(by: owner) { _, _ in })
      kept.keep(model.listenToChanges(by: owner) { _, _ in })
      kept.keep(model.listen(by: owner, on: clock) { _, _ in })
      kept.keep(model.listenToChanges(by: owner, on: clock) { _, _ in })
      kept.keep(model.listenOnMain(by: owner) { _, _ in })
      kept.keep(model.listenToChangesOnMain(by: owner) { _, _ in })
      kept.keep(model.listen(by: owner, with: ListenEdge()))
      kept.keep(model.listen(by: owner, calling: { _ in { (_: Int) in } }))
      kept.keep(model.listen(by: owner, calling: { _ in { () in } }))
      places = Array(first..<(#line))
    }
    #expect(lives.alive.count == 16)
    let told = lives.alive.map { $0.split(separator: ":").last.flatMap { Int($0) } }
    #expect(told == places)
    kept.drop()
    model.stopListening(by: owner)
    clock.run()
    #expect(lives.alive == [])
  }

  @Test func `edges between nodes that were there before are known until they are cut`() {
    let a = MutableNode(1).named("a"), b = MutableNode(2).named("b")
    let lives = LifetimeTracker()
    lives.watch { b.link(to: a) }
    let file = "EasyReactTestingTests/LifetimeTests.swift:\(#line - 3)"
    #expect(
      lives.survivors.map(\.description) == [
        "edge Link from node “a” of Int, made at \(file) to node “b” of Int, made at \(file)"
      ])
    b.wiring.removeUpstreamNodes()
    #expect(lives.alive == [])
  }

  @Test func `a ring that keeps itself alive is named as one`() throws {
    let report = report {
      try expectFreed {
        let a = MutableNode(1).named("a"), b = MutableNode<Int>().named("b")
        b.link(to: a)
        a.link(to: b)
      }
    }
    #expect(report.count == 5)
    let ring = try #require(report.last)
    #expect(ring.hasPrefix("ring held by itself alone: node “"))
    #expect(ring.contains("“a”") && ring.contains("“b”"))
    #expect(ring.hasSuffix("; cut one of its links to free it"))
  }

  @Test func `what the block throws is thrown on, and ends the watching`() {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) { try expectFreed { throw Refusal() } }
  }

  @Test func `asynchronous code is watched, with the tasks that it starts`() async throws {
    try await expectFreed {
      let a = MutableNode(1)
      let doubled = await Task { a.map { $0 * 2 } }.value
      #expect(doubled.value == 2)
    }
    let kept = kept
    await #expect(throws: StillAlive.self) {
      try await expectFreed { kept.keep(await Task { Node(1) }.value) }
    }
  }

  @Test func `what others make meanwhile is not counted, also while tracers come and go`() {
    let kept = kept
    let lives = LifetimeTracker()
    lives.watch {
      onThreads(2) { _ in
        for number in 0..<100 { kept.keep(MutableNode(number).map { $0 }) }
      }
    }
    #expect(lives.alive == [])
    kept.drop()
    // A second tracker that ends does not turn the first one's ears off.
    LifetimeTracker().watch { _ = MutableNode(1) }
    lives.watch { kept.keep(MutableNode(1)) }
    #expect(lives.alive.count == 1)
    kept.drop()
    #expect(lives.alive == [])
  }

  @Test func `a thousand nodes made and dropped in a block are all freed`() throws {
    let source = MutableNode(0)
    try expectFreed {
      var last: Node<Int> = source
      for _ in 0..<1000 { last = last.map { $0 + 1 } }
      source.value = 1
      #expect(last.value == 1001)
    }
    #expect(!source.hasDownstreamNode)
  }
}
