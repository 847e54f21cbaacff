// Three maps, a filter and a prefix of 100,000, summed: what an element of the source costs.
// Then single operators. swift run -c release --package-path Benchmarks/Sequence SequenceBenchmark
import EasySequence
import Foundation

let count = 100_000

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
head("three maps, a filter, a prefix of \(count); ns")
let (known, cons) = (makeStream(), makeCons())
row("LazyStream, first walk", measure(expected) { sum(makeStream()) })
row("LazyStream, later walks", measure(expected) { sum(known) })
row("LazyStream, every stage held", measure(expected, heldSum))
row("lazy views of Swift, each walk", measure(expected, lazySum))
row("arrays, stage by stage", measure(expected, eagerSum))
row("naive cons stream, first walk", measure(expected) { makeCons().sum() })
row("naive cons stream, later walks", measure(expected) { cons.sum() })
measureOperators()
