import EasyReact
import OpenCombine

// EasyReact's own eight, corrected: ten of the operator on each source, each listened to. An
// operation is one set, or a pair of sets where two sources are set; the original counts a thousand
// of them.

func eightRows() -> [Benchmark] {
  [
    shape("easyreact", "listener", ours: tenListeners, openCombine: tenListeners),
    mapRow(), filterRow(), flattenMapRow(), combineRow(), zipRow(), mergeRow(), syncRow(),
  ]
}

private func tenListeners<K: Kit<Int>>(_ kit: K) -> Trial { fan(kit, 10, mapped: false) }

/// What a source is with us, and with OpenCombine.
private typealias Subject = CurrentValueSubject<Int, Never>

/// Ten listened-to results of one source.
private func oneSource(
  _ name: String, calls: @escaping (Int) -> Int, sum: @escaping (Int) -> Int,
  ours: @escaping (MutableNode<Int>, Sink) -> Listening,
  openCombine: @escaping (Subject, Sink) -> AnyCancellable
) -> Benchmark {
  Benchmark(
    "easyreact", name,
    ours: {
      let sink = Sink(), source = MutableNode(0)
      let keep = (0..<10).map { _ in ours(source, sink) }
      return Trial(sink, keep: keep, calls: calls, sum: sum) { count in
        for value in 0..<count { source.set(value) }
      }
    },
    openCombine: {
      let sink = Sink(), source = Subject(0)
      let keep = (0..<10).map { _ in openCombine(source, sink) }
      return Trial(sink, keep: keep, calls: calls, sum: sum) { count in
        for value in 0..<count { source.send(value) }
      }
    })
}

/// Ten listened-to results of two sources, which are set to i and −i. OpenCombine's glue and ours
/// tell each set.
private func twoSources(
  _ name: String, calls: @escaping (Int) -> Int, sum: @escaping (Int) -> Int,
  ours: @escaping (MutableNode<Int>, MutableNode<Int>, Sink) -> Listening,
  openCombine: @escaping (Subject, Subject, Sink) -> AnyCancellable
) -> Benchmark {
  Benchmark(
    "easyreact", name,
    ours: {
      let sink = Sink(), a = MutableNode(0), b = MutableNode(0)
      let keep = (0..<10).map { _ in ours(a, b, sink) }
      return Trial(sink, keep: keep, calls: calls, sum: sum) { count in
        for value in 1...count {
          a.set(value)
          b.set(-value)
        }
        a.set(0)
        b.set(0)
      }
    },
    openCombine: {
      let sink = Sink(), a = Subject(0), b = Subject(0)
      let keep = (0..<10).map { _ in openCombine(a, b, sink) }
      return Trial(sink, keep: keep, calls: calls, sum: sum) { count in
        for value in 1...count {
          a.send(value)
          b.send(-value)
        }
        a.send(0)
        b.send(0)
      }
    })
}

private func mapRow() -> Benchmark {
  oneSource(
    "map to a string", calls: { $0 * 10 },
    sum: { count in (0..<count).reduce(0) { $0 + "\($1)".utf8.count } * 10 },
    ours: { source, sink in source.map { "\($0)" }.listen { sink.add($0.utf8.count) } },
    openCombine: { source, sink in source.map { "\($0)" }.sink { sink.add($0.utf8.count) } })
}

private func filterRow() -> Benchmark {
  oneSource(
    "filter", calls: { ($0 + 1) / 2 * 10 }, sum: { ($0 - 1) / 2 * (($0 - 1) / 2 + 1) * 10 },
    ours: { source, sink in source.filter { $0 & 1 == 0 }.listen { sink.add($0) } },
    openCombine: { source, sink in source.filter { $0 & 1 == 0 }.sink { sink.add($0) } })
}

private func flattenMapRow() -> Benchmark {
  oneSource(
    "flattenMap to a fresh node", calls: { $0 * 10 }, sum: { triangle($0) * 10 },
    ours: { source, sink in source.flattenMap { Node($0) }.listen { sink.add($0) } },
    openCombine: { source, sink in
      source.map { Just($0) }.switchToLatest().sink { sink.add($0) }
    })
}

/// Each i meets −(i − 1) first, which makes 1, then −i, which makes 0; the two sets at the end make
/// −count and 0.
private func combineRow() -> Benchmark {
  twoSources(
    "combine", calls: { ($0 * 2 + 2) * 10 }, sum: { _ in 0 },
    ours: { a, b, sink in a.combine(b).listen { sink.add($0.0 &+ $0.1) } },
    openCombine: { a, b, sink in
      combineLatest(a, b).sink {
        sink.add($0.0 &+ $0.1)
      }
    })
}

private func zipRow() -> Benchmark {
  twoSources(
    "zip", calls: { ($0 + 1) * 10 }, sum: { _ in 0 },
    ours: { a, b, sink in a.zip(b).listen { (pair: (Int, Int)) in sink.add(pair.0 &+ pair.1) } },
    openCombine: { a, b, sink in a.zip(b).sink { sink.add($0.0 &+ $0.1) } })
}

private func mergeRow() -> Benchmark {
  twoSources(
    "merge", calls: { ($0 * 2 + 2) * 10 }, sum: { _ in 0 },
    ours: { a, b, sink in a.merge(b).listen { sink.add($0) } },
    openCombine: { a, b, sink in
      merge([a, b]).sink { sink.add($0) }
    })
}

/// Two properties bound both ways; p1 := i, p2 := 1000 − i. Each set is heard once on each side.
private func syncRow() -> Benchmark {
  Benchmark(
    "easyreact", "sync",
    ours: {
      let sink = Sink(), a = MutableNode(0), b = MutableNode(0)
      a.sync(with: b)
      let keep = [a.listen { sink.add($0) }, b.listen { sink.add($0) }]
      return Trial(sink, keep: keep, calls: { $0 * 4 }, sum: { $0 * 2_000 }) { count in
        for value in 0..<count {
          a.set(value)
          b.set(1_000 - value)
        }
      }
    })
}
