import EasyReact
import EasyReactTesting
import Foundation
import Testing

/// Contract, section 9.8.
extension Section9 {
  private final class Prompt: ListeningOwner, Sendable {
    let listenings = CancelableBag()
  }

  @Test
  func
    `9.8 creating and dropping derived nodes or listeners on a long-lived node leaves nothing behind`()
  {
    let clock = VirtualScheduler()
    let lives = LifetimeTracker()
    let a = MutableNode(1), other = MutableNode(2)
    for round in 0..<200 {
      let token = round < 3 ? lives.track(Token(), "\(round)") : Token()
      _ = a.map { _ in token }
      _ = [a.skip(1), a.take(1), a.distinctUntilChanged(), a.merge(other)]
      _ = (
        a.combine(other), a.zip(other), a.combine(other, mode: .everyValue),
        a.delay(.seconds(1), on: clock)
      )
      _ = a.switch { _ in "key" }.case("key")
      let derived = a.fork()
      derived.downstreamTransforms.forEach { $0.name = "never" }
      derived.upstreamTransforms.forEach { $0.name = "fork" }
      let link = Node<Int>()
      link.wiring.link(to: a, through: NodeTransform<Int, Int>())
      let kept = NodeTransform<Int, Int>()
      let second = Node<Int>()
      second.wiring.link(to: a, through: kept)
      second.wiring.removeUpstreamNodes()
      _ = a.listen { _ in keepAlive(token) }
      a.listen(by: token) { _, _ in }.cancel()
    }
    clock.run()
    #expect(lives.alive == [])
    #expect(a.downstreamTransforms.isEmpty && other.downstreamTransforms.isEmpty)
    #expect(a.listenerCount == 0 && !a.hasDownstreamNode)
    // That the lists hold no cut edge either is one of the invariants.
    #expect(checkInvariants([a, other]) == [])
  }

  @Test func `9.8 an ended listening of an owner that lives on is forgotten`() {
    let lives = LifetimeTracker()
    let a = MutableNode(1)
    let prompt = Prompt(), plain = Token()
    for round in 0..<10 {
      for listening in [a.listen(by: prompt) { _, _ in }, a.listen(by: plain) { _, _ in }] {
        _ = lives.track(listening, "\(round)")
        if round.isMultiple(of: 2) { listening.cancel() }
      }
    }
    a.stopListening(by: prompt)
    a.stopListening(by: plain)
    #expect(prompt.listenings.count == 0)
    #expect(lives.alive == [])
    #expect(checkInvariants([a]) == [])
    keepAlive(prompt, plain)
  }

  #if os(Linux)
  /// In bytes.
  private static var residentMemory: Int {
    let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
      separator: " ")
    return (pages.flatMap { Int($0[1]) } ?? 0) * 4096
  }

  /// In a process of its own, where nobody else allocates.
  @Test(.notUnderSanitizers("they keep what was freed for a while"))
  func `9.8 memory returns to where it was`() async {
    await #expect(processExitsWith: .success) {
      let clock = VirtualScheduler()
      let a = MutableNode(1), other = MutableNode("x")
      let owner = Token(), prompt = Prompt()
      func churn() {
        for _ in 0..<1_000 {
          _ = a.map { $0 + 1 }.filter { $0 > 0 }.listen { _ in }
          _ = a.combine(other).map { "\($0)" }
          _ = (a.zip(other), a.merge(a), a.scan(0) { $0 + $1 }, a.flattenMap { _ in other })
          _ = a.switch { "\($0)" }.case("1")
          let link = Node<Int>()
          link.wiring.link(to: a)
          link.wiring.sync(with: a)
          a.listen(by: owner) { _, _ in }.cancel()
          a.listen(by: prompt) { _, _ in }.cancel()
          a.listen(by: Token()) { _, _ in }
          _ = a.debounce(.seconds(1), on: clock).listen(on: clock) { _ in }
          a.set(2, context: "context")
          a.downstreamTransforms.forEach { $0.name = "named" }
          clock.run()
        }
      }
      // What is left behind is left every time; what the allocator keeps for itself is not. So one measure without it is enough.
      var growths: [Int] = []
      while growths.count < 5, (growths.min() ?? .max) >= 40_000 {
        let before = Self.residentMemory
        for _ in 0..<5 { churn() }
        growths.append(Self.residentMemory - before)
      }
      // Of each kind 5,000 came and went in one measure: a block of 16 bytes left by each would be
      // seen.
      #expect(Self.residentMemory > 0 && growths.min()! < 40_000, "grown by \(growths) bytes")
      keepAlive(owner, prompt, a, other)
    }
  }
  #endif

  @Test func `9.8 set cost returns to where it was: no edge of what is gone is run`() {
    let a = MutableNode(0)
    let runs = Tally()
    for _ in 0..<100 {
      _ = a.map { value in
        runs.add()
        return value
      }
      _ = a.listen { _ in runs.add() }
      a.listen(by: Token()) { _, _ in runs.add() }
    }
    #expect(runs.take() == 300)
    a.value = 1
    #expect(runs.count == 0)
    let dot = a.snapshot()
    #expect(dot.nodes.count == 1 && dot.edges.isEmpty && dot.nodes[0].listeners == 0)
  }
}
