// Prime numbers as a stream that is defined by itself: a number is prime if no known prime up to its root divides it.
// Whoever reads them, and however often: each number is tested once.
import EasyReact
import EasySequence
import EasySequenceBridge

let primes = LazyStream.recursive { primes in
  [2]
    + LazyStream(3...).filter { number in
      primes.prefix { $0 * $0 <= number }.allSatisfy { number % $0 != 0 }
    }
}

print("the first ten:", primes.prefix(10).array)  // [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
print("the 10,000th:", primes[9_999]!)  // 104729

let twins = primes.adjacentPairs().filter { $1 - $0 == 2 }
for (first, second) in twins.prefix(3) { print("twins:", first, second) }  // 3 5, 5 7, 11 13

// How far apart they are: the record, each time it is broken.
let records = primes.adjacentPairs()
  .scan((gap: 0, after: 0, isNew: false)) { record, pair in
    let gap = pair.1 - pair.0
    return gap > record.gap ? (gap, pair.0, true) : (record.gap, record.after, false)
  }
  .filter(\.isNew)

// Into a graph: the listener hears one record after the other; the stream computes no more than that.
let record = MutableNode<(gap: Int, after: Int, isNew: Bool)>()
let text = record.map { "a gap of \($0.gap) after \($0.after)" }
let listening = text.listen { print($0) }
records.prefix(5).play(into: record)  // 1 after 2, 2 after 3, 4 after 7, 6 after 23, 8 after 89
listening.cancel()

print("known by now:", primes.known(limit: .max).elements.count)  // 10000: nothing was tested twice
