import EasyReact
import EasyReactTesting
import Testing

extension `12 Looking at the graph` {
  /// What is printed while developing. The output is the process's: one test at a time.
  @Suite(.serialized) struct Debugging {
    /// The lines that name `label`, without the numbers of waves.
    private func printed(_ label: String, _ body: () -> Void) -> [String] {
      let lines = Journal<String>(), before = GraphTracing.output
      GraphTracing.output = { lines.note($0) }
      defer { GraphTracing.output = before }
      body()
      return lines.entries.filter { $0.hasPrefix(label) }
        .map { $0.replacing(#/wave \d+/#, with: "wave") }
    }

    @Test func `12.4 debug prints each value with its wave and context, and returns the node`() {
      let a = MutableNode(1), double = a.map { $0 * 2 }
      let lines = printed("debug-double") {
        #expect(double.debug("debug-double") === double)
        a.set(2, context: "import")
        a.value = 3
      }
      #expect(
        lines == [
          "debug-double: stored 4, wave, context import", "debug-double: stored 6, wave",
        ])
      #expect(!double.hasListener && double.downstreamNodes.isEmpty)
    }

    @Test func `12.4 debug prints why a value went no further`() {
      let a = MutableNode(1), clock = VirtualScheduler(), taps = MutableNode<Int>.eventNode()
      let large = a.filter { $0 > 5 }.debug("debug-stop filter")
      let quiet = a.debounce(.seconds(1), on: clock).debug("debug-stop timer")
      let silent = a.combine(taps).debug("debug-stop join")
      let lines = printed("debug-stop") { a.set(2, context: "c") }
      #expect(
        lines == [
          "debug-stop filter: stopped, an operator refused it, wave, context c",
          "debug-stop timer: stopped, a timer holds it back, wave, context c",
          "debug-stop join: stopped, an upstream tells events, of which none is kept:"
            + " withLatest(from:), zip or merge take them, wave",
        ])
      keepAlive(large, quiet, silent)
    }

    @Test func `12.4 debug tells events, emptiness, and takes the node's name or place`() {
      let taps = MutableNode<Int>.eventNode().named("debug-taps").debug()
      let empty = MutableNode(1).debug()
      let lines = printed("debug-taps") { taps.value = 4 }
      #expect(
        lines == [
          "debug-taps: stopped, nobody listens and nothing follows",
          "debug-taps: stored event: 4, wave",
        ])
      let others = printed("EasyReactTests/Section12Debugging.swift") { empty.clean() }
      #expect(others.last?.hasSuffix(": stored empty, wave") == true, "\(others)")
    }

    @Test func `12.4 debug is off in one place, keeps nothing alive, and is over with the node`() {
      let lives = LifetimeTracker()
      var node: MutableNode<Int>? = lives.track(MutableNode(1), "node").debug("debug-off")
      GraphTracing.isDebugEnabled = false
      #expect(printed("debug-off") { node!.value = 2 } == [])
      GraphTracing.isDebugEnabled = true
      #expect(printed("debug-off") { node!.value = 3 }.last == "debug-off: stored 3, wave")
      node = nil
      #expect(lives.alive == [])
    }

    @Test func `12.4 debug is over with a node that goes while it is off`() {
      var kept: [AnyNode] = []
      var ids: [UInt64] = []
      GraphTracing.isDebugEnabled = false
      for _ in 0..<300 {
        let node = MutableNode(1).debug("debug-gone")
        ids.append(node.id)
        if kept.isEmpty { kept.append(node) }
      }
      GraphTracing.isDebugEnabled = true
      #expect(ids.filter { GraphTracing.prints($0) } == kept.map(\.id))
      kept = []
      #expect(ids.filter { GraphTracing.prints($0) } == [])
    }

    @Test func `12.4 what the output does to a node does not print itself again`() {
      let node = MutableNode(0), echo = MutableNode(0), before = GraphTracing.output
      node.debug("debug-loop")
      GraphTracing.output = { if $0.hasPrefix("debug-loop") { echo.update { $0 += 1 } } }
      echo.debug("debug-loop echo")
      node.value = 1
      GraphTracing.output = before
      #expect(echo.value == 2)  // the value, and that nobody listens
    }

    @Test func `12.4 debug is over with a node that goes in the turn in which it was marked`() {
      let a = MutableNode(1), marked = Journal<UInt64>()
      let listening = a.listen { _ in
        marked.note(a.map { $0 }.debug("debug-passing").id)
      }
      #expect(marked.entries.map { GraphTracing.prints($0) } == [false])
      a.debug("debug-staying")
      #expect(GraphTracing.prints(a.id))
      keepAlive(listening)
    }

    @Test func `12.4 what the output sets is no part of a batch that is open`() {
      let node = MutableNode(1), target = MutableNode<Int>(), other = MutableNode(0)
      let before = GraphTracing.output
      target.debug("debug-batch")
      GraphTracing.output = { if $0.hasPrefix("debug-batch") { other.value = 1 } }
      try? batch {
        target.link(to: node)
        throw Refusal()
      }
      GraphTracing.output = before
      #expect(other.value == 1)
    }

    @Test(arguments: [true, false])
    func `12.4 what a description sets is no part of a batch that is open`(byTracer: Bool) {
      struct Setting: CustomStringConvertible, Sendable {
        let target: MutableNode<Int>
        var description: String {
          target.value = 7
          return "setting"
        }
      }
      struct Quiet: GraphTracer { func trace(_ event: GraphEvent) {} }
      let other = MutableNode(0), down = MutableNode<Setting>(),
        taps = MutableNode<Setting>.eventNode()
      let source = MutableNode(Setting(target: other)), listening = taps.listen { _ in }
      func run() {
        other.value = 0
        try? batch {
          down.link(to: source)
          throw Refusal()
        }
        #expect(other.value == 7)
      }
      if byTracer {
        traced(by: Quiet(), run)
      } else {
        _ = printed("debug-setting") {
          down.debug("debug-setting")
          run()
        }
      }
      keepAlive(listening)
    }

    @Test func `12.4 a ready tracer prints what happens to some nodes`() {
      let price = MutableNode(1).named("printed-price")
      let total = price.map { $0 * 2 }.named("printed-total")
      let all = printed("printed-") {
        traced(by: PrintingTracer(of: [total])) { price.set(3, context: "c") }
      }
      #expect(all == ["printed-total: stored 6, wave, context c"])
      let everything = printed("printed-") { traced(by: PrintingTracer()) { price.value = 4 } }
      #expect(everything.first?.hasPrefix("printed-price: set at ") == false)
      #expect(everything.contains("printed-price: stored 4, wave"))
      #expect(everything.contains("printed-total: stored 8, wave"))
      let calls = printed("printed-") {
        traced(by: PrintingTracer(of: [price])) { price.set(5) }
      }
      #expect(calls.first?.hasPrefix("printed-price: set at EasyReactTests/Section12") == true)
    }
  }
}
