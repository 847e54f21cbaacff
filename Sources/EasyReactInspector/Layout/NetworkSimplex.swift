/// Moves the nodes of a layered graph to the layers in which its edges are shortest, all together.
///
/// Every edge leads to a later layer, before and after. It is the network simplex method for layers (Gansner and
/// others, 1993, section 2.3): a spanning tree of edges that are as short as can be; as long as an edge of it has a
/// negative *cut value*, so that more edges would shrink than grow if it were longer, another takes its place.
/// The nodes of a subtree stand side by side in postorder, so a subtree is a range.
struct NetworkSimplex {
  private let tail: [Int]
  private let head: [Int]
  private let incident: [[Int]]
  private(set) var layer: [Int]

  private var isInTree: [Bool]
  private var cutValue: [Int]
  /// For a node: the tree's edge towards the root; -1 for the root.
  private var parent: [Int]
  private var postorder: [Int]
  /// For a node: where it stands in `postorder`, and where its subtree begins there.
  private var place: [Int]
  private var low: [Int]

  /// - Parameter layer: Of each node of a connected graph; every edge leads to a later one.
  init(nodes count: Int, edges: [(from: Int, to: Int)], layer: [Int]) {
    tail = edges.map(\.from)
    head = edges.map(\.to)
    var incident = Array(repeating: [Int](), count: count)
    for (index, edge) in edges.enumerated() {
      incident[edge.from].append(index)
      incident[edge.to].append(index)
    }
    self.incident = incident
    self.layer = layer
    isInTree = Array(repeating: false, count: edges.count)
    cutValue = Array(repeating: 0, count: edges.count)
    parent = Array(repeating: -1, count: count)
    postorder = Array(repeating: 0, count: count)
    place = postorder
    low = postorder
  }

  /// - Parameter rounds: How many edges of the tree are exchanged at most.
  mutating func run(rounds: Int) {
    growTree()
    number(from: 0, at: 0)
    for node in postorder.dropLast() { cutValue[parent[node]] = cutValueAfresh(below: node) }
    var next = 0
    for _ in 0..<rounds {
      guard let leaving = findLeaving(from: &next), let entering = findEntering(for: leaving) else {
        return
      }
      exchange(leaving, for: entering)
    }
  }

  private func slack(_ edge: Int) -> Int { layer[head[edge]] - layer[tail[edge]] - 1 }
  private func other(_ edge: Int, than node: Int) -> Int {
    tail[edge] == node ? head[edge] : tail[edge]
  }
  private func isBelow(_ node: Int, _ top: Int) -> Bool {
    low[top] <= place[node] && place[node] <= place[top]
  }
  /// The lower end of an edge of the tree.
  private func child(_ edge: Int) -> Int { parent[tail[edge]] == edge ? tail[edge] : head[edge] }

  // MARK: - The first tree

  /// Adds edges without slack; where there is none left, all of the tree moves towards the nearest node outside.
  private mutating func growTree() {
    var isReached = Array(repeating: false, count: layer.count)
    var members: [Int] = [], taken = 0
    func add(_ node: Int) {
      isReached[node] = true
      members.append(node)
    }
    if !layer.isEmpty { add(0) }
    while true {
      while taken < members.count {
        let node = members[taken]
        taken += 1
        for edge in incident[node] where slack(edge) == 0 {
          let far = other(edge, than: node)
          if isReached[far] { continue }
          isInTree[edge] = true
          add(far)
        }
      }
      guard members.count < layer.count else { return }
      let outward = tail.indices.filter { isReached[tail[$0]] != isReached[head[$0]] }
      guard let nearest = outward.min(by: { slack($0) < slack($1) }) else { return }
      let step = isReached[tail[nearest]] ? slack(nearest) : -slack(nearest)
      for node in members { layer[node] += step }
      isInTree[nearest] = true
      add(isReached[tail[nearest]] ? head[nearest] : tail[nearest])
      taken = 0
    }
  }

  /// Numbers the subtree of `root`, whose parent stands, in postorder.
  private mutating func number(from root: Int, at start: Int) {
    var next = start
    var path = [(node: root, index: 0)]
    low[root] = next
    while let (node, index) = path.last {
      if index == incident[node].count {
        (postorder[next], place[node]) = (node, next)
        next += 1
        path.removeLast()
        continue
      }
      path[path.count - 1].index += 1
      let edge = incident[node][index]
      guard isInTree[edge], edge != parent[node] else { continue }
      let far = other(edge, than: node)
      parent[far] = edge
      low[far] = next
      path.append((far, 0))
    }
  }

  /// From those of the edges below. For each edge at `node`: inside the subtree it counts with its own cut value.
  private func cutValueAfresh(below node: Int) -> Int {
    let leadsUp = tail[parent[node]] == node
    var sum = 0
    for edge in incident[node] {
      let isInside = isBelow(other(edge, than: node), node)
      let value = isInside ? (isInTree[edge] ? cutValue[edge] : 0) - 1 : 1
      let isAgainst = leadsUp ? head[edge] == node : tail[edge] == node
      sum += isAgainst == isInside ? value : -value
    }
    return sum
  }

  // MARK: - One exchange

  private func findLeaving(from next: inout Int) -> Int? {
    for _ in tail.indices {
      next = next + 1 == tail.count ? 0 : next + 1
      if isInTree[next], cutValue[next] < 0 { return next }
    }
    return nil
  }

  /// The shortest edge that leads across the cut the other way.
  private func findEntering(for leaving: Int) -> Int? {
    let top = child(leaving)
    let isTailBelow = tail[leaving] == top
    var best: Int?
    for node in postorder[low[top]...place[top]] {
      for edge in incident[node] where !isInTree[edge] {
        guard (isTailBelow ? head[edge] : tail[edge]) == node,
          !isBelow(other(edge, than: node), top)
        else { continue }
        if best.map({ slack(edge) < slack($0) }) ?? true { best = edge }
      }
    }
    return best
  }

  private mutating func exchange(_ leaving: Int, for entering: Int) {
    let top = child(leaving)
    let step = tail[leaving] == top ? -slack(entering) : slack(entering)
    if step != 0 {
      for node in postorder[low[top]...place[top]] { layer[node] += step }
    }
    let value = cutValue[leaving]
    let ancestor = addOnTheWay(from: tail[entering], to: head[entering], value, isForward: true)
    _ = addOnTheWay(from: head[entering], to: tail[entering], value, isForward: false)
    cutValue[entering] = -value
    cutValue[leaving] = 0
    (isInTree[leaving], isInTree[entering]) = (false, true)
    number(from: ancestor, at: low[ancestor])
  }

  /// Along the tree from `node` up to where it meets the way to `goal`.
  private mutating func addOnTheWay(from node: Int, to goal: Int, _ value: Int, isForward: Bool)
    -> Int
  {
    var node = node
    while !isBelow(goal, node) {
      let edge = parent[node]
      cutValue[edge] += (tail[edge] == node) == isForward ? value : -value
      node = other(edge, than: node)
    }
    return node
  }
}
