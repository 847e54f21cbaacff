import Dispatch
import EasyReact

// Threads: an operation is one set by one of them. All values are heard, one at a time for each
// listener.

func contendedRows() -> [Benchmark] {
  [1, 2, 4, 8].flatMap { threads in
    [
      Benchmark("contended", "\(threads) threads, 1 node", ours: { contended(threads, .oneNode) }),
      Benchmark(
        "contended", "\(threads) threads, 8 nodes of a graph",
        ours: { contended(threads, .oneGraph) }),
      Benchmark(
        "contended", "\(threads) threads, 8 graphs", ours: { contended(threads, .manyGraphs) }),
    ]
  }
}

private enum Sharing { case oneNode, oneGraph, manyGraphs }

private func contended(_ threads: Int, _ sharing: Sharing) -> Trial {
  let nodes = (0..<(sharing == .oneNode ? 1 : 8)).map { _ in MutableNode(0) }
  let sink = AtomicSink()
  let keep: [Any]
  if sharing == .oneGraph {
    keep = [Node.merge(nodes).listen { sink.add($0) }]
  } else {
    keep = nodes.map { $0.map { $0 &+ 1 }.listen { sink.add($0) } }
  }
  _ = sink.take()
  return Trial(
    keep: keep,
    run: { count in
      DispatchQueue.concurrentPerform(iterations: threads) { thread in
        let node = nodes[thread % nodes.count]
        for value in 0..<count / threads { node.set(value) }
      }
      sink.wait(for: count / threads * threads)
    },
    check: { try expect(sink.take(), $0 / threads * threads, "listener calls") })
}
