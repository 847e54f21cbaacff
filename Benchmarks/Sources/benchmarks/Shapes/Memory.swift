import CBenchmarks
import EasyReact
import OpenCombine

// Bytes, not nanoseconds: what the allocator has given out for one of ten thousand, its own eight
// bytes a block included.

func memoryRows() -> [Benchmark] {
  [
    Benchmark(
      "memory", "bytes a source",
      bytes: [
        (.ours, { bytes(of: { MutableNode($0) }, by: { $0 }, isMade: true) }),
        (
          .openCombine,
          { bytes(of: { CurrentValueSubject<Int, Never>($0) }, by: { $0 }, isMade: true) }
        ),
        (.floor, { bytes(of: { Plain($0) }, by: { $0 }, isMade: true) }),
      ]),
    mapMemoryRow("memory", "bytes a map"),
    Benchmark(
      "memory", "bytes a combine of 2",
      bytes: [
        (
          .ours,
          { bytes(of: { (MutableNode($0), MutableNode($0)) }, by: { $0.0.combine($0.1) }) }
        )
      ]),
    Benchmark(
      "memory", "bytes a listener",
      bytes: [
        (.ours, { bytes(of: { MutableNode($0) }, by: { $0.listen { _ in } }) }),
        (
          .openCombine,
          { bytes(of: { CurrentValueSubject<Int, Never>($0) }, by: { $0.sink { _ in } }) }
        ),
      ]),
    Benchmark(
      "memory", "bytes a link",
      bytes: [
        (
          .ours,
          { bytes(of: { (MutableNode($0), MutableNode<Int>()) }, by: { $0.1.link(to: $0.0) }) }
        )
      ]),
    Benchmark("memory", "bytes a node of a 100 × 100 tree, all listened", bytes: [(.ours, tree)]),
  ]
}

/// A map of a source that has no other.
func mapMemoryRow(_ group: String, _ name: String) -> Benchmark {
  Benchmark(
    group, name, budget: Budget(limit: 300),
    bytes: [
      (.ours, { bytes(of: { MutableNode($0) }, by: { $0.map { $0 &+ 1 } }) }),
      (.floor, { bytes(of: { Plain($0) }, by: { $0.map { $0 &+ 1 } }) }),
    ])
}

/// Makes ten thousand `base`s, then one thing `by` each of them, and counts the latter; or the
/// former, if `isMade`.
private func bytes<Base>(
  of base: (Int) -> Base, by make: (Base) -> Any, isMade: Bool = false
) -> Double {
  let many = 10_000
  var bases: [Base] = [], things: [Any] = []
  bases.reserveCapacity(many)
  things.reserveCapacity(many)
  if isMade { benchmarks_start_counting() }
  for index in 0..<many { bases.append(base(index)) }
  if !isMade { benchmarks_start_counting() }
  for base in bases { things.append(make(base)) }
  let counted = benchmarks_stop_counting()
  return withExtendedLifetime((bases, things)) { Double(counted.live) / Double(many) }
}

private func tree() -> Double {
  benchmarks_start_counting()
  let source = MutableNode(0)
  var keep: [Listening] = []
  for _ in 0..<100 {
    var end: Node<Int> = source
    for _ in 0..<100 {
      end = end.map { $0 &+ 1 }
      keep.append(end.listen { _ in })
    }
  }
  let counted = benchmarks_stop_counting()
  return withExtendedLifetime(keep) { Double(counted.live) / 10_000 }
}
