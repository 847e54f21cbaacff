import CTestSupport
import EasySequence
import Testing

// What is kept, and how deep it is, when streams are held in the ways that programs hold them.

// One suite, because all of it counts what lives.
extension `2.6 Depth and memory` {
  @Suite(.serialized) struct `What is kept` {
    @Test func `a tail that was made before its elements were known frees what lies before`() {
      let before = Tracked.count
      let tail = LazyStream(0..<10_000).map { Tracked($0) }.dropFirst(9_990)
      #expect(tail.head?.value == 9_990)
      #expect(Tracked.count - before <= 64)
      #expect(tail.map(\.value).array == Array(9_990..<10_000))
      #expect(Tracked.count - before <= 64)
    }

    @Test func `tails made before their elements were known have these when others have read them`()
    {
      let before = Tracked.count
      var stream: LazyStream? = LazyStream(0...).map { Tracked($0) }
      let places = [1, 4, 5, 28, 29, 60, 61, 4_000, 9_990, 9_991, 20_000]
      let tails = places.map { stream!.dropFirst($0) }
      var walk: LazyStream.Iterator? = stream!.makeIterator()
      for _ in 0..<10_000 { _ = walk?.next() }
      #expect(Tracked.count - before == 10_000)
      (stream, walk) = (nil, nil)
      #expect(Tracked.count - before >= 9_996)
      #expect(tails.map { $0.head?.value } == places)
      #expect(tails.map { $0[40]?.value } == places.map { $0 + 40 })
    }

    @Test func `a tail that nobody reads keeps nothing that another walk has computed before it`() {
      let before = Tracked.count
      var stream: LazyStream? = LazyStream(0...).map { Tracked($0) }
      let tail = stream!.dropFirst(9_990), mapped = tail.map(\.value)
      let far = stream!.dropFirst(20_000)
      for _ in stream!.prefix(10_000) {}
      stream = nil
      #expect(Tracked.count - before <= 64)
      #expect(mapped.head == 9_990 && tail.head?.value == 9_990)
      #expect(far.head?.value == 20_000)
    }

    @Test func `tails that are gone leave no room behind where one of them lives`() async {
      await #expect(processExitsWith: .success) {
        let stream = LazyStream(0...).map { $0 }, last = stream.dropFirst(1 << 40)
        let before = testsupport_allocated_bytes()
        for distance in [0, 1_000] {
          var tails = (1...10_000).map { stream.dropFirst(20_000 + $0 * distance) }
          withExtendedLifetime(tails) {}
          tails = []
        }
        let kept = testsupport_allocated_bytes() - before
        #expect(kept < 4 * 10_000, "\(kept) bytes of 10,000 tails")
        withExtendedLifetime(last) {}
      }
    }

    @Test
    func `versions of a log, all kept, read from the newest to the oldest, share their parts`()
      async
    {
      await #expect(processExitsWith: .success) {
        let before = testsupport_allocated_bytes()
        var versions: [LazyStream<Int>] = [[0]]
        for number in 1..<4_000 { versions.append(versions[number - 1] + [number]) }
        for version in versions.dropFirst(2).reversed() { #expect(version[2] == 2) }
        let kept = testsupport_allocated_bytes() - before
        #expect(kept < 4_000 * 4_000, "\(kept) bytes of 4,000 versions")
        #expect(versions[3_999].elementsEqual(0..<4_000))
      }
    }

    @Test func `streams that begin with one of many parts, all kept and begun, share these`() async
    {
      await #expect(processExitsWith: .success) {
        let parts = (0..<4_000).map { LazyStream.just($0) }
        let inner = LazyStream.concat(parts)
        let before = testsupport_allocated_bytes()
        let outer = parts.map { inner + $0 }
        for stream in outer { #expect(stream.head == 0) }
        let kept = testsupport_allocated_bytes() - before
        #expect(kept < 4_000 * 4_000, "\(kept) bytes of 4,000 streams")
        #expect(outer[7].elementsEqual(Array(0..<4_000) + [7]))
        withExtendedLifetime(parts) {}
      }
    }

    @Test func `a walk that has not begun keeps nothing that another walk has computed before it`()
    {
      let before = Tracked.count
      var stream: LazyStream? = LazyStream(0...).map { Tracked($0) }
      var walk = stream!.dropFirst(9_990).makeIterator()
      for _ in stream!.prefix(9_980) {}
      stream = nil
      #expect(Tracked.count - before <= 64)
      #expect(walk.next()?.value == 9_990 && walk.next()?.value == 9_991)
      #expect(Tracked.count - before <= 64)
    }

    @Test func `a walk that has not begun has what another walk has computed meanwhile`() {
      let stream = LazyStream(0...)
      var walks = [1, 4, 5, 29, 60, 4_000, 9_990, 9_991, 20_000].map {
        (place: $0, walk: stream.dropFirst($0).makeIterator())
      }
      for _ in stream.prefix(9_991) {}
      for index in walks.indices {
        for step in 0..<40 { #expect(walks[index].walk.next() == walks[index].place + step) }
      }
    }

    @Test func `tails that are made and dropped leave nothing with one that waits`() async {
      await #expect(processExitsWith: .success) {
        let stream = LazyStream(0...), far = stream.dropFirst(10_000_000)
        var before = 0
        for place in 0..<200_000 {
          if place == 100_000 { before = testsupport_allocated_bytes() }
          _ = stream.dropFirst(100 + 32 * place)
        }
        let kept = testsupport_allocated_bytes() - before
        #expect(kept < 100_000, "\(kept) bytes of 100,000 tails")
        #expect(stream.dropFirst(100).head == 100)
        withExtendedLifetime(far) {}
      }
    }

    @Test func `a fold over a stream that nobody keeps holds a few elements only`() {
      let before = Tracked.count
      let most = Most()
      func stream() -> LazyStream<Tracked> {
        LazyStream(0..<2_000).map {
          most.note(Tracked.count - before)
          return Tracked($0)
        }
      }
      #expect(stream().reduce(0) { $0 + $1.value } == 1_999_000)
      #expect(most.value <= 64)
      #expect(stream().reduce(into: 0) { $0 += $1.value } == 1_999_000)
      #expect(stream().first { $0.value == 1_999 }?.value == 1_999)
      #expect(stream().contains { $0.value == 1_999 })
      #expect(stream().allSatisfy { $0.value >= 0 })
      #expect(stream().count() == 2_000)
      stream().forEach { _ in }
      #expect(most.value <= 64)
    }

    @Test func `positions beyond all numbers are beyond the end`() {
      let stream = LazyStream(0..<3).dropFirst(.max)
      #expect(stream.dropFirst(.max).description == "LazyStream[...]")
      #expect(stream.tail.tail.isEmpty)
      #expect(stream.dropFirst(.max).description == "LazyStream[]")
    }

    @Test func `a part of a definition by itself that outlives it stops with a message`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var all = LazyStream<LazyStream<Int>>.recursive { all in
          LazyStream.just(.just(1)) + all.map { $0.map { $0 + 1 } + .deferred { all[5]! } }
        }
        let part = all[1]!
        precondition(part.head == 2)
        all = []
        _ = part[1]
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("Keep what LazyStream.recursive returns"))
    }

    @Test
    func `ten thousand versions of a log, all kept, each head read, then the last one walked`() {
      onSmallStack {
        var versions: [LazyStream<Int>] = [[0]]
        for number in 1..<10_000 {
          versions.append(versions[number - 1] + [number])
          #expect(versions[number].head == 0)
        }
        #expect(versions[9_999].elementsEqual(0..<10_000))
      }
    }

    @Test func `a list of heads and tails, all cells kept and read, then walked`() {
      onSmallStack {
        var cells: [LazyStream<Int>] = [[]]
        for number in 0..<10_000 {
          let tail = cells[number]
          cells.append(LazyStream(head: { number }, tail: { tail }))
          #expect(cells[number + 1].head == number)
        }
        #expect(cells[10_000].elementsEqual((0..<10_000).reversed()))
      }
    }
  }
}
