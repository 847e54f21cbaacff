import EasyReact
import EasyReactTesting

/// A random graph and what several threads do to it, phase by phase: where each set goes can be told from what the
/// listeners heard, whatever the interleaving was.
///
/// To that end a set comes to a node that is no join by one way at most, and what lies below a join passes everything or
/// nothing.
struct Net {
  enum Kind: String, CaseIterable {
    case source, events, map, filter, distinct, skip, merge, zip, combine, combineWithEmpty,
      combineWithEvents, never
    case deliver, delay, debounce, throttleFirst, throttleLatest, call
  }
  struct Piece {
    var kind: Kind
    var ups: [Int] = []
    var number = 0
  }
  /// An edge between two nodes, and when it is there: from a phase on, up to another one.
  struct Way {
    enum Form { case operation, link, sync }
    let up, down: Int
    let form: Form
    var made = 0
    var cut = Int.max
  }
  enum Call {
    case set(Int, id: Int, number: Int)
    case batch([(node: Int, id: Int, number: Int)])
  }
  struct Phase {
    /// What is done before, by one thread: edges by their places in `ways`.
    var cuts: [Int] = [], links: [Int] = []
    var threads: [[Call]] = []
    /// While the threads set, and after it, in milliseconds.
    var advanceMeanwhile = 0, advance = 0
  }

  private(set) var pieces: [Piece] = []
  private(set) var ways: [Way] = []
  private(set) var phases: [Phase] = []
  /// A listener of the one sets the other, a few times.
  private(set) var reactions: [(from: Int, to: Int)] = []
  /// A listener of the source cuts this link at its so manyth call.
  private(set) var cutter: (way: Int, hearing: Int)?
  /// The last phase begins with a set of this source, one of whose listeners does not return while the others set.
  private(set) var gate: Int?

  // MARK: - Random ones

  private var random: SplitMix64
  private var lastId = 0
  /// What can reach each node: components of synced sources count as one.
  private var origins: [Set<Int>] = []
  private var isBelowJoin: [Bool] = []

  init(seed: UInt64) {
    random = SplitMix64(state: seed)
    for _ in 0..<2 + roll(3) { add(Piece(kind: .source)) }
    if roll(2) == 0 { addSyncs() }
    for _ in 0..<4 + roll(14) { addPiece() }
    if roll(2) == 0 { addCutter() }
    for _ in 0..<roll(3) { addReaction() }
    for number in 0..<1 + roll(3) { addPhase(number) }
    if roll(2) == 0 { gate = sources.randomElement(using: &random) }
  }

  private mutating func roll(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
  var sources: [Int] { pieces.indices.filter { pieces[$0].kind == .source } }
  var settable: [Int] { pieces.indices.filter { [.source, .events].contains(pieces[$0].kind) } }
  mutating func newId() -> Int {
    lastId += 1
    return lastId
  }

  @discardableResult
  private mutating func add(_ piece: Piece) -> Int {
    let number = pieces.count
    pieces.append(piece)
    for up in piece.ups { ways.append(Way(up: up, down: number, form: .operation)) }
    let own: Set<Int> = piece.ups.isEmpty ? [number] : []
    origins.append(piece.ups.reduce(own) { $0.union(origins[$1]) })
    let isJoin = [.combine, .combineWithEmpty, .combineWithEvents].contains(piece.kind)
    isBelowJoin.append(isJoin || piece.ups.contains { isBelowJoin[$0] })
    return number
  }

  /// A chain, or a star, of the first sources.
  private mutating func addSyncs() {
    let members = sources
    for member in members.dropFirst() {
      let other = members[roll(member)]
      ways.append(Way(up: member, down: other, form: .sync))
      ways.append(Way(up: other, down: member, form: .sync))
    }
    for member in members { origins[member] = [members[0]] }
  }

  private static let single: [Kind] = [
    .map, .filter, .filter, .distinct, .skip, .deliver, .delay, .debounce, .throttleFirst,
    .throttleLatest, .call,
    .never,
  ]
  private static let several: [Kind] = [
    .merge, .zip, .combine, .combineWithEmpty, .combineWithEvents,
  ]

  private mutating func addPiece() {
    let up = node()
    switch roll(8) {
    case 0...3:
      let kind =
        isBelowJoin[up] ? [.map, .never][roll(2)] : Self.single.randomElement(using: &random)!
      add(Piece(kind: kind, ups: [up], number: 1 + roll(3)))
    case 4, 5: addJoin(up)
    case 6: add(Piece(kind: .source))
    default:
      let down = add(Piece(kind: .source))
      link(up, down, from: 0)
    }
  }

  private mutating func addJoin(_ up: Int) {
    let other = node(), kind = Self.several.randomElement(using: &random)!
    switch kind {
    case .combineWithEmpty: add(Piece(kind: kind, ups: [up]))
    case .combineWithEvents:
      add(Piece(kind: .events))
      add(Piece(kind: kind, ups: [up, pieces.count - 1]))
    case .combine:
      if other != up, hasValue(up), hasValue(other) { add(Piece(kind: kind, ups: [up, other])) }
    default:
      if !origins[up].isDisjoint(with: origins[other]) { return }
      if kind == .zip, isBelowJoin[up] || isBelowJoin[other] { return }
      add(Piece(kind: kind, ups: [up, other]))
    }
  }

  /// From the beginning.
  private func hasValue(_ node: Int) -> Bool {
    switch pieces[node].kind {
    case .source: true
    case .map, .filter, .distinct, .merge, .zip, .combine, .throttleFirst, .throttleLatest:
      pieces[node].ups.allSatisfy(hasValue)
    default: false
    }
  }

  /// Events are kept nowhere, so they lead into that one join alone.
  private mutating func node() -> Int {
    while true {
      let node = roll(pieces.count)
      if pieces[node].kind != .events { return node }
    }
  }

  private mutating func link(_ up: Int, _ down: Int, from phase: Int) {
    ways.append(Way(up: up, down: down, form: .link, made: phase))
    for node in nodes(below: down) { origins[node].formUnion(origins[up]) }
    if isBelowJoin[up] { for node in nodes(below: down) { isBelowJoin[node] = true } }
  }

  /// Over whatever there ever is.
  func nodes(below start: Int) -> Set<Int> {
    var found: Set<Int> = [start], waiting = [start]
    while let node = waiting.popLast() {
      for way in ways where way.up == node && found.insert(way.down).inserted {
        waiting.append(way.down)
      }
    }
    return found
  }

  func isBelowZip(_ node: Int) -> Bool {
    pieces.indices.contains { pieces[$0].kind == .zip && nodes(below: $0).contains(node) }
  }

  private mutating func addCutter() {
    let source = add(Piece(kind: .source)), down = add(Piece(kind: .source))
    link(source, down, from: 0)
    cutter = (ways.count - 1, 1 + roll(4))
    for _ in 0..<roll(3) {
      add(Piece(kind: Self.single.randomElement(using: &random)!, ups: [down], number: 2))
    }
  }

  private mutating func addReaction() {
    let from = node()
    let targets = sources.filter { !nodes(below: $0).contains(from) }
    if let to = targets.randomElement(using: &random) { reactions.append((from, to)) }
  }

  // MARK: - Phases

  private mutating func addPhase(_ number: Int) {
    var phase = Phase()
    if number > 0, cutter == nil { change(&phase, number) }
    let threads = 1 + roll(4)
    phase.threads = (0..<threads).map { _ in (0..<1 + roll(5)).map { _ in call() } }
    phase.advanceMeanwhile = roll(2) * roll(20)
    phase.advance = roll(3) * roll(20)
    phases.append(phase)
  }

  private mutating func call() -> Call {
    if roll(5) > 0 {
      return .set(settable.randomElement(using: &random)!, id: newId(), number: roll(12))
    }
    let nodes = settable.shuffled(using: &random).prefix(1 + roll(3))
    return .batch(nodes.map { ($0, newId(), roll(12)) })
  }

  private mutating func change(_ phase: inout Phase, _ number: Int) {
    for _ in 0..<roll(3) {
      let living = ways.indices.filter { ways[$0].cut == .max && ways[$0].form != .sync }
      guard let place = living.randomElement(using: &random), roll(3) > 0 else { continue }
      ways[place].cut = number
      phase.cuts.append(place)
    }
    // What a new link pushes is no set's, so it must not come into a zip, which would tell it with others.
    let free = sources.filter { source in
      !ways.contains { $0.down == source }
        && !nodes(below: source).contains { pieces[$0].kind == .zip }
    }
    guard let down = free.randomElement(using: &random), roll(2) == 0 else { return }
    let up = node(), below = nodes(below: down)
    if below.contains(up) || isBelowJoin[up] || isBelowZip(up) { return }
    let isSafe =
      below.allSatisfy { pieces[$0].ups.count < 2 } && origins[up].isDisjoint(with: origins[down])
    if !isSafe { return }
    link(up, down, from: number)
    phase.links.append(ways.count - 1)
  }
}

// MARK: - As text

extension Net {
  /// For whoever looks into a failure.
  var source: String {
    var lines = pieces.enumerated().map { "\($0): \($1.kind.rawValue) \($1.number) of \($1.ups)" }
    for way in ways where way.form != .operation || way.cut != .max {
      lines.append(
        "\(way.form) \(way.up) → \(way.down), made \(way.made)"
          + (way.cut == .max ? "" : ", cut \(way.cut)"))
    }
    if let cutter {
      lines.append("cutter: \(ways[cutter.way].up) → \(ways[cutter.way].down) at \(cutter.hearing)")
    }
    lines.append("reactions \(reactions), gate \(gate.map { "\($0)" } ?? "none")")
    for (number, phase) in phases.enumerated() {
      lines.append("phase \(number), +\(phase.advanceMeanwhile) +\(phase.advance) ms")
      lines += phase.threads.map { "  \($0)" }
    }
    return lines.joined(separator: "\n")
  }
}
