// Three maps, a filter and a prefix of 100,000, summed: what an element of the source costs.
// swift run -c release --package-path Benchmarks/Sequence SequenceBenchmark
import EasySequence
import Foundation

let count = 100_000
let rounds = 15

/// Nanoseconds an element of the result, the median of the rounds.
///
/// Of this thread on its processor, so that what else the machine does counts little.
func measure(_ body: () -> Int) -> Double {
  var times: [Double] = []
  for _ in 0..<rounds {
    let start = processorNanoseconds()
    precondition(body() == expected, "a wrong sum")
    times.append((processorNanoseconds() - start) / Double(count))
  }
  return times.sorted()[rounds / 2]
}

func processorNanoseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

func sum(_ elements: some Sequence<Int>) -> Int { elements.reduce(0, &+) }

@inline(never) func makeStream() -> LazyStream<Int> {
  LazyStream(0...).map { $0 &+ 1 }.map { $0 &* 3 }.map { $0 ^ 5 }.filter { $0 % 8 != 0 }
    .prefix(count)
}

@inline(never) func makeCons() -> Cons<Int> {
  Cons<Int>.counting(from: 0).map { $0 &+ 1 }.map { $0 &* 3 }.map { $0 ^ 5 }
    .filter { $0 % 8 != 0 }.prefix(count)
}

@inline(never) func lazySum() -> Int {
  sum(
    (0...).lazy.map { $0 &+ 1 }.map { $0 &* 3 }.map { $0 ^ 5 }.filter { $0 % 8 != 0 }
      .prefix(count))
}

@inline(never) func eagerSum() -> Int {
  // An array has to know how much of the source the filter leaves.
  let source = Array(0..<(count * 8 / 7 + 8))
  let mapped = source.map { $0 &+ 1 }.map { $0 &* 3 }.map { $0 ^ 5 }
  return sum(Array(mapped.filter { $0 % 8 != 0 }.prefix(count)))
}

let expected = lazySum()

/// All stages held, so that each is stored.
@inline(never) func heldSum() -> Int {
  let a = LazyStream(0...)
  let b = a.map { $0 &+ 1 }
  let c = b.map { $0 &* 3 }
  let d = c.map { $0 ^ 5 }
  let e = d.filter { $0 % 8 != 0 }
  let sum = sum(e.prefix(count))
  return withExtendedLifetime((a, b, c, d, e)) { sum }
}

if CommandLine.arguments.contains("--profile") {
  // For a profiler: first walks only.
  for _ in 0..<100 { precondition(sum(makeStream()) == expected) }
  exit(0)
}
let known = makeStream()
let first = measure { sum(makeStream()) }
let later = measure { sum(known) }
let cons = makeCons()
let rows: [(String, Double)] = [
  ("LazyStream, first walk", first),
  ("LazyStream, later walks", later),
  ("LazyStream, every stage held", measure { heldSum() }),
  ("lazy views of Swift, each walk", measure(lazySum)),
  ("arrays, stage by stage", measure(eagerSum)),
  ("naive cons stream, first walk", measure { makeCons().sum() }),
  ("naive cons stream, later walks", measure { cons.sum() }),
]

func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

print("three maps, a filter, a prefix of \(count); median of \(rounds)")
for (name, time) in rows {
  let tenths = Double(Int(time * 10)) / 10
  let ratio = Double(Int(time / rows[3].1 * 100)) / 100
  print(
    name + padded("\(tenths) ns", 46 - name.count) + padded("\(ratio) x lazy", 16))
}
