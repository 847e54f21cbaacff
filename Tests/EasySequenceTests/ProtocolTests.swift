import EasySequence
import Foundation
import Testing

@Suite struct `2.5 Object protocol` {
  @Test func `equality is symmetric, and by elements, unlike the original`() {
    let array: LazyStream = [0]
    #expect(array == LazyStream.just(0))
    #expect(LazyStream.just(0) == array)
    #expect(LazyStream<Int>() == array.tail)
    #expect(array.tail == LazyStream<Int>())
    #expect(LazyStream(0...3) != LazyStream(0...4))
    let infinite = LazyStream(0...)
    #expect(infinite == infinite)
  }

  @Test func `equal streams have equal hashes, unlike the original`() {
    #expect(LazyStream([0, 1]).hashValue == LazyStream(0...1).hashValue)
    #expect(LazyStream<Int>().hashValue == LazyStream([0]).tail.hashValue)
    #expect(Set((0..<100).map { LazyStream([7, $0]) }).count == 100)
  }

  @Test func `a hash tells beginnings apart, and computes eight elements at most`() {
    #expect(LazyStream([0, 1]).hashValue != LazyStream([0, 2]).hashValue)
    #expect(LazyStream([0, 1]).hashValue != LazyStream([0, 1, 2]).hashValue)
    let calls = Calls()
    #expect(LazyStream(0...).noting(calls).hashValue == LazyStream(0..<8).appending([9]).hashValue)
    #expect(calls.all == Array(0..<8))
  }

  @Test func `coding is an array's and round trips`() throws {
    let data = try JSONEncoder().encode(LazyStream(1...3).map { $0 * 2 })
    #expect(String(decoding: data, as: UTF8.self) == "[2,4,6]")
    #expect(try JSONDecoder().decode(LazyStream<Int>.self, from: data).array == [2, 4, 6])
  }

  @Test
  func
    `a description computes nothing, starts at the present position and is bounded, unlike the original`()
  {
    let stream = LazyStream(1...)
    #expect("\(stream)" == "LazyStream[...]")
    _ = stream[1]
    #expect("\(stream.tail)" == "LazyStream[2, ...]")
    _ = stream[99]
    #expect("\(stream.dropFirst(80))".hasSuffix("96, ...]"))
    #expect("\(LazyStream([1, 2]).evaluated())" == "LazyStream[1, 2]")
    #expect(stream.named("numbers").map { $0 }.filter { _ in true }.name == "numbers.map.filter")
  }
}
