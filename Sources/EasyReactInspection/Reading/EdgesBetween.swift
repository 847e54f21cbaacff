import EasyReact

/// The edges that lead from one node to another and were not cut, as far as a reader has come: over one of them came what it reads next.
struct EdgesBetween {
  private struct Ends: Hashable {
    let up, down: UInt64
  }

  /// Oldest first. Those that were cut are taken out when they are the last, or more than half.
  private struct Parallel {
    var ids: [UInt64] = []
    private var cut = 0

    mutating func noteCut(_ lives: (UInt64) -> Bool) {
      cut += 1
      while let last = ids.last, !lives(last) {
        ids.removeLast()
        cut -= 1
      }
      if cut > ids.count / 2 { keep(lives) }
    }

    mutating func keep(_ lives: (UInt64) -> Bool) {
      ids.removeAll { !lives($0) }
      cut = 0
    }
  }

  private var parallels: [Ends: Parallel] = [:]

  private func ends(of edge: EdgeRecord) -> Ends? {
    edge.downstream.map { Ends(up: edge.upstream, down: $0) }
  }

  /// It is younger than those that are there. Of no effect on a listener.
  mutating func add(_ edge: EdgeRecord) {
    if let ends = ends(of: edge) { parallels[ends, default: Parallel()].ids.append(edge.id) }
  }

  /// - Parameter lives: Of one that was added: it was not cut. False for this one.
  mutating func noteCut(_ edge: EdgeRecord, _ lives: (UInt64) -> Bool) {
    guard let ends = ends(of: edge), let place = parallels.index(forKey: ends) else { return }
    parallels.values[place].noteCut(lives)
    if parallels.values[place].ids.isEmpty { parallels.remove(at: place) }
  }

  /// The youngest that `isMeant` accepts.
  func last(from up: UInt64, to down: UInt64, where isMeant: (UInt64) -> Bool) -> UInt64? {
    parallels[Ends(up: up, down: down)]?.ids.last(where: isMeant)
  }

  /// All at once, for many may lie between two nodes.
  mutating func forget(_ edges: [EdgeRecord], _ lives: (UInt64) -> Bool) {
    for ends in Set(edges.compactMap(ends)) {
      parallels[ends]?.keep(lives)
      if parallels[ends]?.ids.isEmpty == true { parallels[ends] = nil }
    }
    parallels.shrinkIfSparse()
  }
}
