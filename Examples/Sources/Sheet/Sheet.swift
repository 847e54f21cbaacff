import EasyReact

/// 200 cells; each is a node that follows the cells which its formula reads at present.
final class Sheet: Sendable {
  private struct Cell: Sendable {
    let formula: MutableNode<Formula>, value: MutableNode<Value>
  }
  private let cells: [Cell]
  private let edits = MutableNode<[(place: Place, before: Formula)]>([])
  private let bag = CancelableBag()

  /// - Parameter changed: Hears each cell that shows something else than before, once a change.
  init(changed: @escaping @Sendable (Place, Value) -> Void) {
    cells = Place.all.map { place in
      Cell(
        formula: MutableNode(Formula()).named("\(place)'s formula"),
        value: MutableNode(Value.empty).named("\(place)"))
    }
    let stuck = Node.combine(cells.map(\.formula)).map(Sheet.stuck).named("cycles")
    for place in Place.all {
      let isStuck = stuck.map { $0.contains(place) }.distinctUntilChanged()
      let value = self[place].formula.combine(isStuck)
        .flattenMap { [unowned self] formula, isStuck in
          isStuck ? Node(.error("#CYCLE")) : node(of: formula)
        }
      self[place].value.link(to: value)
      self[place].value.distinctUntilChanged().skip(1).listen { changed(place, $0) }.store(in: bag)
    }
  }

  private subscript(place: Place) -> Cell { cells[place.index] }

  private func node(of formula: Formula) -> Node<Value> {
    var inputs: [Place: Node<Value>] = [:]
    for place in formula.inputs { inputs[place] = self[place].value }
    return Node.combine(inputs).map { formula.value($0) }
  }

  /// The cells on a cycle, and those that read them: what is left when all that can be computed is taken away.
  private static func stuck(_ formulas: [Formula]) -> Set<Place> {
    let inputs = formulas.map(\.inputs)
    var left = Set(Place.all)
    while true {
      let ready = left.filter { inputs[$0.index].isDisjoint(with: left) }
      if ready.isEmpty { return left }
      left.subtract(ready)
    }
  }
}

// MARK: - Commands

extension Sheet {
  func set(_ place: Place, to formula: Formula) {
    let before = self[place].formula.current
    edits.update { $0.append((place, before)) }
    self[place].formula.value = formula
  }

  /// Takes the last `set` back; false if there is none.
  func undo() -> Bool {
    guard let last = edits.current.last else { return false }
    edits.update { $0.removeLast() }
    self[last.place].formula.value = last.before
    return true
  }

  func value(_ place: Place) -> Value { self[place].value.current }

  var used: [Place] { Place.all.filter { value($0) != .empty } }

  /// What the node of a cell follows, and what follows it, as the graph itself has it.
  func neighbours(of place: Place) -> (upstream: [String], downstream: [String]) {
    let node = self[place].value
    return (Sheet.names(node, \.upstreamNodes), Sheet.names(node, \.downstreamNodes))
  }

  /// The nearest nodes with a name, through those without.
  private static func names(_ node: AnyNode, _ next: KeyPath<AnyNode, [AnyNode]>) -> [String] {
    let found = node[keyPath: next].flatMap { node in node.name.map { [$0] } ?? names(node, next) }
    return Set(found).sorted()
  }
}
