import EasyReact

/// What a marble test told is not what was expected: shows all lines, aligned.
///
///     // other marbles than expected, at MyTests/SearchTests.swift:12
///     //   input     ab-c--------
///     //   expected  -----c------
///     //   told      ------c-----
///     //                  ^^
public struct MarbleMismatch: Error, Sendable, CustomStringConvertible {
  /// Where `expect` was called.
  public let file: String
  public let line: Int
  /// The lines, without the place.
  public let difference: String

  public var description: String {
    "other marbles than expected, at \(file):\(line)\n\(difference)"
  }
}

extension MarbleTest {
  /// A node and what it should tell, for ``expect(_:file:line:)-(_,_,_)``.
  public struct Line: Sendable {
    let watch: @Sendable (MarbleTest) throws(MarbleError) -> Void

    /// Values that can be read from their descriptions are read and compared by `==`.
    public static func line<Value: LosslessStringConvertible & Equatable & Sendable>(
      _ node: Node<Value>, _ marbles: String, named name: String? = nil
    ) -> Line {
      Line { (test) throws(MarbleError) in try test.watch(node, marbles, .own, name) }
    }

    /// Values by a table, compared by `==`.
    public static func line<Value: Equatable & Sendable>(
      _ node: Node<Value>, _ marbles: String, values: [String: Value], named name: String? = nil
    ) -> Line {
      Line { (test) throws(MarbleError) in try test.watch(node, marbles, .table(values), name) }
    }

    /// Values of any type, compared by what is shown of them: `'(1, 2)'` for a tuple.
    public static func line<Value: Sendable>(
      _ node: Node<Value>, _ marbles: String, named name: String? = nil,
      show: @escaping @Sendable (Value) -> String = { marbleText(of: $0) }
    ) -> Line {
      Line { (test) throws(MarbleError) in try test.watch(node, marbles, .shown(by: show), name) }
    }
  }

  /// Lets the time pass, and throws unless the node told what the line says.
  ///
  /// The values are read from the line and compared by `==`. A `!` in it ends the listening there.
  /// - Throws: A ``MarbleMismatch``, or a ``MarbleError`` if the line cannot be read.
  public func expect<Value: LosslessStringConvertible & Equatable & Sendable>(
    _ node: Node<Value>, _ marbles: String, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    try expect([.line(node, marbles)], file: file, line: line)
  }

  /// The same with values by a table: `try test.expect(users, "a-b", values: ["a": ada, "b":
  /// grace])`.
  public func expect<Value: Equatable & Sendable>(
    _ node: Node<Value>, _ marbles: String, values: [String: Value],
    file: StaticString = #fileID, line: UInt = #line
  ) throws {
    try expect([.line(node, marbles, values: values)], file: file, line: line)
  }

  /// The same for values of any type, compared by what is shown of them.
  ///
  ///     try test.expect(a.combine(b), "--'(1, 2)'-")
  public func expect<Value: Sendable>(
    _ node: Node<Value>, _ marbles: String, file: StaticString = #fileID, line: UInt = #line,
    show: @escaping @Sendable (Value) -> String = { marbleText(of: $0) }
  ) throws {
    try expect([.line(node, marbles, show: show)], file: file, line: line)
  }

  /// Lets the time pass, and throws unless each node told what its line says.
  ///
  ///     let signs = number.if { $0 > 0 }
  ///     try test.expect([.line(signs.thenNode, "-1--2"), .line(signs.elseNode, "0--0-")])
  public func expect(
    _ lines: [Line], file: StaticString = #fileID, line: UInt = #line
  ) throws {
    for line in lines { try line.watch(self) }
    run()
    if let difference {
      throw MarbleMismatch(file: "\(file)", line: Int(line), difference: difference)
    }
  }

  /// All lines, one below the other, with marks where they differ; nil: they do not.
  var difference: String? {
    let rows = rows
    var lines: [(name: String, marbles: Marbles, marks: Set<Int>)] = []
    var notes: [String] = []
    for row in rows {
      guard case .expected(let expected) = row.kind else {
        lines.append((row.name, row.marbles(), []))
        continue
      }
      let told = row.marbles()
      let strays = row.strays()
      let count = max(expected.steps.count, told.steps.count)
      let differing = (0..<count).filter { step in expected.marks(in: step) != told.marks(in: step)
      }
      let isRight = differing.isEmpty && strays.isEmpty
      let name = row.name.isEmpty ? "" : row.name + " "
      lines.append((name + "expected", expected, []))
      lines.append((name + "told", told, isRight ? [] : Set(differing)))
      notes += strays.map { name + $0 }
    }
    if notes.isEmpty, lines.allSatisfy(\.marks.isEmpty) { return nil }
    return show(lines) + notes.map { "\n  \($0): a step must divide every interval" }.joined()
  }

  private func show(_ lines: [(name: String, marbles: Marbles, marks: Set<Int>)]) -> String {
    let (texts, widths) = aligned(lines.map(\.marbles))
    var rows: [[String]] = []
    for (line, text) in zip(lines, texts) {
      rows.append(["  " + line.name, text])
      if line.marks.isEmpty { continue }
      let marks = widths.enumerated().map { step, width in
        padded(line.marks.contains(step) ? "^" : "", to: width)
      }
      rows.append(["", marks.joined()])
    }
    return inColumns(rows).joined(separator: "\n")
  }
}

extension Marbles {
  fileprivate func marks(in step: Int) -> [Mark] { step < steps.count ? steps[step] : [] }
}
