import EasyReact
import EasyReactTesting
import Testing

/// Contract, section 0, values, links and operators. Listening forms stand in
/// Section00Listening.swift.
@Suite("0 At a glance", .watched) struct Section0 {
  private struct Person: Sendable, Equatable {
    var name: String
    var age: Int
  }

  private func text<each Element>(_ values: [(repeat each Element)]) -> [String] {
    values.map { "\($0)" }
  }

  @Test func `0.1 MutableNode(1) holds 1, MutableNode<Int>() is empty`() {
    let a = MutableNode(1), b = MutableNode<Int>()
    #expect(a.value == 1)
    #expect(b.value == nil)
    #expect(b.isEmpty && !a.isEmpty)
  }

  @Test func `0.2 a.value = 2, set with context, update, clean, value ?? 0, isEmpty`() {
    let a = MutableNode(1)
    let told = Recorder(a)
    a.value = 2
    a.set(3, context: "who")
    a.update { $0 += 1 }
    #expect(told.values == [1, 2, 3, 4])
    #expect(told.contexts.map { $0 as? String } == [nil, nil, "who", nil])
    a.clean()
    #expect((a.value ?? 0) == 0)
    #expect(a.isEmpty)
    #expect(told.values.count == 4)
  }

  @Test func `0.3 a Node variable reads, isMutable, mutablify, named`() {
    let a = MutableNode(1)
    let read: Node<Int> = a
    #expect(read.isMutable)
    #expect(!Node(15).isMutable)
    let node = Node(15)
    node.mutablify().value = 16
    #expect(node.value == 16)
    #expect(a.named("price").name == "price")
    #expect(read.name == "price")
  }

  @Test func `0.4 combine and map, of several nodes and of an array of like nodes`() {
    let a = MutableNode(1), b = MutableNode<Int>(), c = MutableNode("x")
    let sum = a.combine(b).map { $0 + $1 }
    let three = a.combine(b, c)
    let array = Node.combine([a, b])
    #expect(sum.isEmpty && three.isEmpty && array.isEmpty)
    b.value = 2
    #expect(sum.value == 3)
    #expect(three.value.map { "\($0)" } == #"(1, 2, "x")"#)
    #expect(array.value == [1, 2])
    #expect(checkInvariants([a, b, c]) == [])
  }

  @Test func `0.5 merge and zip, of several nodes and of an array, and combine as everyValue`() {
    let a = MutableNode(1), b = MutableNode(2), c = MutableNode(3)
    let merged = Recorder(a.merge(b, c)), all = Recorder(Node.merge([a, b]))
    let pairs = Recorder(a.zip(b)), arrays = Recorder(Node.zip([a, b]))
    let more = a.map { $0 + 1 }, times = a.map { $0 * 10 }
    let every = Recorder(more.combine(times, mode: .everyValue))
    a.value = 4
    b.value = 5
    #expect(merged.values == [3, 4, 5])
    #expect(all.values == [2, 4, 5])
    #expect(text(pairs.values) == ["(1, 2)", "(4, 5)"])
    #expect(arrays.values == [[1, 2], [4, 5]])
    #expect(text(every.values) == ["(2, 10)", "(5, 10)", "(5, 40)"])
  }

  @Test func `0.9 link, link through a transform, and a transform's ends`() {
    let a = MutableNode(1), b = MutableNode<Int>(), c = MutableNode<Int>()
    let link = b.link(to: a)
    let transform = NodeTransform<Int, Int>()
    c.link(to: a, through: transform)
    #expect(b.value == 1 && c.value == 1)
    transform.to = nil
    a.value = 2
    #expect(b.value == 2 && c.value == 1)
    transform.from = b
    transform.to = c
    #expect(c.value == 2)
    link.cancel()
    a.value = 3
    #expect(b.value == 2)
    #expect(checkInvariants([a, b, c]) == [])
  }

  @Test func `0.10 sync, and sync with transform and revert`() {
    let a = MutableNode(1), b = MutableNode(2), text = MutableNode("7")
    a.sync(with: b)
    #expect(a.value == 2)
    b.value = 3
    #expect(a.value == 3)
    let number = MutableNode(0)
    number.sync(with: text, transform: { Int($0)! }, revert: { String($0) })
    #expect(number.value == 7)
    number.value = 8
    #expect(text.value == "8")
    text.value = "9"
    #expect(number.value == 9)
  }

  @Test
  func `0.11 fork, map, mapReplace, compactMap, filter, ignore, select, distinct, skip, take`() {
    let a = MutableNode(1)
    let fork = Recorder(a.fork()), map = Recorder(a.map { "\($0)" })
    let bell = Recorder(a.mapReplace("x"))
    let compact = Recorder(a.compactMap { $0 == 3 ? nil : $0 * 2 })
    let filter = Recorder(a.filter { $0 > 2 })
    let ignore = Recorder(a.ignore(2)), select = Recorder(a.select(2))
    let distinct = Recorder(a.distinctUntilChanged())
    let skip = Recorder(a.skip(2)), take = Recorder(a.take(2))
    for value in [2, 2, 3] { a.value = value }
    #expect(fork.values == [1, 2, 2, 3])
    #expect(map.values == ["1", "2", "2", "3"])
    #expect(bell.values == ["x", "x", "x", "x"])
    #expect(compact.values == [2, 4, 4])
    #expect(filter.values == [3])
    #expect(ignore.values == [1, 3])
    #expect(select.values == [2, 2])
    #expect(distinct.values == [1, 2, 3])
    #expect(skip.values == [2, 3])
    #expect(take.values == [1, 2])
    #expect(checkInvariants([a]) == [])
  }

  @Test func `0.12 distinctUntilChanged by a closure and on a property`() {
    let ada = Person(name: "Ada", age: 1), older = Person(name: "Ada", age: 2)
    let bob = Person(name: "Bob", age: 2)
    let who = MutableNode(ada)
    let byName = Recorder(who.distinctUntilChanged(on: \.name))
    let byAge = Recorder(who.distinctUntilChanged { $0.age == $1.age })
    let same = Recorder(who.combine(who).distinctUntilChanged(by: ==))
    who.value = older
    who.value = bob
    who.value = bob
    #expect(byName.values == [ada, bob])
    #expect(byAge.values == [ada, older])
    #expect(same.values.map(\.0) == [ada, older, bob])
  }

  @Test func `0.13 scan, scanIndexed, then, flatten, flattenMap`() {
    let a = MutableNode(1)
    let scan = Recorder(a.scan(0) { total, next in total + next })
    let indexed = Recorder(a.scanIndexed(0) { total, next, index in total + next * index })
    let inner = MutableNode(10)
    let outer = MutableNode<Node<Int>>(inner)
    let flat = Recorder(outer.flatten()), mapped = Recorder(a.flattenMap { $0 == 1 ? inner : a })
    let seen = Journal<Node<Int>>()
    #expect(a.then { node in seen.note(node) } === a)
    #expect(seen.entries == [a])
    inner.value = 11
    a.value = 2
    outer.value = a
    #expect(scan.values == [1, 3])
    #expect(indexed.values == [0, 2])
    #expect(flat.values == [10, 11, 2])
    #expect(mapped.values.last == 2)
    #expect(mapped.values.prefix(2) == [10, 11])
  }

  @Test func `0.14 deliver, delay, debounce`() {
    let queue = VirtualScheduler()
    let a = MutableNode(1)
    let deliver = Recorder(a.deliver(on: queue), clock: queue)
    let delay = Recorder(a.delay(.seconds(1), on: queue), clock: queue)
    let debounce = Recorder(a.debounce(.seconds(1), on: queue), clock: queue)
    #expect(deliver.values + delay.values + debounce.values == [])
    queue.advance(by: .milliseconds(500))
    a.value = 2
    queue.run()
    #expect(deliver.values == [1, 2])
    #expect(deliver.times == [.zero, .milliseconds(500)])
    #expect(delay.values == [1, 2])
    #expect(delay.times == [.seconds(1), .milliseconds(1500)])
    #expect(debounce.values == [2])
    #expect(debounce.times == [.milliseconds(1500)])
  }

  @Test func `0.15 switch, switchMap, case, default, unmatched`() {
    let script = MutableNode<String>()
    @Sendable func speaker(_ line: String) -> String? {
      line.contains(":") ? String(line.prefix { $0 != ":" }) : nil
    }
    let lines = script.switch { speaker($0) }
    let lei = Recorder(lines.case("Li Lei")), rest = Recorder(lines.default)
    let lost = Recorder(lines.unmatched)
    let lengths = script.switchMap { (speaker($0), $0.count) }
    let leiLengths = Recorder(lengths.case("Li Lei"))
    for line in ["Evening.", "Li Lei: Hi", "Han Meimei: Hi"] { script.value = line }
    #expect(lei.values == ["Li Lei: Hi"])
    #expect(rest.values == ["Evening."])
    #expect(lost.values == ["Han Meimei: Hi"])
    #expect(leiLengths.values == [10])
  }

  @Test func `0.17 if with then, else, thenNode and elseNode`() {
    let a = MutableNode(1)
    let journal = Journal<String>()
    let signs = a.if { $0 > 0 }
    var listenings: [Listening] = []
    signs.then { $0.listen { journal.note("yes \($0)") }.store(in: &listenings) }
      .else { $0.listen { journal.note("no \($0)") }.store(in: &listenings) }
    for value in [-1, 2, 0] { a.value = value }
    #expect(journal.entries == ["yes 1", "no -1", "yes 2", "no 0"])
    #expect(signs.thenNode.value == 2)
    #expect(signs.elseNode.value == 0)
    keepAlive(listenings as AnyObject)
  }

  @Test func `0.18 batch sets both at once`() {
    let a = MutableNode(0), b = MutableNode(0)
    let told = Recorder(a.combine(b))
    batch {
      a.value = 1
      b.value = 2
    }
    #expect(text(told.values) == ["(0, 0)", "(1, 2)"])
  }

  private struct Names: NodeVisitor {
    var nodes: [String] = []
    var transforms: [String] = []
    mutating func visit(_ node: AnyNode, depth: Int) -> VisitResult {
      nodes.append("\(node.name ?? "-") \(depth)")
      return .continue
    }
    mutating func visit(_ transform: AnyNodeTransform) -> VisitResult {
      transforms.append(transform.name)
      return .continue
    }
  }

  @Test func `0.19 upstreamNodes, downstreamTransforms, visit, reachable, dot, mermaid, snapshot`()
  {
    let a = MutableNode(1).named("a")
    let b = a.map { $0 + 1 }.named("b")
    #expect(b.upstreamNodes == [a])
    #expect(a.downstreamTransforms.map(\.name) == ["Map"])
    var visitor = Names()
    a.visit(&visitor)
    #expect(visitor.nodes == ["a 0", "b 1"])
    #expect(visitor.transforms == ["Map"])
    #expect(a.reachable.map { $0.node } == [a, b])
    #expect(a.dot().contains("n0 -> n1 [label=\"Map\"]"))
    #expect(a.mermaid().contains("n0 -->|\"Map\"| n1"))
    #expect(a.snapshot().nodes.map(\.value) == ["1", "2"])
  }
}
