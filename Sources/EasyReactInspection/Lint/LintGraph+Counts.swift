import EasyReact

// The rules that need a recorder.

extension LintGraph {
  func counted(_ records: GraphRecords) -> [LintFinding] {
    let mine = records.nodes.filter { isMember($0.id) }
    return mine.compactMap(changesNothing) + mine.compactMap { neverPasses($0, records) }
      + unevenZips(mine.filter { $0.operation == "Zip" }, records) + manyThreads(records)
      + endless(records) + hot(mine)
  }

  private func finding(
    _ rule: LintRule, _ node: NodeRecord, _ reason: String, _ remedy: String
  ) -> LintFinding {
    LintFinding(
      rule: rule, nodes: [node.id], labels: [node.label], reason: reason, remedy: remedy)
  }

  private func changesNothing(_ node: NodeRecord) -> LintFinding? {
    let counts = node.counts
    if counts.stored < 20 || counts.storedEqual * 10 < counts.stored * 9 { return nil }
    // Done already: whatever follows hears changes alone.
    let followers = followers(of: node.id)
    let isDone = followers.allSatisfy { $0.operation == "DistinctUntilChanged" }
    if isDone, !followers.isEmpty { return nil }
    return finding(
      .changesNothing, node,
      "\(counts.storedEqual) of the \(counts.stored) values that it stored equalled the one before",
      "Put distinctUntilChanged() behind it, or set it only on a change")
  }

  private func neverPasses(_ node: NodeRecord, _ records: GraphRecords) -> LintFinding? {
    let counts = node.counts
    if counts.stored > 0 || counts.ranInVain < 20 || node.operation == "Zip" { return nil }
    return finding(
      .neverPasses, node, "it ran \(counts.ranInVain) times and told nothing",
      "Ask recorder.whyNot of it: its condition is never true, or an upstream has no value")
  }

  private func unevenZips(_ zips: [NodeRecord], _ records: GraphRecords) -> [LintFinding] {
    if zips.isEmpty { return [] }
    var sides: [UInt64: Int] = [:]
    for edge in records.edges where edge.cut == nil {
      if let down = edge.downstream { sides[down, default: 0] += 1 }
    }
    return zips.compactMap { unevenZip($0, sides: sides[$0.id] ?? 0) }
  }

  private func unevenZip(_ node: NodeRecord, sides: Int) -> LintFinding? {
    // Of two sides that keep step each pair waits once.
    let (paired, isTooMuch) = node.counts.stored.multipliedReportingOverflow(
      by: UInt64(max(0, sides - 1)))
    if isTooMuch || node.counts.ranInVain < paired { return nil }
    let waiting = node.counts.ranInVain - paired
    if waiting < 100 { return nil }
    return finding(
      .unevenZip, node, "\(waiting) values wait for partners",
      "Use combine or withLatest(from:), which keep the latest alone")
  }

  private func manyThreads(_ records: GraphRecords) -> [LintFinding] {
    var threads: [UInt64: Set<UInt64>] = [:], nodes: [UInt64: UInt64] = [:]
    for event in records.events where event.kind == .told && isMember(event.node) {
      // A placed one is not called on the thread that tells; and one that is gone matters no more.
      guard let edge = event.edge, let record = records.edge(edge), record.isPlaced == false,
        record.cut == nil
      else { continue }
      threads[edge, default: []].insert(event.thread)
      nodes[edge] = event.node
    }
    return threads.filter { $0.value.count > 1 }.keys.sorted().compactMap { edge in
      guard let node = records.node(nodes[edge]!) else { return nil }
      let place = records.edge(edge)?.place.map { ", made at \($0)," } ?? ""
      return finding(
        .listenerOnManyThreads, node,
        "a plain listener\(place) was called on \(threads[edge]!.count) threads",
        "Name the place where it is to run: listenOnMain, listen(on:), listen(isolatedTo:)")
    }
  }

  private func endless(_ records: GraphRecords) -> [LintFinding] {
    let ids = Set(records.events.filter { $0.kind == .endlessSets }.map(\.node)).sorted()
    return ids.filter(isMember).compactMap { records.node($0) }.map {
      finding(
        .endlessSets, $0,
        "listeners, or links round joins, seem to set each other in a circle through it: one turn went past GraphLimits.reentrantSets",
        "Set only on a change, or put distinctUntilChanged() into the circle; raise the limit where so many are meant"
      )
    }
  }

  private func hot(_ nodes: [NodeRecord]) -> [LintFinding] {
    let all = nodes.reduce(0) { $0 + $1.counts.stored }
    guard nodes.count > 2, let hottest = nodes.max(by: { $0.counts.stored < $1.counts.stored }),
      hottest.counts.stored >= 1_000, hottest.counts.stored * 2 > all
    else { return [] }
    return [
      finding(
        .hot, hottest,
        "it stored \(hottest.counts.stored) of \(all) values, more than all others together",
        "Limit its rate with throttleLatest or debounce, or set it in a batch")
    ]
  }
}
