import EasyReact
import EasyReactInspection
import EasyReactTesting
import Foundation
import Synchronization
import Testing

extension `18 A graph that explains itself` {
  @Suite struct Recorder_ {
    @Test
    func
      `18.1 a recorder keeps what happened: set, stored with old and new, told, stopped, made, cut`()
      throws
    {
      try recorded { recorder in
        let price = MutableNode(3).named("price")
        let total = price.map { $0 * 2 }.named("total")
        let large = total.filter { $0 > 10 }.named("large")
        let listening = total.listen { _ in }
        price.set(4, context: "import")
        listening.cancel()
        let records = recorder.records
        #expect(records.events(of: price, .nodeMade).count == 1)
        let set = try #require(records.events(of: price, .set).first)
        #expect(
          set.callSite?.description.hasPrefix("EasyReactInspectionTests/RecorderTests.swift:")
            == true)
        #expect(set.context == "import" && set.wave > 0)
        let stored = try #require(records.events(of: total, .stored).last)
        #expect(stored.old?.text == "6" && stored.new?.text == "8" && stored.other == price.id)
        #expect(records.events(of: total, .told).count == 2)
        #expect(records.events(of: large, .stopped).last?.stop == .filtered)
        let listener = try #require(
          records.edges.first { $0.isListener && $0.upstream == total.id })
        #expect(listener.born != nil && listener.cut != nil && listener.place?.line != nil)
        #expect(Set(records.events.map(\.turn)).count > 3)
        #expect(records.dropped == 0 && recorder.isRunning)
      }
    }

    @Test
    func `18.1 the ring is of the stated size in events, drops the oldest, and says how many`() {
      recorded(events: 100) { recorder in
        let node = MutableNode(0)
        for value in 1...1_000 { node.value = value }
        recorder.stop()  // a thread of the test before may still let go of nodes
        let records = recorder.records
        #expect(records.events.count == 100)
        #expect(records.dropped == recorder.dropped && recorder.dropped >= 2_900)
        #expect(records.events(of: node, .stored).last?.new?.text == "1000")
        let sequences = records.events.map(\.sequence)
        #expect(sequences == Array(records.dropped + 1...records.dropped + 100))
        // What was dropped is counted all the same.
        #expect(recorder.counts[node.id]?.stored == 1_000)
      }
    }

    @Test
    func `18.1 what a description reads a derivation does not follow, nor does a batch stage it`() {
      struct Nosy: CustomStringConvertible, Sendable {
        let read: MutableNode<Int>, target: MutableNode<Int>
        var description: String {
          target.value = 7
          return "\(read.value ?? 0)"
        }
      }
      recorded { recorder in
        let source = MutableNode(1), read = MutableNode(1), target = MutableNode(1)
        let runs = Mutex(0)
        let described = MutableNode<Nosy>()
        let derived = Node.derived {
          runs.withLock { $0 += 1 }
          _ = Node(Nosy(read: read, target: target)).map { $0 }
          return try source.get()
        }
        let listening = derived.listen { _ in }
        let before = runs.withLock { $0 }
        read.value = 2
        #expect(runs.withLock { $0 } == before && derived.upstreamNodes.count == 1)
        target.value = 1
        batch {
          described.set(Nosy(read: read, target: target), context: Nosy(read: read, target: target))
          source.value = 5
        }
        #expect(target.value == 7 && derived.value == 5)
        #expect(recorder.records.events(of: described, .stored).last?.new?.text == "2")
        withExtendedLifetime(listening) {}
      }
    }

    @Test func `18.1 edges that came and went among events that were dropped between two looks`() {
      recorded(events: 100) { recorder in
        let up = MutableNode<Int>(), down = MutableNode<Int>(), other = MutableNode(0)
        let first = down.link(to: up)
        #expect(recorder.records.edges.contains { $0.downstream == down.id && $0.cut == nil })
        first.cancel()
        let linked = MutableNode<Int>()
        let second = linked.link(to: up)
        for value in 1...200 { other.value = value }
        let edges = recorder.records.edges
        #expect(edges.contains { $0.downstream == linked.id })
        #expect(!edges.contains { $0.downstream == down.id })
        withExtendedLifetime(second) {}
      }
    }

    @Test func `18.1 nodes that came and went between two looks are forgotten with their events`() {
      recorded(events: 100) { recorder in
        let node = MutableNode(0)
        for _ in 0..<20 {
          for _ in 0..<200 { _ = node.map { $0 } }
          #expect(recorder.counts.count < 210)
        }
        let records = recorder.records
        let gone = Set(records.events.filter { $0.kind == .nodeGone }.map(\.node))
        for record in records.nodes where record.id != node.id && record.gone == nil {
          #expect(!gone.contains(record.id))
        }
        #expect(records.nodes.filter { $0.gone == nil }.count <= 2)
      }
    }

    @Test func `18.1 the ring is of the stated size in bytes of descriptions`() {
      recorded(bytes: 10_000) { recorder in
        let node = MutableNode("")
        for number in 1...1_000 { node.value = String(repeating: "x", count: 99) + "\(number)" }
        let records = recorder.records
        // Some 130 bytes each, with what an object takes.
        let texts = records.events(of: node, .stored)
        #expect((60...90).contains(texts.count))
        #expect(texts.last?.new?.text?.hasSuffix("x1000") == true)
        #expect(records.dropped > 2_000)
      }
    }

    @Test
    func `18.1 a ring full of events without descriptions gives way to the bytes all the same`() {
      recorded(events: 10_000, bytes: 10_000) { recorder in
        let number = MutableNode(0), text = MutableNode("")
        for value in 1...5_000 { number.value = value }
        for number in 1...1_000 { text.value = String(repeating: "x", count: 99) + "\(number)" }
        let texts = recorder.records.events(of: text, .stored)
        #expect((60...90).contains(texts.count))
      }
    }

    @Test func `18.1, 13 more events than there is memory for: a message with the remedy`() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        GraphRecorder(events: 1 << 57).start()
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(
        text.contains("GraphRecorder(events: 144115188075855872") && text.contains("pass fewer"))
    }

    @Test func `18.1 a node that goes in a turn that began before the recording is gone`() {
      struct Quiet: GraphTracer { func trace(_ event: GraphEvent) {} }
      let recorder = GraphRecorder(), a = MutableNode(1), made = Mutex<UInt64>(0)
      GraphTracing.install(Quiet())
      let listening = a.listen { _ in
        recorder.start()
        made.withLock { $0 = MutableNode(2).id }
      }
      GraphTracing.install(nil)
      let records = recorder.records
      recorder.stop()
      #expect(records.node(made.withLock { $0 })?.gone != nil)
      withExtendedLifetime(listening) {}
    }

    /// Of several edges between two nodes, each value came over one that was there, in whatever order they are cut.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `18.2 what comes over one of many edges between two nodes has an edge`(seed: UInt64) {
      var random = SplitMix64(state: seed)
      let up = MutableNode(0), down = MutableNode(0)
      let records = recorded { recorder in
        var links: [any Cancelable] = []
        for value in 1...60 {
          if links.count < 2 || Bool.random(using: &random) {
            links.append(down.link(to: up))
          } else {
            links.remove(at: Int.random(in: 0..<links.count, using: &random)).cancel()
          }
          up.value = value
          if value == 30 { _ = recorder.records }
        }
        return recorder.records
      }
      let told = records.events(of: down, .stored).filter { $0.other == up.id }
      #expect(told.count >= 60)
      for event in told {
        let edge = event.edge.flatMap { id in records.edges.first { $0.id == id } }
        #expect(edge?.lived(at: event.sequence) == true, "seed \(seed), event \(event.sequence)")
      }
    }

    @Test func `18.1, 15.4 what only puts others in order is not recorded`() {
      struct Two: Sendable { var a = 0, b = 0 }
      let records = recorded { recorder in
        let whole = MutableNode(Two()), b = whole[\.b]
        b.link(to: whole[\.a].map { $0 + 1 })
        whole[\.a].value = 5
        withExtendedLifetime(b) {}
        return recorder.records
      }
      let here = records.nodes.filter { $0.place.file.hasSuffix("RecorderTests.swift") }
      #expect(here.map(\.type).sorted() == ["Int", "Int", "Int", "Int", "Int", "Two"])
      #expect(!records.edges.contains { $0.operation == "Order" })
    }

    @Test func `18.1 started and stopped at any time, from nothing each time`() {
      recorded { recorder in
        let node = MutableNode(0)
        node.value = 1
        recorder.stop()
        #expect(!recorder.isRunning && GraphRecorder.current == nil)
        node.value = 2
        let first = recorder.records
        #expect(first.events(of: node, .stored).map { $0.new?.text } == ["1"])
        #expect(recorder.counts[node.id]?.stored == 1)
        recorder.start()
        #expect(GraphRecorder.current === recorder)
        node.value = 3
        let second = recorder.records.events(of: node, .stored)
        #expect(second.map { $0.old?.text } == ["2"] && second.map { $0.new?.text } == ["3"])
        #expect(recorder.counts[node.id]?.stored == 1)
      }
    }

    @Test func `18.1 starting another one stops the first, which keeps what it has`() {
      recorded { first in
        let node = MutableNode(0)
        node.value = 1
        let second = GraphRecorder()
        second.start()
        #expect(!first.isRunning && second.isRunning)
        node.value = 2
        node.value = 3
        #expect(first.records.events(of: node, .stored).count == 1)
        #expect(first.counts[node.id]?.stored == 1 && second.counts[node.id]?.stored == 2)
        second.stop()
        #expect(first.counts[node.id]?.stored == 1 && second.counts[node.id]?.stored == 2)
      }
    }

    @Test func `18.1 started and stopped inside of a listener, in mid-turn`() {
      let recorder = GraphRecorder()
      let node = MutableNode(0), heard = Mutex<[Int]>([])
      let listening = node.listen { value in
        heard.withLock { $0.append(value) }
        if value == 1 { recorder.start() }
        if value == 3 { recorder.stop() }
      }
      for value in 1...4 { node.value = value }
      #expect(heard.withLock { $0 } == [0, 1, 2, 3, 4])
      #expect(recorder.records.events(of: node, .stored).map { $0.new?.text } == ["2", "3"])
      withExtendedLifetime(listening) {}
    }

    @Test func `18.1 it keeps no node alive, and tells when one went`() throws {
      try recorded { recorder in
        var node: MutableNode<String>? = MutableNode("a").named("short-lived")
        let id = node!.id
        weak let handle = node
        node!.value = "b"
        node = nil
        #expect(handle == nil)
        let record = try #require(recorder.records.node(id))
        #expect(record.gone != nil && record.name == "short-lived" && record.value.text == "b")
      }
    }

    @Test func `18.1 it keeps no value alive`() {
      final class Value: Sendable {}
      recorded { recorder in
        let node = MutableNode<Value>()
        weak var first: Value?
        do {
          let value = Value()
          first = value
          node.set(value, context: value)
        }
        node.clean()
        #expect(first == nil)
        #expect(recorder.records.events(of: node, .stored).count == 2)
      }
    }

    @Test func `18.1 who reads is done though a thread records without a pause`() async {
      let recorder = GraphRecorder(events: 10_000)
      recorder.start()
      let reading = Reading()
      await onThreads(2) { number in
        if number == 0 {
          for _ in 1...20 { #expect(recorder.records.events.count <= 10_000) }
          reading.isDone.store(true, ordering: .releasing)
        } else {
          let node = MutableNode(0)
          while !reading.isDone.load(ordering: .acquiring) { node.value = 1 }
        }
      }
      recorder.stop()
    }
    private final class Reading: Sendable { let isDone = Atomic(false) }

    @Test func `18.1 what happens in several threads is in one order in which causes come first`()
      async throws
    {
      let recorder = GraphRecorder(events: 400_000)
      recorder.start()
      let sources = (0..<4).map { _ in MutableNode(0) }
      let sum = Node.combine(sources).map { $0.reduce(0, +) }
      let shared = MutableNode(0)
      let listening = sum.listen { shared.value = $0 }
      await onThreads(4) { number in for value in 1...500 { sources[number].value = value } }
      // Past a bound a background queue tells the rest.
      _ = await settled()
      recorder.stop()
      let records = recorder.records
      #expect(records.dropped == 0)
      let events = records.events
      let isInOrder = zip(events, events.dropFirst()).allSatisfy {
        $0.sequence < $1.sequence && $0.nanoseconds <= $1.nanoseconds
      }
      #expect(isInOrder)
      let causesComeFirst = events.allSatisfy { event in
        event.causes.allSatisfy { $0 < event.sequence }
      }
      #expect(causesComeFirst)
      #expect(Set(records.events(of: sources[0], .set).map(\.thread)).count == 1)
      // Each value of a node takes the place of the one before.
      for node in sources + [shared] {
        let stored = records.events(of: node, .stored)
        let isChained = zip(stored, stored.dropFirst()).allSatisfy { $0.new == $1.old }
        #expect(isChained)
        #expect(stored.last?.new?.text == node.value.map(String.init(describing:)))
      }
      // Whatever was stored was made to be by something.
      let withoutCause = events.filter { $0.kind == .stored && $0.causes.isEmpty }.count
      #expect(withoutCause == 0)
      withExtendedLifetime(listening) {}
    }

    @Test func `18.1 records are Codable, and the same afterwards`() throws {
      try recorded { recorder in
        let node = MutableNode(1).named("a")
        let listening = node.map { $0 }.listen { _ in }
        node.set(2, context: ["k": 1])
        let records = recorder.records
        let data = try JSONEncoder().encode(records)
        #expect(try JSONDecoder().decode(GraphRecords.self, from: data) == records)
        withExtendedLifetime(listening) {}
      }
    }

    @Test func `18.1 following: the events behind one, again and again, are all of them once`() {
      recorded { recorder in
        let node = MutableNode(0)
        var followed: [UInt64] = [], last: UInt64 = 0
        for value in 1...50 {
          node.value = value
          let new = recorder.records(after: last).events
          followed += new.map(\.sequence)
          last = followed.last ?? 0
        }
        #expect(followed == recorder.records.events.map(\.sequence))
      }
    }

    @Test func `18.1 following: behind the last possible event there are nodes and edges alone`() {
      recorded { recorder in
        let node = MutableNode(0), copy = node.map { $0 }
        node.value = 1
        let last = recorder.records.events.last!.sequence
        for sequence in [last, last + 1, .max - 1, .max] {
          let rest = recorder.records(after: sequence)
          #expect(
            rest.events.isEmpty && rest.node(copy.id)?.value.text == "1" && !rest.edges.isEmpty)
        }
        node.value = 2
        #expect(
          !recorder.records(after: last).events.isEmpty
            && recorder.records(after: .max).events.isEmpty)
      }
    }

    @Test
    func `18.1 a description that asks the recorder, and sets nodes, neither hangs nor is lost`() {
      struct Nosy: Sendable, CustomStringConvertible {
        let recorder: GraphRecorder, other: MutableNode<Int>
        var description: String {
          other.value = 1
          return "\(recorder.records.events.count > 0)"
        }
      }
      recorded { recorder in
        let other = MutableNode(0), node = MutableNode<Nosy>()
        node.value = Nosy(recorder: recorder, other: other)
        #expect(recorder.records.events(of: node, .stored).last?.new?.text == "true")
        #expect(other.value == 1)
      }
    }

    @Test func `18.1 waves: everything that one set caused, its root first`() throws {
      try recorded { recorder in
        let a = MutableNode(1), b = MutableNode(1)
        let sum = a.combine(b).map { $0 + $1 }
        let listening = sum.listen { _ in }
        a.set(2)
        b.set(3)
        let records = recorder.records
        let wave = try #require(records.waves.last { $0.root == a.id })
        let events = wave.events.compactMap { records.event($0) }
        #expect(events.first?.kind == .set && events.allSatisfy { $0.node != b.id })
        #expect(events.contains { $0.node == sum.id && $0.new?.text == "3" })
        #expect(!events.contains { $0.node == sum.id && $0.new?.text == "5" })
        #expect(records.waves.last?.root == b.id)
        withExtendedLifetime(listening) {}
      }
    }
  }

  @Suite struct Descriptions {
    @Test func `18.7 values are described by their description, cut at the stated length`() {
      struct Talkative: Sendable, CustomStringConvertible {
        var description: String { String(repeating: "abc", count: 100) }
      }
      recorded(descriptionLength: 10) { recorder in
        let node = MutableNode(Talkative()), many = MutableNode(Array(0..<100_000))
        let name = MutableNode("élan vital et cetera")
        node.set(Talkative(), context: String(repeating: "c", count: 99))
        many.update { $0.append(7) }
        name.set(name.value!)
        let records = recorder.records
        #expect(records.events(of: node, .stored).last?.new?.text == "abcabcabca…")
        #expect(records.events(of: node, .set).last?.context == "cccccccccc…")
        #expect(records.events(of: many, .stored).last?.new?.text == "[0, 1, 2, …")
        #expect(records.events(of: name, .stored).last?.new?.text == "élan vital…")
      }
    }

    @Test func `18.7 empty, nil, an event and a failure look different`() {
      struct Failed: Error {}
      recorded { recorder in
        let optional = MutableNode<Int?>(1), taps = MutableNode<Int>.eventNode()
        let result = MutableNode<Result<Int, Failed>>(.success(1))
        optional.value = .some(nil)
        optional.clean()
        taps.value = 5
        result.value = .failure(Failed())
        let records = recorder.records
        #expect(
          records.events(of: optional, .stored).map { $0.new?.description } == ["nil", "empty"])
        #expect(
          records.events(of: taps, .stored).map { $0.new } == [ValueRecord(.event, text: "5")])
        #expect(records.node(taps.id)?.value == .empty)
        #expect(records.events(of: result, .stored).last?.new?.text == "\(result.value!)")
      }
    }

    /// Of a trivial type that points somewhere: what it says must be said while that lives.
    @Test func `18.7 a value that points somewhere is described while it is stored`() {
      struct Pointer: Sendable, CustomStringConvertible {
        // Unsafe: one thread, and freed behind the recording.
        nonisolated(unsafe) let place: UnsafeMutablePointer<Int>
        var description: String { "at \(place.pointee)" }
      }
      recorded { recorder in
        let place = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        place.initialize(to: 7)
        let node = MutableNode<Pointer>()
        node.value = Pointer(place: place)
        node.clean()
        place.pointee = -1
        place.deallocate()
        #expect(recorder.records.events(of: node, .stored).first?.new?.text == "at 7")
      }
    }

    /// Who asks for its description makes the program go on.
    private struct Noisy: Sendable, CustomStringConvertible {
      static let noise = MutableNode(0)
      let number: Int
      var description: String {
        for value in 1...200 { Noisy.noise.value = value }
        return "noisy"
      }
    }

    @Test func `18.1 what is dropped while it is read is there still, without gaps`() {
      recorded(events: 64) { recorder in
        let node = MutableNode<Noisy>()
        for number in 1...3 { node.value = Noisy(number: number) }
        let records = recorder.records
        #expect(records.events(of: node, .stored).map(\.new?.text) == ["noisy", "noisy", "noisy"])
        let sequences = records.events.map(\.sequence)
        #expect(sequences.first == records.dropped + 1)
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 + 1 == $1 })
        // The next time it has gone.
        let later = recorder.records
        #expect(later.dropped > records.dropped && later.events(of: node, .stored).isEmpty)
      }
    }

    /// How often it was described, by anybody.
    private struct Secret: Sendable, CustomStringConvertible {
      static let described = Mutex(0)
      var description: String {
        Secret.described.withLock { $0 += 1 }
        return "hunter2"
      }
    }

    @Test func `18.7 a private node's values are never described anywhere`() throws {
      try recorded { recorder in
        Secret.described.withLock { $0 = 0 }
        let node = MutableNode(Secret()).named("password")
        node.isPrivate = true
        let taps = MutableNode<Secret>.eventNode()
        taps.isPrivate = true
        let printed = Mutex("")
        GraphTracing.output = { line in printed.withLock { $0 += line + "\n" } }
        GraphTracing.install(PrintingTracer(of: [node, taps]))
        let listening = [node, taps].map { $0.debug().listen { _ in } }
        node.set(Secret())
        taps.set(Secret())
        node.update { $0 = Secret() }
        GraphTracing.install(nil)
        GraphTracing.output = { print($0) }
        let records = recorder.records
        let json = String(decoding: try JSONEncoder().encode(records), as: UTF8.self)
        let texts =
          "\(node) \(taps) \(node.snapshot()) \(node.dot()) \(node.mermaid()) \(recorder.why(node)) "
          + "\(recorder.whyNot(node)) \(printed.withLock { $0 }) \(records) \(json)"
        #expect(!texts.contains("hunter2"))
        #expect(Secret.described.withLock { $0 } == 0)
        #expect(records.events(of: node, .stored).last?.new == .private)
        #expect(
          records.node(node.id)?.value == .private && records.node(node.id)?.isPrivate == true)
        #expect(printed.withLock { $0.contains("stored private") })
        withExtendedLifetime(listening) {}
      }
    }

    @Test func `18.7 marked later, what was kept before is hidden too`() {
      recorded { recorder in
        let number = MutableNode(1), text = MutableNode("a")
        number.value = 867_530_947_114_711
        text.value = "hunter2"
        (number.isPrivate, text.isPrivate) = (true, true)
        let described = "\(recorder.records)"
        #expect(!described.contains("867530947114711") && !described.contains("hunter2"))
      }
    }
  }

  @Suite struct Counts {
    @Test func `18.5 how often each node was stored, told, stored equal values, ran in vain`()
      throws
    {
      try recorded { recorder in
        let a = MutableNode(0), text = MutableNode("")
        let even = a.filter { $0 % 2 == 0 }, changes = a.distinctUntilChanged()
        let waiting = a.combine(MutableNode<Int>())
        let listenings = [a.listen { _ in }, a.listen { _ in }]
        for value in [1, 2, 2, 3, 4] { a.value = value }
        for value in ["x", "x", "y"] { text.value = value }
        let counts = recorder.counts
        let ofA = try #require(counts[a.id])
        #expect(ofA.stored == 5 && ofA.storedEqual == 1 && ofA.told == 12 && ofA.ranInVain == 0)
        #expect(counts[even.id]?.stored == 4 && counts[even.id]?.ranInVain == 2)
        #expect(counts[changes.id]?.stored == 5 && counts[changes.id]?.ranInVain == 1)
        #expect(counts[waiting.id]?.stored == 0 && counts[waiting.id]?.ranInVain == 5)
        #expect(counts[text.id]?.storedEqual == 1 && counts[text.id]?.stored == 3)
        #expect(ofA.ownNanoseconds == nil)
        withExtendedLifetime(listenings) {}
      }
    }

    @Test
    func
      `18.5 own time where asked for: of the operator alone, not of what follows nor of listeners`()
      throws
    {
      try recorded(measuresTime: true) { recorder in
        @Sendable func work() { for _ in 0..<200 { _ = (0..<100).map { "\($0)" }.joined() } }
        let a = MutableNode(0)
        let quick = a.map { $0 }
        let slow = quick.map { value -> Int in
          work()
          return value
        }
        let after = slow.map { $0 }
        let listening = quick.listen { _ in work() }
        for value in 1...3 { a.value = value }
        let times = try [a, quick, slow, after].map {
          try #require(recorder.counts[$0.id]?.ownNanoseconds)
        }
        #expect(times[2] > 10 * max(times[0], times[1], times[3]))
        #expect(times.allSatisfy { $0 > 0 })
        withExtendedLifetime(listening) {}
      }
    }
  }
}
