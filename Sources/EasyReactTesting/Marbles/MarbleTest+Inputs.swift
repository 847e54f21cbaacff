import EasyReact

// The lines that go in: nodes that are set, and what is cancelled.

// MARK: - Nodes of the test's own

extension MarbleTest {
  /// Returns a node of texts that is set as the line says.
  /// - Parameter name: Of the node, and of the line in messages.
  public func node(
    _ marbles: String, named name: String? = nil, file: StaticString = #fileID,
    line: UInt = #line
  ) throws(MarbleError) -> MutableNode<String> {
    try made(marbles, .own, name, file, line)
  }

  /// The same for any type that can be read from its description: `test.node("1-2", as: Int.self)`.
  public func node<Value: LosslessStringConvertible & Equatable & Sendable>(
    _ marbles: String, as type: Value.Type = Value.self, named name: String? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) throws(MarbleError) -> MutableNode<Value> {
    try made(marbles, .own, name, file, line)
  }

  /// The same with values by a table: `test.node("a-b", values: ["a": ada, "b": grace])`.
  public func node<Value: Sendable>(
    _ marbles: String, values: [String: Value], named name: String? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) throws(MarbleError) -> MutableNode<Value> {
    try made(marbles, .entry(of: values), name, file, line)
  }

  private func made<Value: Sendable>(
    _ marbles: String, _ reading: MarbleReading<Value>, _ name: String?, _ file: StaticString,
    _ line: UInt
  ) throws(MarbleError) -> MutableNode<Value> {
    let node = MutableNode<Value>(file: file, line: line)
    node.name = name
    try input(node, marbles, reading, name)
    return node
  }
}

// MARK: - Nodes that are there already

extension MarbleTest {
  /// Sets a node of the code that is tested as the line says: `try test.set(box.text, "-ab---c")`.
  ///
  ///     let taps = MutableNode<String>.eventNode()
  ///     try test.set(taps, "a--b")
  ///     try test.expect(taps.held(), "a--b")
  ///
  /// The first column is set at once, so the node holds it when it is watched; for an event node,
  /// which holds nothing, it is told when the time begins.
  /// - Parameter name: Of the line in messages; else the node's name.
  public func set<Value: LosslessStringConvertible & Equatable & Sendable>(
    _ node: MutableNode<Value>, _ marbles: String, named name: String? = nil
  ) throws(MarbleError) {
    try input(node, marbles, .own, name)
  }

  /// The same with values by a table: `test.set(taps, "--x-", values: ["x": ()])`.
  public func set<Value: Sendable>(
    _ node: MutableNode<Value>, _ marbles: String, values: [String: Value],
    named name: String? = nil
  ) throws(MarbleError) {
    try input(node, marbles, .entry(of: values), name)
  }

  private func input<Value: Sendable>(
    _ node: MutableNode<Value>, _ marbles: String, _ reading: MarbleReading<Value>,
    _ name: String?
  ) throws(MarbleError) {
    let parsed = try parseMarbles(marbles)
    let values = try reading.read(parsed)
    for (step, marks) in parsed.marbles.steps.enumerated() {
      for (place, mark) in marks.enumerated() {
        if let mistake = mistake(mark, node) {
          throw parsed.error(mistake, step: step, mark: place)
        }
      }
    }
    var actions: [Action] = []
    for (step, values) in values.enumerated() {
      for (place, value) in values.enumerated() {
        if step == 0, place == 0, let value, !node.isEventNode {
          node.value = value
        } else {
          // To assign nil to the value of a node of optionals would store it.
          actions.append(
            Action(step: step, place: .input) {
              if let value { node.value = value } else { node.clean() }
            })
        }
      }
    }
    add(Row(name: name ?? node.name ?? "input", kind: .input, marbles: { parsed.marbles }), actions)
  }

  private func mistake<Value>(_ mark: Marbles.Mark, _ node: MutableNode<Value>) -> String? {
    switch mark {
    case .value: nil
    case .emptied:
      node.isEventNode ? "an event node has no ~: it holds nothing that could be emptied" : nil
    case .cancelled: "an input has no !: it ends a listening or, with cancel(_:_:), something else"
    }
  }
}

// MARK: - Ends

extension MarbleTest {
  /// Cancels `cancelable` where the line has a `!`, before anything else of that instant: a link, a sync, a listening.
  ///
  ///     let sync = a.sync(with: b)
  ///     try test.cancel(sync, "-----!")
  public func cancel(
    _ cancelable: any Cancelable, _ marbles: String, named name: String? = nil
  ) throws(MarbleError) {
    let parsed = try parseMarbles(marbles)
    var actions: [Action] = []
    for (step, marks) in parsed.marbles.steps.enumerated() where !marks.isEmpty {
      for (place, mark) in marks.enumerated() where mark != .cancelled {
        throw parsed.error("a line of cancel has only - and !", step: step, mark: place)
      }
      actions.append(Action(step: step, place: .cancelling) { cancelable.cancel() })
    }
    add(Row(name: name ?? "cancel", kind: .input, marbles: { parsed.marbles }), actions)
  }
}
