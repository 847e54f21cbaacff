import EasySequence
import Testing

@Suite struct `Examples of the guide` {
  @Test func `primes, bind with a sum, unfold, foldRight, by hand`() {
    let primes = LazyStream(2...).filter { n in !(2..<n).contains { n % $0 == 0 } }
    #expect(Array(primes.prefix(5)) == [2, 3, 5, 7, 11])
    let bounded = LazyStream(1...).bind(0) { sum, element, stop in
      sum += element
      stop = sum > 5
      return [element, sum]
    }
    #expect(bounded.array == [1, 1, 2, 3, 3, 6])
    var rest = LazyStream(1...)
    while let (element, tail) = rest.uncons(), element < 10 { rest = tail }
    #expect(rest.head == 10)
  }

  @Test func `flatMap to any sequence stays lazy`() {
    let calls = Calls()
    let letters = LazyStream(["ab", "", "c"]).flatMap { text in
      calls.note(text.count)
      return text
    }
    #expect(calls.all == [])
    #expect(String(letters.array) == "abc")
    #expect(calls.all == [2, 0, 1])
  }
}
