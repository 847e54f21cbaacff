// The Kairo set: an operation is one `iter()`. The listener's calls are those of a whole `iter()`,
// the first write included.

func kairoRows() -> [Benchmark] {
  [
    shape("kairo", "deep", ours: deep, floor: deep, openCombine: deep),
    shape("kairo", "broad", ours: broad, floor: broad, openCombine: broad),
    shape("kairo", "diamond", ours: diamond, floor: diamond),
    shape("kairo", "triangle", ours: triangles, floor: triangles),
    shape("kairo", "mux", ours: mux, floor: mux),
    shape("kairo", "repeated", ours: repeated, floor: repeated),
    shape("kairo", "unstable", ours: unstable, floor: unstable),
    shape("kairo", "avoidable", ours: avoidable, floor: avoidable),
    shape("kairo", "molBench", ours: molecules, floor: molecules),
  ]
}

/// Writes 1, then 0 … `writes` − 1, each `iter()`; checks how often the listener ran, and what it
/// heard last.
private func iterated<K: Kit<Int>>(
  _ kit: K, _ source: K.Source, writes: Int, listening: [K.Cell], callsAnIteration: Int, last: Int
) -> Trial {
  let sink = Sink(), latest = Latest()
  let keep = listening.indices.map { index in
    let isLast = index == listening.count - 1
    return kit.listen(listening[index]) {
      sink.add($0)
      if isLast { latest.value = $0 }
    }
  }
  _ = sink.take()
  return Trial(
    keep: keep,
    run: { count in
      for _ in 0..<count {
        kit.set(source, 1)
        for value in 0..<writes { kit.set(source, value) }
      }
    },
    check: { count in
      try expect(sink.take().calls, callsAnIteration * count, "listener calls")
      if callsAnIteration > 0 { try expect(latest.value, last, "the last value") }
    })
}

/// What a listener heard last.
final class Latest: @unchecked Sendable {
  // Unchecked: one thread.
  var value = 0
}

private func deep<K: Kit<Int>>(_ kit: K) -> Trial {
  let source = kit.source(0)
  var end = kit.cell(source)
  for _ in 0..<50 { end = kit.map(end) { $0 + 1 } }
  return iterated(kit, source, writes: 50, listening: [end], callsAnIteration: 51, last: 99)
}

private func broad<K: Kit<Int>>(_ kit: K) -> Trial {
  let source = kit.source(0)
  let ends = (0..<50).map { index in
    kit.map(kit.map(kit.cell(source)) { $0 + index }) { $0 + 1 }
  }
  return iterated(
    kit, source, writes: 50, listening: ends, callsAnIteration: 51 * 50, last: 49 + 49 + 1)
}

private func diamond<K: Kit<Int>>(_ kit: K) -> Trial {
  let source = kit.source(0)
  let middle = (0..<5).map { _ in kit.map(kit.cell(source)) { $0 + 1 } }
  let sum = kit.join(middle) { $0.reduce(0, +) }
  return iterated(
    kit, source, writes: 500, listening: [sum], callsAnIteration: 501, last: 5 * 500)
}

private func triangles<K: Kit<Int>>(_ kit: K) -> Trial {
  let source = kit.source(0)
  var chain = [kit.cell(source)]
  for _ in 0..<10 { chain.append(kit.map(chain.last!) { $0 + 1 }) }
  let sum = kit.join(Array(chain[..<10])) { $0.reduce(0, +) }
  return iterated(
    kit, source, writes: 100, listening: [sum], callsAnIteration: 101, last: 45 + 10 * 99)
}

private func repeated<K: Kit<Int>>(_ kit: K) -> Trial {
  let source = kit.source(0)
  let sum = kit.join(Array(repeating: kit.cell(source), count: 30)) { $0.reduce(0, +) }
  return iterated(
    kit, source, writes: 100, listening: [sum], callsAnIteration: 101, last: 30 * 99)
}

/// Twenty readings of one of two branches; an explicit graph has the edges of both.
private func unstable<K: Kit<Int>>(_ kit: K) -> Trial {
  let source = kit.source(0)
  let double = kit.map(kit.cell(source)) { $0 * 2 }
  let inverse = kit.map(kit.cell(source)) { -$0 }
  let current = kit.join([kit.cell(source), double, inverse]) { values in
    var sum = 0
    for _ in 0..<20 { sum += values[0] % 2 != 0 ? values[1] : values[2] }
    return sum
  }
  return iterated(
    kit, source, writes: 100, listening: [current], callsAnIteration: 101, last: 20 * 2 * 99)
}

/// The second node is always 0, so nothing beyond it is told.
private func avoidable<K: Kit<Int>>(_ kit: K) -> Trial {
  let source = kit.source(0)
  let zero = kit.distinct(kit.map(kit.map(kit.cell(source)) { $0 + 1 }) { $0 * 0 })
  let third = kit.map(zero) { busy() + $0 + 1 }
  let fifth = kit.map(kit.map(third) { $0 + 2 }) { $0 + 3 }
  precondition(kit.value(fifth) == 6, "avoidable: the fifth node is \(kit.value(fifth))")
  return iterated(kit, source, writes: 1_000, listening: [fifth], callsAnIteration: 0, last: 6)
}

/// A loop that the compiler leaves in; it returns 0.
@inline(never) private func busy() -> Int {
  var sum = 0
  for index in 0..<100 { sum ^= index & 1 }
  return sum
}

/// A hundred sources into one array, and each element out of it again. 18 writes of an `iter()`
/// change something.
private func mux<K: Kit<Int>>(_ kit: K) -> Trial {
  let sink = Sink()
  let sources = (0..<100).map { _ in kit.source(0) }
  let all = kit.collect(sources.map { kit.distinct(kit.cell($0)) })
  let split = (0..<100).map { index in
    kit.map(kit.distinct(kit.pick(all, index))) { $0 + 1 }
  }
  let keep = split.map { kit.listen($0) { sink.add($0) } }
  _ = sink.take()
  return Trial(
    keep: keep,
    run: { count in
      for _ in 0..<count {
        for factor in 1...2 {
          for index in 0..<10 { kit.set(sources[index], index * factor) }
        }
      }
    },
    check: { count in
      try expect(sink.take().calls, 18 * count, "listener calls")
      for index in 0..<10 { try expect(kit.value(split[index]), index * 2 + 1, "split \(index)") }
    })
}

/// Two sources in a batch, few values, and much work where a value is heard twice.
private func molecules<K: Kit<Int>>(_ kit: K) -> Trial {
  let sink = Sink()
  let a = kit.source(0), b = kit.source(0)
  let first = kit.cell(a), second = kit.cell(b)
  let c = kit.distinct(kit.join(first, second) { $0 % 2 + $1 % 2 })
  // The array of five differs only by its index: its first, third and fifth elements are used.
  let d = kit.distinct(kit.join(first, second) { $0 % 2 - $1 % 2 })
  let e = kit.distinct(kit.join([c, first, d]) { hard($0[0] + $0[1] + $0[2]) })
  let f = kit.distinct(kit.join(d, second) { hard($0 + 2 != 0 ? $0 + 2 : $1) })
  let g = kit.distinct(
    kit.join([c, e, d, f]) { $0[0] + ($0[0] != 0 ? $0[0] : $0[1] % 2) + $0[2] + 4 + $0[3] })
  let keep: [Any] = [
    kit.listen(g) { sink.add(hard($0)) }, kit.listen(g) { sink.add($0) },
    kit.listen(f) { sink.add(hard($0)) },
  ]
  let model = MoleculeModel()
  _ = sink.take()
  return Trial(
    keep: keep,
    run: { count in
      for index in 0..<count {
        kit.batch {
          kit.set(b, 1)
          kit.set(a, 1 + index * 2)
        }
        kit.batch {
          kit.set(a, 2 + index * 2)
          kit.set(b, 2)
        }
      }
    },
    check: { count in
      let heard = sink.take()
      var expected = 0
      for index in 0..<count {
        expected &+= model.heard(1 + index * 2, 1)
        expected &+= model.heard(2 + index * 2, 2)
      }
      try expect(heard.sum, expected, "sum of the values heard")
    })
}

@inline(never) private func hard(_ value: Int) -> Int { value + fibonacci(16) }
private func fibonacci(_ n: Int) -> Int { n < 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2) }

/// What the three listeners hear in a graph that tells a value only where it changed.
private final class MoleculeModel {
  private let fib = fibonacci(16)
  private var g: Int, f: Int

  init() {
    (g, f) = (0, 0)
    (g, f) = values(0, 0)
  }

  private func values(_ a: Int, _ b: Int) -> (g: Int, f: Int) {
    let c = a % 2 + b % 2, d = a % 2 - b % 2
    let e = c + a + d + fib
    let f = (d + 2 != 0 ? d + 2 : b) + fib
    return (c + (c != 0 ? c : e % 2) + d + 4 + f, f)
  }

  func heard(_ a: Int, _ b: Int) -> Int {
    let (g, f) = values(a, b)
    defer { (self.g, self.f) = (g, f) }
    return (g == self.g ? 0 : g + g + fib) + (f == self.f ? 0 : f + fib)
  }
}
