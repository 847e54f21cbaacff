// Derivations: contract 16.

extension Twin {
  /// Has its value at once, as `combine`.
  func derived(_ compute: @escaping () throws -> Int?) -> Node {
    let node = node()
    node.derivation = compute
    inTurn {
      let (value, read) = tracking(node, compute)
      node.value = value
      follow(read, node)
    }
    return node
  }

  func runDerivation(
    _ join: Node, _ compute: () throws -> Int?, _ route: Route
  ) {
    let (value, read) = tracking(join, compute)
    if follow(read, join), waitsAgain(join, route) { return }
    guard let value else { return stop(.waits, at: join, route) }
    deliver(.value(value), to: join, route)
  }

  /// The closure's value, and the nodes that it read, each once; not itself.
  private func tracking(
    _ node: Node, _ compute: () throws -> Int?
  ) -> (value: Int?, read: [Node]) {
    (reads, isComputing) = ([], true)
    let value = try? compute()
    var read: [Node] = []
    for other in reads! where other !== node && !read.contains(where: { $0 === other }) {
      read.append(other)
    }
    (reads, isComputing) = (nil, false)
    return (value, read)
  }

  func untracked(_ body: () -> Int?) -> Int? {
    let outer = reads
    reads = nil
    defer { reads = outer }
    return body()
  }

  /// Moves the edges: first from what was not read any more, then to what is read for the first time.
  /// True: it follows a node that it did not follow before.
  @discardableResult
  private func follow(_ read: [Node], _ node: Node) -> Bool {
    for edge in node.followed where !read.contains(where: { $0 === edge.up }) { cut(edge) }
    let new = read.filter { up in !node.followed.contains { $0.up === up } }
    for up in new { node.followed.append(attach(up, node, .join)) }
    return !new.isEmpty
  }
}
