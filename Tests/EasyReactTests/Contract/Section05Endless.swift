import EasyReact
import EasyReactTesting
import Foundation
import Synchronization
import Testing

// The tracer and the limit are those of the process, so these tests are exit tests: each has a
// process of its own.

/// Keeps what was said about endless sets.
private final class EndlessTracer: GraphTracer {
  let found = Mutex<[(count: Int, names: [String])]>([])
  func trace(_ event: GraphEvent) {
    if case .endlessSets(let count, let names) = event.kind {
      found.withLock { $0.append((count, names)) }
    }
  }
}

/// `a` and `b` whose listeners set each other until `end`.
private func pingPong(until end: Int) -> (a: MutableNode<Int>, listenings: [Listening]) {
  let a = MutableNode(0).named("ping")
  let b = MutableNode(0).named("pong")
  let there = a.listen { if $0 > 0, $0 < end { b.value = $0 + 1 } }
  let back = b.listen { if $0 > 0, $0 < end { a.value = $0 + 1 } }
  return (a, [there, back])
}

private func run(stackSize: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  thread.stackSize = stackSize
  thread.start()
  return done.wait(timeout: patience) == .success
}

extension Section5 {
  @Test func `5.4 a cycle of listeners that set each other uses constant stack`() async {
    await #expect(processExitsWith: .success) {
      GraphLimits.reentrantSets = .max
      let isDone = run(stackSize: 256 << 10) {
        let last = Sanitizer.part(of: 500_000) + 1
        let (a, listenings) = pingPong(until: last)
        a.value = 1
        if a.value != last || listenings.count != 2 { exit(3) }
      }
      if !isDone { exit(4) }
    }
  }

  @Test func `5.4 past the default of 100,000 sets a warning names the nodes that it goes round`()
    async
  {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let (a, listenings) = pingPong(until: 300_001)
      a.value = 1
      if a.value != 300_001 || listenings.count != 2 { exit(3) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let warnings = text.split(separator: "\n").filter { $0.contains("EasyReact:") }
    #expect(warnings.count == 1, "once a turn")
    #expect(warnings.first?.contains("100000 sets") == true)
    #expect(warnings.first?.contains("“ping”") == true)
    #expect(warnings.first?.contains("“pong”") == true)
    #expect(warnings.first?.contains("Section05Endless.swift") == true)
  }

  @Test func `5.4 up to the limit nothing is said`() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      for _ in 0..<3 {
        let (a, listenings) = pingPong(until: 190_000)
        a.value = 1
        if listenings.count != 2 { exit(3) }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("EasyReact:"))
  }

  @Test func `5.4 the number is settable, and the tracer names the nodes that it goes round`() async
  {
    await #expect(processExitsWith: .success) {
      let tracer = EndlessTracer()
      GraphTracing.install(tracer)
      GraphLimits.reentrantSets = 10
      let (a, listenings) = pingPong(until: 101)
      a.value = 1
      let found = tracer.found.withLock { $0 }
      if found.count != 1 || listenings.count != 2 { exit(3) }
      if found[0].count != 10 { exit(4) }
      if !found[0].names.contains(where: { $0.contains("“ping”") }) { exit(5) }
      if !found[0].names.contains(where: { $0.contains("“pong”") }) { exit(6) }
    }
  }

  @Test func `5.4 a cycle of listeners that goes through a join is warned of too`() async {
    await #expect(processExitsWith: .success) {
      let tracer = EndlessTracer()
      GraphTracing.install(tracer)
      GraphLimits.reentrantSets = 10
      let a = MutableNode(0).named("input")
      let sum = a.combine(a).map { $0 + $1 }.named("sum")
      let listening = sum.listen { if $0 > 0, $0 < 2000 { a.value = $0 / 2 + 1 } }
      a.value = 1
      listening.cancel()
      let found = tracer.found.withLock { $0 }
      if found.count != 1 { exit(3) }
      if !found[0].names.contains(where: { $0.contains("“input”") }) { exit(4) }
    }
  }

  @Test func `5.4 a cycle of listeners that goes through two joins in turn is warned of too`() async
  {
    await #expect(processExitsWith: .success) {
      let tracer = EndlessTracer()
      GraphTracing.install(tracer)
      GraphLimits.reentrantSets = 10
      let a = MutableNode(0).named("there")
      let b = MutableNode(0).named("back")
      let first = a.combine(a).listen { if $0 > 0, $1 < 2000 { b.value = $0 + 1 } }
      let second = b.combine(b).listen { if $0 > 0, $1 < 2000 { a.value = $0 + 1 } }
      a.value = 1
      first.cancel()
      second.cancel()
      let found = tracer.found.withLock { $0 }
      if found.count != 1 { exit(3) }
      if !found[0].names.contains(where: { $0.contains("“there”") || $0.contains("“back”") }) {
        exit(4)
      }
    }
  }

  @Test func `5.4 joins that run after each other in one turn are no cycle of listeners`() async {
    await #expect(processExitsWith: .success) {
      let tracer = EndlessTracer()
      GraphTracing.install(tracer)
      GraphLimits.reentrantSets = 10
      let a = MutableNode(0)
      let bottom = (0..<200).reduce(a as Node<Int>) { node, _ in
        node.combine(node).map { $0 + $1 }
      }
      let copies = (0..<200).map { _ in a.combine(bottom) }
      a.value = 0
      if copies.count != 200 || !tracer.found.withLock({ $0.isEmpty }) { exit(3) }
    }
  }
}
