import Dispatch
import EasyReact
import EasyReactTesting
import Synchronization
import Testing

/// What a hostile review of the engine found: what user code does in the midst of an operation.
@Suite(.watched) struct `Hostile review of the engine` {
  @Test
  func `10.6 isDone is asked once for each value, also of an inner node that nobody else keeps`() {
    let outer = MutableNode<Int>(), asked = Journal<Int>()
    let inners = Journal<Weak<MutableNode<Int>>>()
    let second = Mutex(0)
    let merged = outer.mergeMap(
      maxConcurrent: 1,
      until: { value in
        asked.note(value)
        return second.withLock {
          $0 += 1
          return $0 == 2
        }
      }
    ) { value -> Node<Int> in
      let inner = MutableNode(value)
      inners.note(Weak(inner))
      return inner
    }
    let told = Recorder(merged)
    outer.value = 1
    #expect(asked.entries == [1])
    inners.entries[0].object?.value = 2
    #expect(told.values == [1, 2] && asked.entries == [1, 2])
  }

  @Test(arguments: [false, true])
  func `4.5 what isDone sets comes behind the value that it was asked about`(isKept: Bool) {
    let outer = MutableNode<Int>(), running = MutableNode<Int>()
    let kept = Journal<Node<Int>>()
    let mapped = outer.concatMap(until: { value in
      if value == 10 { outer.value = 20 }
      return true
    }) { value -> Node<Int> in
      if value == 0 { return running }
      let inner = Node(value)
      if isKept { kept.note(inner) }
      return inner
    }
    let told = Recorder(mapped)
    outer.value = 0
    outer.value = 10
    running.value = 5
    #expect(told.values == [5, 10, 20])
  }

  @Test(arguments: [false, true])
  func `5.2 what the deinit of a replaced value sets is the later set`(hasContext: Bool) {
    let object = MutableNode(Dying(0)), number = MutableNode(0)
    let sync = object.sync(
      with: number, transform: { Dying($0) }, revert: { $0.number })
    object.value = Dying(1) { number.value = 9 }
    if hasContext {
      object.set(Dying(2), context: "who")
    } else {
      object.value = Dying(2)
    }
    #expect(object.value?.number == 9 && number.value == 9)
    withExtendedLifetime(sync) {}
  }

  @Test func `4.1 who reads a combination of many in mid-wave reads no mixture`() {
    let seen = Journal<[Int]>(), all = Mutex<Node<[Dying]>?>(nil)
    let sources = (0..<16).map { _ in MutableNode(Dying(0)) }
    let combined = Node.combine(sources)
    all.withLock { $0 = combined }
    batch { for source in sources.prefix(3) { source.value = Dying(1) } }
    batch {
      for source in sources.prefix(3) {
        source.value = Dying(2) {
          let node = all.withLock { $0 }
          seen.note(node?.value?.prefix(3).map(\.number) ?? [])
        }
      }
    }
    batch { for source in sources.prefix(3) { source.value = Dying(3) } }
    #expect(seen.entries.count == 3 && seen.entries.allSatisfy { $0 == [3, 3, 3] })
  }

  @Test func `15.4 two threads that set two parts lose neither, also where one does it in a batch`()
  {
    let person = MutableNode(Person())
    let name = person[\.name], age = person[\.age]
    batch {
      name.value = "Grace"
      onThread { age.value = 85 }
      #expect(name.value == "Grace")
    }
    #expect(person.value == Person(name: "Grace", age: 85))
    batch {
      batch { name.value = "Joan" }
      onThread { age.value = 79 }
    }
    #expect(person.value == Person(name: "Joan", age: 79))
  }

  @Test func `15.4 what the deinit of a staged part sets is no less staged`() {
    let pages = MutableNode(Pages(front: Dying(0)))
    let front = pages[\.front], count = pages[\.count]
    let isFirst = Mutex(true)
    batch {
      front.update {
        $0 = Dying(1) {
          let isFirst = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
          }
          if isFirst { count.value = 7 }
        }
      }
      front.value = Dying(2)
      #expect(count.value == 7)
    }
    #expect(count.value == 7 && front.value?.number == 2)
  }

  @Test func `3.2 who is attached by the deinit of a replaced value hears the new one once`() {
    let node = MutableNode(Dying(0)), heard = Journal<Int>(), mapped = Journal<Int>()
    let listenings = Journal<Listening>(), nodes = Journal<Node<Int>>()
    node.value = Dying(1) {
      listenings.note(node.listen { heard.note($0.number) })
      nodes.note(
        node.map {
          mapped.note($0.number)
          return $0.number
        })
    }
    node.value = Dying(2)
    #expect(heard.entries == [2] && mapped.entries == [2])
    #expect(nodes.entries.first?.value == 2)
  }

  @Test(arguments: [false, true])
  func `3.2 what follows a node from the deinit of its replaced value on hears the new one once`(
    byFlatten: Bool
  ) {
    let inner = MutableNode<Dying>(), outer = MutableNode<Node<Dying>>()
    let result = byFlatten ? outer.flatten(mode: .everyValue) : outer.mergeMap { $0 }
    let told = Journal<Int>()
    let listening = result.listen { told.note($0.number) }
    inner.value = Dying(1) { outer.value = inner }
    inner.value = Dying(2)
    #expect(told.entries == [2])
    inner.value = Dying(3)
    #expect(told.entries == [2, 3])
    keepAlive(listening)
  }

  @Test
  func `5.3 what is synced with a node from the deinit of its replaced value on hears it once`() {
    let node = MutableNode<Dying>(), side = MutableNode(Dying(0)), told = Journal<Int>()
    let listening = side.listen { told.note($0.number) }
    node.value = Dying(1) { side.sync(with: node) }
    node.value = Dying(2)
    #expect(told.entries == [0, 2])
    side.value = Dying(3)
    #expect(told.entries == [0, 2, 3] && node.value?.number == 3)
    keepAlive(listening)
  }

  @Test func `7.5 what is set during a change that changes nothing is told at once, not later`() {
    let hook = Hook(), apples = Key(name: "apples", hook: hook)
    let stock = MutableNode([apples: 3]), told = Recorder(stock.map { $0[apples] })
    let pears = stock[key: Key(name: "pears", hook: hook)]
    hook.set { stock.value = [apples: 9] }
    pears.clean()  // there is nothing to take out
    #expect(stock.value?[apples] == 9 && told.values == [3, 9])
    stock.value = [apples: 5]
    #expect(stock.value?[apples] == 5 && told.values == [3, 9, 5])
    keepAlive(pears)
  }

  @Test func `7.5 what is set during a change over an edge that changes nothing is told at once`() {
    let hook = Hook(), apples = Key(name: "apples", hook: hook)
    let pears = Key(name: "pears", hook: hook)
    let stock = MutableNode([apples: Address()]), told = Recorder(stock.map { $0.count })
    let city = stock[key: pears][\.city], source = MutableNode<String>()
    city.link(to: source)
    hook.set { stock.value = [apples: Address(), pears: Address()] }
    source.value = "Paris"  // there are no pears to change
    #expect(stock.value?.count == 2 && told.values == [1, 2])
    keepAlive(city)
  }

  @Test func `12.4 what a tracer sets when a sync's first wave ends is told at once`() {
    final class Setter: GraphTracer {
      let hook = Hook()
      func trace(_ event: GraphEvent) {
        if event.name == "ends here", case .waveEnded = event.kind { hook.run() }
      }
    }
    let a = MutableNode<Int>(), b = MutableNode(3).named("ends here"), told = Recorder(b)
    let tracer = Setter()
    tracer.hook.set { b.value = 9 }
    traced(by: tracer) { _ = a.sync(with: b) }
    #expect(a.value == 9 && b.value == 9 && told.values == [3, 9])
  }

  @Test(arguments: [1, 2])
  func `4.5 what isDone sets comes behind the value that an inner node told`(limit: Int) {
    let outer = MutableNode<Int>(), running = MutableNode<Int>()
    let mapped = outer.mergeMap(
      maxConcurrent: limit,
      until: { value in
        if value == 5 { outer.value = 20 }
        return value != 4
      }
    ) { $0 == 0 ? running : Node($0) }
    let told = Recorder(mapped)
    outer.value = 0
    running.value = 4
    running.value = 5
    #expect(told.values == [4, 5, 20])
  }

  @Test func `4.5 what the closure sets comes behind its node, also where the value had to wait`() {
    let outer = MutableNode<Int>()
    let mapped = outer.mergeMap { value in
      if value == 1 { outer.value = 2 }
      return Node(value * 10)
    }
    let result = mapped.mutablify(), told = Recorder(result)
    whileInside(result, settingTo: 0) { outer.value = 1 }
    #expect(told.values == [0, 10, 20])
  }

  @Test
  func `14.4 what a cancelled call sets is the latest, also where the newer value had to wait`() {
    let clock = VirtualScheduler(), source = MutableNode<Int>()
    let answers = source.mapAsync(on: clock) { value in
      await withTaskCancellationHandler {
        try? await clock.sleep(for: .seconds(value))
        return value
      } onCancel: {
        if value == 1 { source.value = 3 }
      }
    }
    let result = answers.mutablify(), told = Recorder(result)
    source.value = 1
    clock.advance(by: .milliseconds(1))
    whileInside(result, settingTo: 0) { source.value = 5 }
    clock.advance(by: .seconds(10))
    #expect(source.value == 3 && told.values == [0, 3])
  }
}

private struct Pages: Sendable {
  var front: Dying
  var count = 0
}

/// Runs once, when it is asked.
private final class Hook: Sendable {
  private let body = Mutex<(@Sendable () -> Void)?>(nil)
  func set(_ new: @escaping @Sendable () -> Void) { body.withLock { $0 = new } }
  func run() { body.withLock { $0.take() }?() }
}

/// Its hash runs the hook.
private struct Key: Hashable, Sendable {
  let name: String
  let hook: Hook
  static func == (a: Key, b: Key) -> Bool { a.name == b.name }
  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hook.run()
  }
}
