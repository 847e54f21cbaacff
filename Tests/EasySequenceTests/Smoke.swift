import EasySequence
import Testing

@Test func smoke() {
  #expect(Array(LazyStream(1...).map { $0 * 2 }.filter { $0 % 3 == 0 }.prefix(3)) == [6, 12, 18])
  let fibs = LazyStream.recursive { fibs in [0, 1] + zip(fibs, fibs.tail).map { $0 + $1 } }
  #expect(fibs.prefix(10).array == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
}
