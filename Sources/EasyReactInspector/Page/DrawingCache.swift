import EasyReactInspection
import Synchronization

/// Drawings of the last views, by what is asked for: the same structure is drawn once, and a changed one keeps its
/// places.
final class DrawingCache: Sendable {
  private struct Entry {
    var graph: LayoutGraph
    var drawing: Drawing
    var used: UInt64
  }
  private struct State {
    var entries: [ViewOptions: Entry] = [:]
    var uses: UInt64 = 0
  }
  private let state = Mutex(State())
  private let capacity: Int
  /// How often a drawing was made, for tests.
  let drawn = Atomic(0)

  init(capacity: Int = 16) { self.capacity = capacity }

  /// Two threads may draw the same at once; the later one stays.
  func drawing(of graph: LayoutGraph, for options: ViewOptions) -> Drawing {
    var key = options
    // All moments share one, so what was there stands where it stands now.
    (key.moment, key.isAnew) = (nil, false)
    let known = state.withLock { state in
      state.uses += 1
      state.entries[key]?.used = state.uses
      return state.entries[key]
    }
    if let known, known.graph == graph, !options.isAnew { return known.drawing }
    drawn.add(1, ordering: .relaxed)
    let drawing =
      if let known, !options.isAnew { Drawing(of: graph, keeping: known.drawing) } else {
        Drawing(of: graph)
      }
    state.withLock { state in
      state.entries[key] = Entry(graph: graph, drawing: drawing, used: state.uses)
      if state.entries.count > capacity,
        let oldest = state.entries.min(by: { $0.value.used < $1.value.used })
      {
        state.entries[oldest.key] = nil
      }
    }
    return drawing
  }
}
