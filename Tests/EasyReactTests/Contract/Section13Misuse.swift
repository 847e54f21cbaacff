import EasyReact
import EasyReactTesting
import Testing

private let file = "EasyReactTests/Section13Misuse.swift"

/// The message says every one of `parts`: what, where and the remedy.
private func check(
  _ result: ExitTest.Result?, says parts: String..., at location: SourceLocation = #_sourceLocation
) {
  guard let result else { return }  // that it did not stop is an issue already
  let text = String(decoding: result.standardErrorContent, as: UTF8.self)
  let message = text.split(separator: "\n").first { $0.contains("Fatal error: ") }
  guard let message else {
    Issue.record("no message: \(text)", sourceLocation: location)
    return
  }
  for part in parts {
    #expect(message.contains(part), "\(message)", sourceLocation: location)
  }
}

private let lineOfDerivedNode = #line + 3
private func setDerivedNode() {
  let source = MutableNode(1)
  let doubled = source.map { $0 * 2 }.named("doubled")
  (doubled as! MutableNode<Int>).set(7)
}

/// In the closure of an exit test, a macro's argument, every `#line` is that of the macro.
@Suite(.watched) struct `13 Misuse` {
  @Suite struct `Setting a node that is not mutable` {
    @Test
    func
      `13 setting a node that is not mutable, reached by a cast, stops with a message: what, where and the remedy`()
      async
    {
      let line = #line + 1
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let price = Node(1).named("price")
        (price as! MutableNode<Int>).value = 2
      }
      check(
        result, says: "EasyReact: set: the node cannot be set",
        "node “price” of Int, made at \(file):\(line)",
        "Call mutablify() on it first, or set the node that it is computed from.")
    }

    @Test func `13 the message finds a node without a name by the place where it was made`() async {
      let line = #line + 1
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let text = Node<String>()
        (text as! MutableNode<String>).set("x", context: 1)
      }
      check(
        result, says: "set: the node cannot be set",
        "node unnamed of String, made at \(file):\(line)")
    }

    @Test func `13 setting a derived node stops with a message that says where it was derived`()
      async
    {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        setDerivedNode()
      }
      check(
        result, says: "set: the node cannot be set", "“doubled”",
        "made at \(file):\(lineOfDerivedNode)",
        "mutablify()")
    }

    @Test func `13 setting in a batch stops with a message, at the set`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let price = Node(1).named("price")
        batch { (price as! MutableNode<Int>).value = 2 }
      }
      check(result, says: "set: the node cannot be set", "“price”")
    }

    @Test func `13 setting from within a listener stops with a message`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let price = Node(1).named("price")
        let source = MutableNode(1)
        withExtendedLifetime(source.listen { (price as! MutableNode<Int>).value = $0 }) {}
      }
      check(result, says: "set: the node cannot be set", "“price”")
    }

    @Test func `13 cleaning stops with a message that names clean`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        (Node(1).named("price") as! MutableNode<Int>).clean()
      }
      check(result, says: "EasyReact: clean: the node cannot be set", "“price”", "mutablify()")
    }

    @Test func `13 setting nil stops with a message that names clean`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        (Node(1).named("price") as! MutableNode<Int>).value = nil
      }
      check(result, says: "EasyReact: clean: the node cannot be set", "“price”", "mutablify()")
    }

    @Test func `13 updating stops with a message that names update, also an empty node`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        (Node<Int>().named("price") as! MutableNode<Int>).update { $0 += 1 }
      }
      check(result, says: "EasyReact: update: the node cannot be set", "“price”", "mutablify()")
    }

    @Test func `13 a node that is used as a receiver must be mutable`() async {
      let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        (Node(1).named("price") as! MutableNode<Int>).receive(2, from: nil, context: nil)
      }
      check(value, says: "EasyReact: receive: the node cannot be set", "“price”", "mutablify()")
      let emptiness = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        (Node(1).named("price") as! MutableNode<Int>).receiveEmpty(from: nil, context: nil)
      }
      check(
        emptiness, says: "EasyReact: receiveEmpty: the node cannot be set", "“price”", "mutablify()"
      )
    }
  }

  @Suite struct `Arguments out of range` {
    @Test func `13 a negative skip stops with a message`() async {
      let line = #line + 1
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = MutableNode(1).named("price").skip(-1)
      }
      check(
        result, says: "EasyReact: skip: the count -1 is negative", "node “price” of Int",
        "made at \(file):\(line)", "Pass zero or more.")
    }

    @Test func `13 a negative take stops with a message`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = MutableNode(1).named("price").take(.min)
      }
      check(
        result, says: "EasyReact: take: the count -9223372036854775808 is negative", "“price”",
        "Pass zero or more.")
    }

    @Test func `13 zero is a count: skip and take of nothing do not stop`() {
      let a = MutableNode(1)
      #expect(a.skip(0).value == 1)
      #expect(a.take(0).value == nil)
    }

    @Test func `13 a zero or negative interval of delay stops with a message naming the operator`()
      async
    {
      let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = MutableNode(1).named("price").delay(.zero, on: VirtualScheduler())
      }
      check(
        zero, says: "EasyReact: delay: the interval 0.0 seconds is not positive",
        "node “price” of Int",
        "made at \(file):", "Pass more than zero.")
      let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
      {
        _ = MutableNode(1).named("price").delay(.seconds(-1), on: .main)
      }
      check(
        negative, says: "EasyReact: delay: the interval -1.0 seconds is not positive", "“price”")
    }

    @Test
    func `13 a zero or negative interval of debounce stops with a message naming the operator`()
      async
    {
      let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = MutableNode(1).named("price").debounce(.zero, on: VirtualScheduler())
      }
      check(
        zero, says: "EasyReact: debounce: the interval 0.0 seconds is not positive", "“price”",
        "Pass more than zero.")
      let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
      {
        _ = MutableNode(1).named("price").debounce(.seconds(-1), on: .main)
      }
      check(
        negative, says: "EasyReact: debounce: the interval -1.0 seconds is not positive", "“price”")
    }

    @Test func `13 a limit of the tracer that is not positive stops with a message`() async {
      let sets = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        GraphLimits.reentrantSets = 0
      }
      check(
        sets, says: "EasyReact: GraphLimits.reentrantSets: the limit 0 is not positive",
        "Pass one or more.")
      let messages = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
      {
        GraphLimits.messagesPerTurn = -1
      }
      check(
        messages, says: "EasyReact: GraphLimits.messagesPerTurn: the limit -1 is not positive",
        "Pass one or more.")
    }
  }

  @Suite struct Transforms {
    @Test func `13 a transform used twice stops with a message naming the transform and the node`()
      async
    {
      let line = #line + 1
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let price = MutableNode(1).named("price")
        let first = Node<Int>().named("first")
        let second = Node<Int>().named("second")
        let transform = NodeTransform<Int, Int>()
        transform.name = "forward"
        first.wiring.link(to: price, through: transform)
        second.wiring.link(to: price, through: transform)
      }
      check(
        result, says: "EasyReact: link(to:through:): the transform “forward” already joins nodes",
        "node “second” of Int, made at \(file):\(line)", "Use one transform a link")
    }

    @Test func `13 a transform with one end in use stops a second link too`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let price = MutableNode(1).named("price")
        let transform = NodeTransform<Int, Int>()
        transform.from = price
        Node<Int>().named("second").wiring.link(to: price, through: transform)
      }
      check(
        result, says: "link(to:through:): the transform “NodeTransform” already joins nodes",
        "“second”"
      )
    }

    @Test func `13 a transform in use stops through as well`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let price = MutableNode(1).named("price")
        let transform = NodeTransform<Int, Int>()
        let first = price.through(transform)
        _ = price.through(transform)
        withExtendedLifetime(first) {}
      }
      check(
        result, says: "through(_:): the transform “NodeTransform” already joins nodes", "“price”",
        "Use one transform a link")
    }

    @Test func `13 a transform that was cut can be used again`() {
      let (a, b, c) = (MutableNode(1), Node<Int>(), Node<Int>())
      let transform = NodeTransform<Int, Int>()
      b.wiring.link(to: a, through: transform).cancel()
      c.wiring.link(to: a, through: transform)
      a.value = 2
      #expect(b.value == 1 && c.value == 2)
    }

    @Test
    func `13 a NodeTransform subclass without receive for differing types stops with a message`()
      async
    {
      let line = #line + 1
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        // Unchecked: adds no state.
        final class Forgetful: NodeTransform<Int, String>, @unchecked Sendable {}
        let price = MutableNode(1)
        let text = Node<String>().named("text")
        text.wiring.link(to: price, through: Forgetful())
      }
      check(
        result, says: "EasyReact: NodeTransform: Forgetful does not say what becomes of a value",
        "node “text” of String, made at \(file):\(line)", "Override receive(_:from:context:).")
    }
  }
}
