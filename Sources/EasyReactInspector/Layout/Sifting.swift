/// Moves each vertex of a layer to the place where it has the fewest crossings, while the layers on both sides stand
/// still (Matuszewski and others, Using Sifting for k-Layer Straightline Crossing Minimization, 1999).
struct Sifting {
  private let vertices: [Int]
  private let ups: SortedPlaces
  private let downs: SortedPlaces
  private let reach: Int
  /// The vertices, by their index in the layer as it was, in their order now.
  private var slots: [Int]
  /// Where each of them stands in `slots`.
  private var place: [Int]
  private(set) var isBetter = false
  /// In edges looked at, about.
  private(set) var spent = 0

  /// - Parameter reach: Up to so many places to each side.
  init(_ vertices: [Int], _ up: Adjacency, _ down: Adjacency, _ position: [Int], reach: Int) {
    self.vertices = vertices
    self.reach = reach
    ups = SortedPlaces(vertices, up, position)
    downs = SortedPlaces(vertices, down, position)
    slots = Array(vertices.indices)
    place = slots
  }

  var order: [Int] { slots.map { vertices[$0] } }

  mutating func run() {
    for slot in vertices.indices {
      let best = bestPlace(of: slot)
      if best != place[slot] { move(slot, to: best) }
    }
  }

  private mutating func bestPlace(of slot: Int) -> Int {
    let own = place[slot]
    let range = max(0, own - reach)...min(slots.count - 1, own + reach)
    spent += range.count * 6
    var best = (saved: 0, place: own), saved = 0
    for next in own..<range.upperBound {
      saved += gain(slot, slots[next + 1])
      if saved > best.saved { best = (saved, next + 1) }
    }
    saved = 0
    for next in (range.lowerBound..<own).reversed() {
      saved += gain(slots[next], slot)
      if saved > best.saved { best = (saved, next) }
    }
    return best.place
  }

  /// How many crossings fewer there are when `b`, which stands after `a`, stands before it.
  private func gain(_ a: Int, _ b: Int) -> Int { ups.gain(a, b) + downs.gain(a, b) }

  private mutating func move(_ slot: Int, to goal: Int) {
    let own = place[slot]
    for index in stride(from: own, to: goal, by: goal > own ? 1 : -1) {
      slots[index] = slots[index + (goal > own ? 1 : -1)]
      place[slots[index]] = index
    }
    slots[goal] = slot
    place[slot] = goal
    isBetter = true
  }
}

/// The places of the neighbours of a layer's vertices, sorted, one flat list.
private struct SortedPlaces {
  private var places: [Int] = []
  private var first: [Int] = [0]

  init(_ vertices: [Int], _ adjacency: Adjacency, _ position: [Int]) {
    for vertex in vertices {
      let slots = adjacency.slots(vertex)
      if slots.count == 1 {
        places.append(position[adjacency.far[slots.lowerBound]])
      } else {
        places += adjacency.far[slots].map { position[$0] }.sorted()
      }
      first.append(places.count)
    }
  }

  /// Over all pairs of a neighbour of the vertex at `a` and one of that at `b`: 1 where they cross when `a` stands first,
  /// -1 where they cross when `b` does.
  @inline(__always)
  func gain(_ a: Int, _ b: Int) -> Int {
    let (start, end) = (first[b], first[b + 1])
    if first[a] + 1 == first[a + 1], start + 1 == end {
      return (places[first[a]] - places[start]).signum()
    }
    var sum = 0, less = start, notMore = start
    for slot in first[a]..<first[a + 1] {
      let place = places[slot]
      while less < end, places[less] < place { less += 1 }
      while notMore < end, places[notMore] <= place { notMore += 1 }
      sum += less - start - (end - notMore)
    }
    return sum
  }
}

/// A generator that gives the same numbers for the same seed (Steele, Lea, Flood, 2014).
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
