import Testing

/// Looks at every interleaving of a few threads: depth first, each state once.
struct Explorer {
  /// What the threads do, and the graph that they do it to.
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// For each node the node that it is derived from, whose region it lies in.
    let derivedFrom: [Int?]
    /// For a node the one that an edge leads to, in another region.
    var edges: [Int: Int] = [:]
    /// Threads, turns, calls.
    let threads: [[[Call]]]
    var messageBound = 1_000
    var messageComfort = 1_000
  }

  enum Call: Sendable {
    /// `cut`: of the edge that leads away from the node.
    case set(Int), split(Int), attach(Int), cut(Int), end(Int)
  }

  private(set) var states = 0
  private(set) var ends = 0
  private(set) var violation: String?

  init(_ scenario: Scenario, breaking mutant: Rules = []) {
    var rules = mutant
    rules.messageBound = scenario.messageBound
    rules.messageComfort = scenario.messageComfort
    let programs = Self.programs(scenario)
    do {
      try explore(Self.start(scenario, programs), programs, rules)
    } catch {
      violation = "\(error)"
    }
  }

  /// Numbers the sets of each thread for each node, and the listeners of each node.
  private static func programs(_ scenario: Scenario) -> [[[ProtocolModel.Message]]] {
    var listeners: [Int: Int] = [:]
    return scenario.threads.enumerated().map { sender, turns in
      var sets: [Int: Int] = [:]
      return turns.map { calls in
        calls.map { call in
          switch call {
          case .set(let node):
            sets[node, default: 0] += 1
            return .init(kind: .set, node: node, sender: sender, number: sets[node]!)
          case .cut(let node): return .init(kind: .cut, node: node, sender: sender)
          case .split(let node): return .init(kind: .split, node: node)
          case .end(let node): return .init(kind: .end, node: node)
          case .attach(let node):
            listeners[node, default: 0] += 1
            return .init(kind: .attach, node: node, number: listeners[node]!)
          }
        }
      }
    }
  }

  private static func start(
    _ scenario: Scenario, _ programs: [[[ProtocolModel.Message]]]
  ) -> ProtocolModel {
    var regionOf: [Int] = []
    var regions: [ProtocolModel.Region] = []
    for upstream in scenario.derivedFrom {
      if upstream == nil { regions.append(.init()) }
      regionOf.append(upstream.map { regionOf[$0] } ?? regions.count - 1)
    }
    let nodes = regionOf.indices.map { node in
      ProtocolModel.Node(
        region: regionOf[node], derived: scenario.derivedFrom.firstIndex { $0 == node },
        next: scenario.edges[node])
    }
    var threads = programs.map { ProtocolModel.Thread(program: $0) }
    threads.append(ProtocolModel.Thread(program: [], step: .isDone))
    let hasListeners = programs.joined().joined().contains { $0.kind == .attach }
    return ProtocolModel(
      regions: regions, nodes: nodes, threads: threads, hasListeners: hasListeners)
  }

  /// Safety in each state; and from each state an end can be reached, so nothing is stuck for ever.
  private mutating func explore(
    _ start: ProtocolModel, _ programs: [[[ProtocolModel.Message]]], _ rules: Rules
  ) throws {
    var numbers: [ProtocolModel: Int] = [start: 0]
    var before: [[Int]] = [[]]
    var todo = [start]
    var endNumbers: [Int] = []
    while let state = todo.popLast() {
      try state.check()
      let number = numbers[state]!
      var isStuck = true
      for thread in state.threads.indices {
        guard let next = try state.after(thread, rules) else { continue }
        isStuck = false
        if let known = numbers[next] {
          before[known].append(number)
          continue
        }
        numbers[next] = before.count
        before.append([number])
        todo.append(next)
      }
      if !isStuck { continue }
      if !state.isAtEnd { throw ProtocolModel.Violation(description: "no thread can go on") }
      try state.checkEnd(programs)
      endNumbers.append(number)
    }
    states = before.count
    ends = endNumbers.count
    if reaching(endNumbers, before) != states {
      throw ProtocolModel.Violation(description: "from some state no end is reached")
    }
  }

  private func reaching(_ ends: [Int], _ before: [[Int]]) -> Int {
    var isSeen = Array(repeating: false, count: before.count)
    var todo = ends, count = 0
    for end in ends { isSeen[end] = true }
    while let number = todo.popLast() {
      count += 1
      for earlier in before[number] where !isSeen[earlier] {
        isSeen[earlier] = true
        todo.append(earlier)
      }
    }
    return count
  }
}
