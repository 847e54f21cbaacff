import CBenchmarks
import Dispatch
import EasyReact
import EasyReactTesting
import Foundation
import Synchronization

// Nodes that are only linked and cut hold no value, so that nothing flows.

func growthRows() -> [GrowthRow] {
  cuttingRows() + namingRows() + cycleGrowthRows() + operatorRows() + combiningRows()
    + sharedRows() + keptRows() + roomRows() + lookingRows() + askingRows() + partRows()
    + openingRows() + topRows()
    + layoutRows()
}

func emptyNodes(_ count: Int) -> [MutableNode<Int>] {
  (0..<count).map { _ in MutableNode<Int>() }
}

// MARK: - Linking and cutting

private func listeningsCancelled(
  _ order: String, _ arrange: @escaping ([any Cancelable]) -> [any Cancelable]
) -> GrowthRow {
  GrowthRow("n listenings of one node, cancelled \(order)") { size in
    let node = MutableNode<Int>()
    let listenings = arrange((0..<size).map { _ in node.listen { _ in } })
    return Grown(work: size, keep: node) { for listening in listenings { listening.cancel() } }
  }
}

private func cuttingRows() -> [GrowthRow] {
  [
    GrowthRow("removeDownstreamNodes of n") { size in
      let source = MutableNode<Int>(), targets = emptyNodes(size)
      for target in targets { target.link(to: source) }
      return Grown(work: size, keep: targets) { source.wiring.removeDownstreamNodes() }
    },
    GrowthRow("removeUpstreamNodes of n") { size in
      let target = MutableNode<Int>(), sources = emptyNodes(size)
      for source in sources { target.link(to: source) }
      return Grown(work: size, keep: sources) { target.wiring.removeUpstreamNodes() }
    },
    GrowthRow("n links and cuts at a node with n links") { size in
      let source = MutableNode<Int>(), targets = emptyNodes(size), target = MutableNode<Int>()
      for target in targets { target.link(to: source) }
      return Grown(work: size, keep: targets) {
        for _ in 0..<size { target.link(to: source).cancel() }
      }
    },
    GrowthRow("a chain of n built forwards") { size in
      let nodes = emptyNodes(size)
      return Grown(work: size, keep: nodes) {
        for index in 1..<size { nodes[index].link(to: nodes[index - 1]) }
      }
    },
    GrowthRow("a chain of n built backwards") { size in
      let nodes = emptyNodes(size)
      return Grown(work: size, keep: nodes) {
        for index in (1..<size).reversed() { nodes[index].link(to: nodes[index - 1]) }
      }
    },
    GrowthRow("a ladder of n linked below a chain of n") { size in
      let chain = emptyNodes(size), ladder = emptyNodes(size)
      for index in 1..<size { chain[index].link(to: chain[index - 1]) }
      for index in 1..<size {
        ladder[index].link(to: ladder[index - 1])
        if index > 1 { ladder[index].link(to: ladder[index - 2]) }
      }
      return Grown(work: size, keep: [chain, ladder]) { ladder[0].link(to: chain[size - 1]) }
    },
    GrowthRow("n loose transforms of a node, made and ended") { size in
      let node = MutableNode<Int>()
      let transforms = (0..<size).map { _ in NodeTransform<Int, Int>() }
      return Grown(work: size) {
        for transform in transforms { transform.from = node }
        for transform in transforms { transform.from = nil }
      }
    },
    GrowthRow("n owners that stop listening") { size in
      let node = MutableNode<Int>(), owners = (0..<size).map { _ in Owner() }
      for owner in owners { node.listen(by: owner) { _, _ in } }
      return Grown(work: size) {
        for owner in owners { node.stopListening(by: owner) }
      }
    },
    listeningsCancelled("from the first") { $0 },
    listeningsCancelled("from the last") { $0.reversed() },
    listeningsCancelled("in any order") { $0.shuffled() },
    GrowthRow("a bag of n members that each cancel it again") { size in
      let bag = CancelableBag()
      for _ in 0..<size { bag.add(ClosureCancelable { [unowned bag] in bag.cancel() }) }
      return Grown(work: size, keep: bag) { bag.cancel() }
    },
    GrowthRow("hasListener beside n owners that are gone") { size in
      let node = MutableNode<Int>()
      do {
        let owners = (0..<size).map { _ in Owner() }
        for owner in owners { node.listen(by: owner) { _, _ in } }
      }
      return Grown(work: size) { blackHole(node.hasListener) }
    },
    GrowthRow("hasListener, n times, of n owners behind sixteen that are gone") { size in
      let node = MutableNode<Int>(), owners = (0..<size).map { _ in Owner() }
      let gone = (0..<16).map { _ in Owner() }
      // Not before all listen, for whoever begins to listen ends a few of those that are gone.
      withExtendedLifetime(gone) {
        for owner in gone + owners { node.listen(by: owner) { _, _ in } }
      }
      return Grown(work: size, keep: owners) {
        for _ in 0..<size { blackHole(node.hasListener) }
      }
    },
    GrowthRow(
      "sets while another thread sits in a batch",
      .ratio(limit: 1.5) { size in
        let free = MutableNode(0), besides = MutableNode(0)
        let keep = [free.listen { blackHole($0) }, besides.listen { blackHole($0) }]
        let sets = 20 * size
        let alone = Grown(work: sets, keep: keep) { for value in 0..<sets { free.set(value) } }
        let beside = Grown(work: sets, keep: keep) {
          whileAnotherBatches { for value in 0..<sets { besides.set(value) } }
        }
        return (alone, beside)
      }),
    GrowthRow("a set over n merges to a node that another thread is inside") { size in
      let source = MutableNode(0), other = MutableNode(0)
      let merges = (0..<size).map { _ in Node.merge([source, Node<Int>()]) }
      let last = Node.merge(merges + [other])
      return Grown(work: size, keep: (merges, last)) {
        whileAnotherIsInside(last, setting: other) { source.set(1) }
      }
    },
    GrowthRow("n maps linked to a node that another thread is inside, cut and set above") { size in
      let source = MutableNode(0), target = MutableNode(0)
      return Grown(work: size, keep: target) {
        whileAnotherIsInside(target, setting: target) {
          for value in 0..<size {
            target.link(to: source.map { $0 }).cancel()
            source.set(value)
          }
        }
      }
    },
  ]
}

/// Neighbours of a hub, removed by name and one by one.
private func namingRows() -> [GrowthRow] {
  let orders: [(String, (inout [MutableNode<Int>]) -> Void)] = [
    ("from the first", { _ in }), ("from the last", { $0.reverse() }),
    ("in any order", { $0.shuffle() }),
  ]
  return orders.flatMap { name, order in
    [
      GrowthRow("n calls of removeUpstreamNode, \(name)") { size in
        let target = MutableNode<Int>()
        var sources = emptyNodes(size)
        for source in sources { target.link(to: source) }
        order(&sources)
        let ordered = sources
        return Grown(work: size, keep: ordered) {
          for source in ordered { target.wiring.removeUpstreamNode(source) }
        }
      },
      GrowthRow("n calls of removeDownstreamNode, \(name)") { size in
        let source = MutableNode<Int>()
        var targets = emptyNodes(size)
        for target in targets { target.link(to: source) }
        order(&targets)
        let ordered = targets
        return Grown(work: size, keep: ordered) {
          for target in ordered { source.wiring.removeDownstreamNode(target) }
        }
      },
      GrowthRow("n calls of downstreamTransforms and upstreamTransforms, \(name)") { size in
        let hub = MutableNode<Int>(), sources = emptyNodes(size)
        var targets = emptyNodes(size)
        for place in 0..<size {
          targets[place].link(to: hub)
          hub.link(to: sources[place])
        }
        order(&targets)
        let ordered = targets
        return Grown(work: 2 * size, keep: (ordered, sources)) {
          for place in 0..<size {
            precondition(hub.downstreamTransforms(to: ordered[place]).count == 1)
            precondition(hub.upstreamTransforms(from: sources[place]).count == 1)
          }
        }
      },
    ]
  }
}

private final class Owner: Sendable {}

/// The node is listened to by so many owners, and set when they are gone.
func setAfterOwners(_ count: Int, _ node: MutableNode<Int>) {
  do {
    let owners = (0..<count).map { _ in Owner() }
    for owner in owners { node.listen(by: owner) { _, _ in } }
  }
  node.set(1)
}

@inline(never) private func blackHole<Value>(_ value: Value) {}

private func whileAnotherBatches(_ body: () -> Void) {
  let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
  let isOver = DispatchSemaphore(value: 0), node = MutableNode(0)
  let thread = Thread {
    batch {
      node.value = 1
      isInside.signal()
      mayGo.wait()
    }
    isOver.signal()
  }
  thread.start()
  isInside.wait()
  body()
  mayGo.signal()
  isOver.wait()
}

private func whileAnotherIsInside(
  _ node: Node<Int>, setting source: MutableNode<Int>, _ body: () -> Void
) {
  let isInside = DispatchSemaphore(value: 0), mayGo = DispatchSemaphore(value: 0)
  let isOver = DispatchSemaphore(value: 0)
  let listening = node.listen { value in
    if value != -1 { return }
    isInside.signal()
    mayGo.wait()
  }
  Thread {
    source.set(-1)
    isOver.signal()
  }.start()
  isInside.wait()
  body()
  mayGo.signal()
  isOver.wait()
  listening.cancel()
}

// MARK: - Cycles

private func cycleGrowthRows() -> [GrowthRow] {
  [
    GrowthRow("a torus of n cells, built", limit: 1.5) { size in
      let cells = emptyNodes(side(size) * side(size))
      return Grown(work: 2 * cells.count, keep: cells) { _ = linkedTorus(cells) }
    },
    GrowthRow("a torus of n cells, cut", limit: 1.5) { size in
      let cells = emptyNodes(side(size) * side(size)), links = linkedTorus(cells)
      return Grown(work: links.count, keep: cells) {
        for link in links.reversed() { link.cancel() }
      }
    },
    // Most cells are on one cycle. Measured in small graphs: built 1.3, cut 1.3; in large ones, where that cycle
    // has a larger part of the cells, 1.4 and 1.6 (decision 0007).
    GrowthRow("a sheet of n cells with cycles, built", limit: 1.5) { size in
      let cells = emptyNodes(size)
      return Grown(work: size, keep: cells) { _ = linkedSheet(cells) }
    },
    GrowthRow("a sheet of n cells with cycles, cut", limit: 1.5) { size in
      let cells = emptyNodes(size), links = linkedSheet(cells)
      return Grown(work: links.count, keep: cells) {
        for link in links.reversed() { link.cancel() }
      }
    },
    GrowthRow("a cut in a loop that fans out to n and in again", limit: 1.5) { size in
      let hub = MutableNode<Int>(), maps = (0..<size).map { _ in hub.map { $0 } }
      let back = hub.link(to: Node.merge(maps))
      return Grown(work: size, keep: hub) { back.cancel() }
    },
    GrowthRow("n cuts of a loop through two hubs", limit: 1.5) { size in
      let sources = emptyNodes(size), ends = throughHub(throughHub(sources))
      let links = zip(sources, ends).map { $0.link(to: $1) }
      return Grown(work: size, keep: sources) { for link in links { link.cancel() } }
    },
    // Each cut turns an edge that led back into an ordinary one: what is cut off goes below the hub, which does not rise.
    GrowthRow("n rings of three nodes through a hub, each cut where it leaves the hub", limit: 1.5)
    {
      size in
      let hub = MutableNode<Int>(), first = emptyNodes(size), second = emptyNodes(size)
      let links = (0..<size).map { index in
        let link = first[index].link(to: hub)
        second[index].link(to: first[index])
        hub.link(to: second[index])
        return link
      }
      return Grown(work: size, keep: [[hub], first, second]) { for link in links { link.cancel() } }
    },
    GrowthRow("a line of n/4 rings of four nodes, each cut, from the first on", limit: 1.5) {
      size in
      let nodes = emptyNodes(max(4, size / 4 * 4))
      let links = stride(from: 0, to: nodes.count, by: 4).map { index in
        if index > 0 { nodes[index].link(to: nodes[index - 4]) }
        let link = nodes[index + 1].link(to: nodes[index])
        nodes[index + 2].link(to: nodes[index + 1])
        nodes[index + 3].link(to: nodes[index + 2])
        nodes[index].link(to: nodes[index + 3])
        return link
      }
      return Grown(work: size, keep: nodes) { for link in links { link.cancel() } }
    },
    GrowthRow("n nodes with values, synced in a loop") { size in
      let nodes = (0..<size).map { MutableNode($0) }
      return Grown(work: size, keep: nodes) {
        for index in 1..<size { nodes[index].sync(with: nodes[index - 1]) }
      }
    },
    GrowthRow("n links and cuts in a chain of n, below a sync that is cancelled") { size in
      let above = emptyNodes(size), below = emptyNodes(size), low = MutableNode<Int>()
      for index in 1..<size {
        above[index].link(to: above[index - 1])
        below[index].link(to: below[index - 1])
      }
      let sync = above[size - 1].sync(with: low)
      below[0].link(to: low)
      sync.cancel()
      return Grown(work: size, keep: [above, below, [low]]) {
        for index in 0..<size - 2 { below[index + 2].link(to: below[index]).cancel() }
      }
    },
    GrowthRow("n cells of which each follows a longer chain, synced with a hub", limit: 1.5) {
      size in
      let hub = MutableNode<Int>(), cells = emptyNodes(size), chain = chainOfMaps(size)
      for (cell, node) in zip(cells, chain) { cell.link(to: node) }
      return Grown(work: size, keep: cells) { for cell in cells { cell.sync(with: hub) } }
    },
    GrowthRow("a ring of n linked below n nodes, each deeper than the last", limit: 1.5) { size in
      let ring = emptyNodes(size), chain = chainOfMaps(size)
      for index in ring.indices { ring[(index + 1) % size].link(to: ring[index]) }
      return Grown(work: size, keep: ring) { for node in chain { ring[0].link(to: node) } }
    },
    linksOfHub("n links of a hub that n deeper nodes follow") { $0.link(to: $1) },
    linksOfHub("n links of a hub that n deeper fields are synced with") { $0.sync(with: $1) },
    linksOfFields("n fields of a hub of n maps, linked from the first on") { hub, size in
      (0..<size).map { _ in hub.map { $0 } }
    },
    linksOfFields("n fields of a hub above a chain of n, linked from the first on") { hub, size in
      [longChain(hub, size)]
    },
    // What is raised stops at a small gap, which the links before have left; the next one would only come to the next gap.
    GrowthRow("n rows of a ledger, put in front one by one, where the other n follow each other") {
      size in
      let (carried, amounts) = (emptyNodes(2 * size + 1), emptyNodes(2 * size))
      let totals = amounts.indices.map { carried[$0].combine(amounts[$0]).map { $0 + $1 } }
      for row in size..<2 * size { carried[row + 1].link(to: totals[row]) }
      return Grown(work: size, keep: [carried, amounts]) {
        for row in (0..<size).reversed() { carried[row + 1].link(to: totals[row]) }
      }
    },
    // Each would raise all rows behind it, if these had been raised without places between them.
    GrowthRow("n rows put behind each of n that follow each other, from the first on") { size in
      let rows = emptyNodes(size)
      let links = (1..<size).map { rows[$0].link(to: rows[$0 - 1]) }
      return Grown(work: size, keep: rows) {
        for (row, link) in links.enumerated() {
          link.cancel()
          rows[row + 1].link(to: rows[row].map { $0 })
        }
      }
    },
    GrowthRow("n nodes with a map each, put at both ends of a chain in turn") { size in
      let nodes = emptyNodes(size + 1), maps = nodes.map { node in node.map { $0 } }
      let middle = size / 2
      return Grown(work: size, keep: nodes) {
        for index in 0..<middle {
          nodes[middle + index + 1].link(to: maps[middle + index])
          nodes[middle - index].link(to: maps[middle - index - 1])
        }
      }
    },
    // What the hub tells its fields leads back, and is looked at all the same where it is raised.
    GrowthRow("n links of a hub that is synced with n fields, each below a deeper node") { size in
      let hub = MutableNode<Int>(), fields = emptyNodes(size), chain = chainOfMaps(size)
      for field in fields { hub.sync(with: field) }
      return Grown(work: size, keep: fields) { for node in chain { hub.link(to: node) } }
    },
    // The hub, which follows n fields, is what is left of the ring; it cannot go down, and is not looked at to find that out.
    GrowthRow("n rings through a hub that follows n fields, made and cut") { size in
      let hub = MutableNode<Int>(), fields = emptyNodes(size)
      for field in fields { hub.link(to: field) }
      return Grown(work: size, keep: ([hub], fields)) {
        for _ in 0..<size {
          let node = MutableNode<Int>(), links = [hub.link(to: node), node.link(to: hub)]
          for link in links { link.cancel() }
        }
      }
    },
    // What waits goes with the first upstream that is lost.
    GrowthRow("a zip of n of which all but one have told something, made and dropped") { size in
      let sources = emptyNodes(4 * size)
      return Grown(work: 4 * size, keep: sources) {
        let zipped = Node.zip(sources)
        for source in sources.dropFirst() { source.value = 1 }
        withExtendedLifetime(zipped) {}
      }
    },
    // What falls out of each ring goes below the hub, with its upstreams: that is less than to raise all rings that are left.
    GrowthRow(
      "n rings of two nodes that follow eight fields each, through a hub, cut where they leave it"
    ) {
      size in
      let hub = MutableNode<Int>(), nodes = emptyNodes(2 * size), fields = emptyNodes(8)
      for node in nodes {
        for field in fields { node.link(to: field.map { $0 }) }
      }
      return Grown(work: size, keep: [[hub], nodes, fields]) {
        for ring in 0..<size {
          nodes[2 * ring].link(to: hub)
          nodes[2 * ring + 1].link(to: nodes[2 * ring])
          hub.link(to: nodes[2 * ring + 1])
        }
        for ring in 0..<size { nodes[2 * ring].wiring.removeUpstreamNode(hub) }
      }
    },
    // The other node follows something, so the hub falls out of the ring above it, and could go below it: to raise the other is less.
    GrowthRow("n rings of a hub that follows n fields and a node with an upstream, made and cut") {
      size in
      let hub = MutableNode<Int>(), fields = emptyNodes(size), node = MutableNode<Int>()
      for field in fields { hub.link(to: field) }
      node.link(to: MutableNode<Int>())
      return Grown(work: size, keep: ([hub, node], fields)) {
        for _ in 0..<size {
          for link in [hub.link(to: node), node.link(to: hub)] { link.cancel() }
        }
      }
    },
    // Each link has a higher top, and no higher rank: synced nodes hear their partners by an edge that leads back.
    GrowthRow("n links of a hub of n maps below n syncs") { size in
      let hub = MutableNode<Int>(), maps = (0..<size).map { _ in hub.map { $0 } }
      let high = emptyNodes(size), low = emptyNodes(size)
      for (index, node) in chainOfMaps(size).enumerated() {
        high[index].sync(with: low[index])
        high[index].link(to: node)
      }
      return Grown(work: size, keep: (maps, high)) { for node in low { hub.link(to: node) } }
    },
    GrowthRow("n syncs of a field with a node of n maps, made and cancelled") { size in
      let node = MutableNode<Int>(), maps = (0..<size).map { _ in node.map { $0 } }
      let field = MutableNode<Int>()
      field.link(to: MutableNode<Int>().map { $0 })
      return Grown(work: size, keep: (maps, field)) {
        for _ in 0..<size { field.sync(with: node).cancel() }
      }
    },
    GrowthRow("n fields synced with a node of n maps, linked, dropped") { size in
      let node = MutableNode<Int>(), maps = (0..<size).map { _ in node.map { $0 } }
      let other = MutableNode<Int>().map { $0 }
      return Grown(work: size, keep: (maps, other)) {
        for _ in 0..<size {
          let field = MutableNode<Int>()
          field.sync(with: node)
          field.link(to: other)
        }
      }
    },
    GrowthRow("n syncs of a hub that n nodes are synced with, made and cancelled") { size in
      let hub = MutableNode<Int>(), nodes = emptyNodes(size), more = emptyNodes(size)
      for node in nodes { hub.sync(with: node) }
      return Grown(work: size, keep: [nodes, more]) {
        for node in more { hub.sync(with: node).cancel() }
      }
    },
    GrowthRow("n nodes synced with a hub that n nodes are synced with, made and dropped") { size in
      let hub = MutableNode<Int>(), nodes = emptyNodes(size)
      for node in nodes { hub.sync(with: node) }
      return Grown(work: size, keep: nodes) {
        for _ in 0..<size { hub.sync(with: MutableNode<Int>()) }
      }
    },
    GrowthRow("n new nodes synced with a node that follows n, dropped") { size in
      let fields = (0..<size).map { _ in MutableNode<Int>() }
      let status = Node.merge(fields).mutablify()
      return Grown(work: 10 * size, keep: status) {
        for _ in 0..<10 * size { MutableNode<Int>().sync(with: status) }
      }
    },
    // The field is the lower one of the new cycle, and what the hub follows lies between.
    GrowthRow("n new fields synced with a node of n maps, let go of") { size in
      let source = MutableNode<Int>(), hub = MutableNode<Int>()
      hub.link(to: source.map { $0 }.map { $0 })
      let maps = (0..<size).map { _ in hub.map { $0 } }, fields = emptyNodes(size)
      return Grown(work: size, keep: (maps, fields)) {
        for field in fields {
          hub.sync(with: field)
          field.wiring.removeUpstreamNodes()
        }
      }
    },
    GrowthRow("n new fields synced with one node, and with a hub that follows n and that n follow")
    {
      size in
      let hub = MutableNode<Int>(), one = MutableNode<Int>(), sources = emptyNodes(size)
      for source in sources { hub.link(to: source) }
      let maps = (0..<size).map { _ in hub.map { $0 } }
      return Grown(work: size, keep: (sources, maps)) {
        for _ in 0..<size {
          let field = MutableNode<Int>()
          let syncs = [field.sync(with: one), field.sync(with: hub)]
          for sync in syncs { sync.cancel() }
        }
      }
    },
    GrowthRow("n fields synced with two nodes that n combine, dropped") { size in
      let hubs = emptyNodes(2), others = emptyNodes(size)
      let sums = hubs.map { hub in others.map { hub.combine($0) } }
      return Grown(work: 10 * size, keep: (hubs, sums)) {
        for _ in 0..<10 * size {
          let field = MutableNode<Int>()
          for hub in hubs { field.sync(with: hub) }
        }
      }
    },
    GrowthRow("a node that is synced n times with each of two others, dropped") { size in
      var node: MutableNode<Int>? = MutableNode<Int>()
      let others = emptyNodes(2)
      return Grown(work: size, keep: others) {
        for index in 0..<size { node?.sync(with: others[index % 2]) }
        node = nil
      }
    },
    GrowthRow("n rows that follow one another from the end on, all synced with a node") { size in
      let rows = emptyNodes(size), one = MutableNode<Int>()
      return Grown(work: size, keep: rows) {
        for index in rows.indices.dropFirst() {
          rows[index - 1].link(to: rows[index])
          rows[index].sync(with: one)
        }
      }
    },
    // No cycle is closed, and both sides are dear to look at.
    GrowthRow("n links between two nodes with which n nodes each are synced") { size in
      let hubs = emptyNodes(2), nodes = emptyNodes(2 * size)
      for (index, node) in nodes.enumerated() { node.sync(with: hubs[index % 2]) }
      return Grown(work: size, keep: nodes) { for _ in 0..<size { hubs[0].link(to: hubs[1]) } }
    },
    GrowthRow("n rows that follow one another, each synced with an editor") { size in
      let rows = emptyNodes(size), editors = emptyNodes(size)
      for (up, down) in zip(rows, rows.dropFirst()) { down.link(to: up) }
      return Grown(work: size, keep: (rows, editors)) {
        for (row, editor) in zip(rows, editors) { row.sync(with: editor) }
      }
    },
    GrowthRow(
      "a node synced with each of n that follow one another, the first and the last in turn"
    ) {
      size in
      let rows = (0..<size).map { _ in MutableNode<Int>() }, editor = MutableNode<Int>()
      for (up, down) in zip(rows, rows.dropFirst()) { down.link(to: up) }
      return Grown(work: 10 * size, keep: rows) {
        for index in 0..<10 * size { rows[index % 2 * (size - 1)].sync(with: editor).cancel() }
      }
    },
    GrowthRow("a set in a mesh of syncs, an edge") { size in
      let nodes = emptyNodes(side(size))
      for first in nodes.indices {
        for second in first + 1..<nodes.count { nodes[second].sync(with: nodes[first]) }
      }
      return Grown(work: 20 * nodes.count * (nodes.count - 1), keep: nodes) {
        for value in 0..<20 { nodes[value % nodes.count].set(value) }
      }
    },
  ]
}

/// In by one node, on by another, and out again.
private func throughHub(_ nodes: [Node<Int>]) -> [Node<Int>] {
  let hub = Node.combine(nodes).map { $0.count }
  return nodes.map { _ in hub.filter { $0 < 0 } }
}

private func side(_ size: Int) -> Int { max(2, Int(Double(size).squareRoot())) }

/// Each cell is computed from two others, which stand before it, but for one reference in twenty.
private func linkedSheet(_ cells: [MutableNode<Int>]) -> [any Cancelable] {
  var state: UInt64 = 1
  func random(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }
  func reference(_ index: Int) -> MutableNode<Int> {
    let other = random(random(20) == 0 ? cells.count : index)
    return cells[other == index ? 0 : other]
  }
  return (1..<cells.count).map { index in
    let sum = reference(index).combine(reference(index)).map { $0 &+ $1 }
    return cells[index].link(to: sum)
  }
}

/// Each cell follows its left and its upper neighbour, all the way round.
private func linkedTorus(_ cells: [MutableNode<Int>]) -> [any Cancelable] {
  let side = side(cells.count)
  return cells.indices.flatMap { index in
    let row = index / side, column = index % side
    return [
      cells[index].link(to: cells[row * side + (column + side - 1) % side]),
      cells[index].link(to: cells[(row + side - 1) % side * side + column]),
    ]
  }
}

// MARK: - Operators

/// `choice` picks one of two ends of chains; what is picked goes to a chain that hears nothing.
private struct Choosing {
  let choice = MutableNode(false)
  let ends: [Node<Int>]
  let keep: Any

  init(_ size: Int) {
    let first = MutableNode(0), second = MutableNode(0)
    first.sync(with: second)  // has nothing to do with the others
    let ends = (0..<2).map { _ in longChain(MutableNode(1), size / 2) }
    self.ends = ends
    keep = [first, second]
  }

  var chosen: Node<Int> { choice.flattenMap { [ends] in ends[$0 ? 1 : 0] } }
}

/// Of a hub to which n followers cling, each of which lies deep already.
private func linksOfHub(
  _ name: String, _ follow: @escaping (MutableNode<Int>, MutableNode<Int>) -> any Cancelable
) -> GrowthRow {
  GrowthRow(name) { size in
    let hub = MutableNode<Int>(), followers = emptyNodes(size), chain = chainOfMaps(2 * size)
    for follower in followers {
      follower.link(to: chain[2 * size - 1])
      _ = follow(follower, hub)
    }
    return Grown(work: size, keep: followers) { for node in chain[..<size] { hub.link(to: node) } }
  }
}

/// Each link raises the hub and all that follows, and the next field's place lies between.
private func linksOfFields(
  _ name: String, _ followers: @escaping (Node<Int>, Int) -> [Node<Int>]
) -> GrowthRow {
  GrowthRow(name) { size in
    let hub = MutableNode<Int>(), fields = emptyNodes(size)
    for field in fields { hub.link(to: field) }
    return Grown(work: size, keep: (fields, followers(hub, size))) {
      for (field, next) in zip(fields, fields.dropFirst()) { next.link(to: field) }
    }
  }
}

private func longChain(_ start: Node<Int>, _ count: Int) -> Node<Int> {
  var end = start
  for _ in 0..<count { end = end.map { $0 } }
  return end
}

private func chainOfMaps(_ count: Int) -> [Node<Int>] {
  var nodes: [Node<Int>] = [MutableNode<Int>()]
  while nodes.count < count { nodes.append(nodes[nodes.count - 1].map { $0 }) }
  return nodes
}

private func operatorRows() -> [GrowthRow] {
  [
    GrowthRow("n switches of flattenMap in a graph of n") { size in
      let choosing = Choosing(size)
      let end = longChain(choosing.chosen.filter { _ in false }, size)
      return Grown(work: size, keep: (choosing, end)) {
        for number in 0..<size { choosing.choice.set(number % 2 == 0) }
      }
    },
    GrowthRow("n flattenMaps made and dropped in a graph of n") { size in
      let choosing = Choosing(size)
      return Grown(work: size, keep: choosing) { for _ in 0..<size { _ = choosing.chosen } }
    },
    GrowthRow("n links and cuts in a graph of n, beside a sync") { size in
      let choosing = Choosing(size), target = MutableNode<Int>()
      let end = longChain(target.filter { _ in false }, size)
      return Grown(work: size, keep: (choosing, end)) {
        for number in 0..<size { target.link(to: choosing.ends[number % 2]).cancel() }
      }
    },
    GrowthRow("n flattens, each choosing the one before") { size in
      let flattens = Flattens(size)
      return Grown(work: size, keep: flattens) { flattens.choose(1..<size) }
    },
    // Each could raise the ranks of all that follow: decision 0007 says why it does not.
    GrowthRow("the same from the last") { size in
      let flattens = Flattens(size)
      return Grown(work: size, keep: flattens) { flattens.choose((1..<size).reversed()) }
    },
    GrowthRow("a derivation with n below comes to read n nodes of a chain") { size in
      let isOn = MutableNode(false), chain = chainOfMaps(size)
      let sum = Node.derived { try isOn.get() ? chain.reduce(0) { $0 &+ ($1.value ?? 1) } : 0 }
      return Grown(work: size, keep: longChain(sum, size)) { isOn.value = true }
    },
    GrowthRow("flattenCombine with n below comes to follow n nodes of a chain") { size in
      let set = MutableNode<[Node<Int>]>([]), chain = chainOfMaps(size)
      let count = set.flattenCombine().map { $0.count }
      return Grown(work: size, keep: longChain(count, size)) { set.value = chain }
    },
    GrowthRow("n joins that exchange direction with one hub") { size in
      let exchange = Exchange(size)
      return Grown(work: size, keep: exchange) { exchange.isTurned.value = true }
    },
    // All edges between give way at once whose ends wait: decision 0015.
    GrowthRow("one of n derivations, each of the one before it, is moved up") { size in
      let rows = OrderedRows(size)
      return Grown(work: size, keep: rows) { rows.move(from: 3 * size / 4, to: size / 4) }
    },
    GrowthRow("mergeMap(maxConcurrent: n), n begun") { size in
      let merging = Merging(size)
      return Grown(work: size, keep: merging) { merging.begin() }
    },
    GrowthRow("mergeMap(maxConcurrent: n), n ended") { size in
      let merging = Merging(size)
      merging.begin()
      return Grown(work: size, keep: merging) { for answer in merging.answers { answer.set(1) } }
    },
    // O(log n) a case, and a value.
    GrowthRow("n cases of a switch, made and dropped", limit: 1.3) { size in
      let key = MutableNode<Int>(), switched = key.switch { $0 }
      return Grown(work: size) {
        let cases = (0..<size).map { switched.case($0) }
        withExtendedLifetime(cases) {}
      }
    },
    GrowthRow("n values of a switch with n cases", limit: 1.4) { size in
      let key = MutableNode<Int>(), switched = key.switch { $0 }
      let cases = (0..<size).map { switched.case($0) }
      return Grown(work: size, keep: cases) { for value in 0..<size { key.set(value) } }
    },
    GrowthRow("n values of a groupBy with n groups") { size in
      let key = MutableNode<Int>(), groups = Mutex<[Node<Int>]>([])
      let grouped = key.groupBy { $0 }
      let listening = grouped.listen { group in groups.withLock { $0.append(group.values) } }
      for value in 0..<size { key.set(value) }
      return Grown(work: size, keep: (grouped, listening, groups.withLock { $0 })) {
        for value in 0..<size { key.set(value) }
      }
    },
  ]
}

/// Each row counts from the one before it in the order.
private final class OrderedRows: Sendable {
  private let order: MutableNode<[Int]>, rows = Mutex<[Node<Int>]>([])

  init(_ count: Int) {
    order = MutableNode(Array(0..<count))
    let before = order.map { order in
      var before = Array(repeating: -1, count: count)
      for (one, next) in zip(order, order.dropFirst()) { before[next] = one }
      return before
    }
    for index in 0..<count {
      let row = Node.derived { [unowned self] in
        let place = try before.get()[index]
        return try place < 0 ? 0 : rows.withLock { $0[place] }.get() + 1
      }
      rows.withLock { $0.append(row) }
    }
  }

  func move(from old: Int, to new: Int) {
    order.update { $0.insert($0.remove(at: old), at: new) }
  }
}

/// Empty ones, so that nothing flows.
private struct Flattens {
  let outers: [MutableNode<Node<Int>>]
  let results: [Node<Int>]

  init(_ size: Int) {
    outers = (0..<size).map { _ in MutableNode<Node<Int>>() }
    results = outers.map { $0.flatten() }
  }

  func choose(_ places: some Sequence<Int>) {
    for place in places { outers[place].value = results[place - 1] }
  }
}

/// A hub that hears each of n joins; turned, each of them hears the hub.
private struct Exchange {
  let isTurned = MutableNode(false)
  let hub = MutableNode(0)
  let joins: [Node<Int>]

  init(_ size: Int) {
    let (isTurned, hub) = (isTurned, hub)
    let above = MutableNode(1), silent = Node<Int>()
    joins = (0..<size).map { _ in isTurned.flattenMap { $0 ? hub : above } }
    for join in joins { hub.link(to: isTurned.flattenMap { $0 ? silent : join }) }
  }
}

private struct Merging {
  let outer = MutableNode<Int>()
  let answers: [MutableNode<Int>]
  let merged: Node<Int>

  init(_ size: Int) {
    let answers = emptyNodes(size)
    self.answers = answers
    merged = outer.mergeMap(maxConcurrent: size) { answers[$0] }
  }

  func begin() { for number in answers.indices { outer.set(number) } }
}
