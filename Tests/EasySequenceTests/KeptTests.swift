import EasySequence
import Testing

// What is kept, and how deep it is, when streams are held in the ways that programs keepAlive them.

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
