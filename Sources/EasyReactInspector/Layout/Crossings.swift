enum Crossings {
  /// How many pieces cross between a layer and the next one. O(e log n): a tree of counters over the
  /// places of the next layer (Barth, Jünger, Mutzel, Simple and Efficient Bilayer Cross Counting, 2004).
  static func between(_ layer: [Int], width: Int, _ down: Adjacency, _ position: [Int]) -> Int {
    var tree = Array(repeating: 0, count: width + 1)
    var passed = 0, crossings = 0
    for vertex in layer {
      let slots = down.slots(vertex)
      for far in down.far[slots] {
        var index = position[far] + 1, atMost = 0
        while index > 0 {
          atMost += tree[index]
          index &= index - 1
        }
        crossings += passed - atMost
      }
      for far in down.far[slots] {
        var index = position[far] + 1
        while index <= width {
          tree[index] += 1
          index += index & -index
        }
      }
      passed += slots.count
    }
    return crossings
  }
}
