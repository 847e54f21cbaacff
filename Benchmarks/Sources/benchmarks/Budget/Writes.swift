import EasyReact
import OpenCombine

/// What is done to a source besides a set: updated, emptied, set with others.
func writeRows() -> [Benchmark] {
  [updateRow(), cleanRow(), batchRow(1), batchRow(4), setsRow(4), batchRow(100), joinedBatchRow()]
    + [wideRow()]
}

private func updateRow() -> Benchmark {
  Benchmark(
    "budget", "update, 1 listener",
    ours: {
      let sink = Sink()
      let source = MutableNode(0)
      let listening = source.listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: running()) { count in
        for _ in 0..<count { source.update { $0 &+= 1 } }
      }
    },
    openCombine: {
      let sink = Sink()
      let source = CurrentValueSubject<Int, Never>(0)
      let listening = source.sink { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: running()) { count in
        for _ in 0..<count { source.value &+= 1 }
      }
    },
    floor: {
      let sink = Sink()
      let source = Plain(0)
      source.listen { sink.add($0) }
      return Trial(sink, calls: { $0 }, sum: running()) { count in
        for _ in 0..<count { source.set(source.value &+ 1) }
      }
    })
}

/// The sum of a counter's values, round after round.
private func running() -> (Int) -> Int {
  var total = 0
  return { count in
    defer { total += count }
    return total * count + count * (count + 1) / 2
  }
}

private func cleanRow() -> Benchmark {
  Benchmark(
    "budget", "clean and set, 1 listener",
    ours: {
      let sink = Sink()
      let source = MutableNode(0)
      let listening = source.listen { sink.add($0) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count {
          source.clean()
          source.set(value)
        }
      }
    })
}

/// One operation is a batch of all.
private func batchRow(_ sources: Int) -> Benchmark {
  Benchmark(
    "budget", "batch of \(sources), a listener each",
    ours: {
      each(of: sources) { nodes, value in
        batch { for node in nodes { node.set(value) } }
      }
    },
    openCombine: sources == 4 ? { eachSubject(of: sources) } : nil)
}

/// What a batch of as many is to beat where they share a join.
private func setsRow(_ sources: Int) -> Benchmark {
  Benchmark(
    "budget", "\(sources) sets of one combine",
    ours: {
      joined(calls: sources) { nodes, value in for node in nodes { node.set(value) } }
    })
}

private func joinedBatchRow() -> Benchmark {
  Benchmark(
    "budget", "batch of 4 of one combine",
    ours: {
      joined(calls: 1) { nodes, value in batch { for node in nodes { node.set(value) } } }
    })
}

private func each(
  of sources: Int, _ set: @escaping ([MutableNode<Int>], Int) -> Void
) -> Trial {
  let sink = Sink()
  let nodes = (0..<sources).map { MutableNode($0) }
  let listenings = nodes.map { $0.listen { sink.add($0) } }
  return Trial(
    sink, keep: listenings, calls: { $0 * sources }, sum: { triangle($0) * sources }
  ) { count in
    for value in 0..<count { set(nodes, value) }
  }
}

private func eachSubject(of sources: Int) -> Trial {
  let sink = Sink()
  let subjects = (0..<sources).map { CurrentValueSubject<Int, Never>($0) }
  let listenings = subjects.map { $0.sink { sink.add($0) } }
  return Trial(
    sink, keep: listenings, calls: { $0 * sources }, sum: { triangle($0) * sources }
  ) { count in
    for value in 0..<count { for subject in subjects { subject.send(value) } }
  }
}

/// The listener adds up what it hears last of each operation, which is the new value of all four.
private func joined(
  calls: Int, _ set: @escaping ([MutableNode<Int>], Int) -> Void
) -> Trial {
  let sink = Sink()
  let nodes = (0..<4).map { MutableNode($0) }
  let all = nodes[0].combine(nodes[1], nodes[2], nodes[3])
  let listening = all.listen { sink.add($0.3 == $0.0 ? $0.0 : 0) }
  return Trial(sink, keep: [listening], calls: { $0 * calls }, sum: triangle) { count in
    for value in 0..<count { set(nodes, value) }
  }
}

/// 64 bytes without a reference count.
private struct Wide: Sendable {
  var numbers: (Int, Int, Int, Int, Int, Int, Int, Int)
  init(_ number: Int) { numbers = (number, 0, 0, 0, 0, 0, 0, number) }
}

private func wideRow() -> Benchmark {
  Benchmark(
    "budget", "set, 1 listener, 64 bytes",
    ours: {
      let sink = Sink()
      let source = MutableNode(Wide(0))
      let listening = source.listen { sink.add($0.numbers.7) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { source.set(Wide(value)) }
      }
    },
    openCombine: {
      let sink = Sink()
      let source = CurrentValueSubject<Wide, Never>(Wide(0))
      let listening = source.sink { sink.add($0.numbers.7) }
      return Trial(sink, keep: [listening], calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { source.send(Wide(value)) }
      }
    },
    floor: {
      let sink = Sink()
      let source = Plain(Wide(0))
      source.listen { sink.add($0.numbers.7) }
      return Trial(sink, calls: { $0 }, sum: triangle) { count in
        for value in 0..<count { source.set(Wide(value)) }
      }
    })
}
