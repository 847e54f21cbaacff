extension RecordingLayout {
  /// What is wrong with a cell: which one, from 0, and what was expected there.
  struct CellProblem: Error, Equatable {
    var column: Int
    var reason: String
  }

  // MARK: - The heading

  /// The layout that a heading describes.
  init(heading: [String]) throws(CellProblem) {
    var blocks: [Block] = []
    var next = 2
    while next < heading.count, heading[next] != Self.appearedLater {
      guard let block = Block(firstColumn: heading[next]) else {
        throw CellProblem(
          column: next,
          reason: "expected the first counter of a device, such as 'core.cpu0.userTicks', "
            + "or '\(Self.appearedLater)', and found \(quoted(heading[next]))")
      }
      if blocks.contains(block) {
        throw CellProblem(column: next, reason: "\(quoted(block.name)) has columns already")
      }
      blocks.append(block)
      next += block.group.fields.count
    }
    self.init(blocks: blocks)
    // What the heading must be follows from the devices; the first difference is the mistake.
    for (column, expected) in columns.enumerated() {
      guard column < heading.count else {
        throw CellProblem(column: column, reason: "expected '\(expected)', but the heading ends")
      }
      if heading[column] != expected {
        throw CellProblem(
          column: column, reason: "expected '\(expected)' and found \(quoted(heading[column]))")
      }
    }
    if heading.count > columns.count {
      throw CellProblem(
        column: columns.count,
        reason: "expected no column after '\(Self.appearedLater)' "
          + "and found \(quoted(heading[columns.count]))")
    }
  }

  // MARK: - A row

  /// The sample that a row of cells holds.
  func sample(from cells: [String]) throws(CellProblem) -> Sample {
    guard cells.count >= columns.count else {
      throw CellProblem(
        column: cells.count,
        reason: "expected a value, but the row ends after \(cells.count) "
          + "of \(columns.count) columns")
    }
    guard cells.count == columns.count else {
      throw CellProblem(
        column: columns.count,
        reason: "expected the row to end after \(columns.count) columns, found \(cells.count)")
    }
    let time = try number(cells[0], column: 0)
    guard let time = Int64(exactly: time) else {
      throw CellProblem(column: 0, reason: "expected a time below 2^63 microseconds")
    }
    var sample = Sample(
      time: .microseconds(time), unixMilliseconds: try number(cells[1], column: 1))
    var next = 2
    for block in blocks {
      let end = next + block.group.fields.count
      if let values = try numbers(cells[next..<end]) {
        block.group.add(values, of: block.device, to: &sample)
      }
      next = end
    }
    try addLatecomers(cells[next], column: next, to: &sample)
    return sample
  }

  /// The counters of one device, or `nil` if all its cells are empty.
  private func numbers(_ cells: ArraySlice<String>) throws(CellProblem) -> [UInt64]? {
    if cells.allSatisfy(\.isEmpty) { return nil }
    var values: [UInt64] = []
    for (column, cell) in zip(cells.indices, cells) {
      values.append(try number(cell, column: column))
    }
    return values
  }

  private func number(_ cell: some StringProtocol, column: Int) throws(CellProblem) -> UInt64 {
    guard let value = UInt64(cell) else {
      let found = cell.isEmpty ? "nothing" : quoted(cell)
      throw CellProblem(column: column, reason: "expected a whole number and found \(found)")
    }
    return value
  }

  private func addLatecomers(
    _ cell: String, column: Int, to sample: inout Sample
  ) throws(CellProblem) {
    for packed in cell.split(separator: " ") {
      guard let equals = packed.lastIndex(of: "="), let block = Block(name: packed[..<equals])
      else {
        throw CellProblem(
          column: column,
          reason: "expected devices such as 'interface.usb0=12/34' and found \(quoted(packed))")
      }
      var values: [UInt64] = []
      for value in packed[packed.index(after: equals)...].split(separator: "/") {
        values.append(try number(value, column: column))
      }
      guard values.count == block.group.fields.count else {
        throw CellProblem(
          column: column,
          reason: "expected \(block.group.fields.count) counters of \(quoted(block.name)), "
            + "found \(values.count)")
      }
      block.group.add(values, of: block.device, to: &sample)
    }
  }
}

extension RecordingLayout.Block {
  /// The device of a name such as `core.cpu0`. A device's own name may contain dots.
  init?(name: some StringProtocol) {
    let dot = name.firstIndex(of: ".") ?? name.endIndex
    guard let group = CounterGroup(rawValue: String(name[..<dot])) else { return nil }
    let device = String(name[dot...].dropFirst())
    guard !device.isEmpty || group.fixedDevices == [""] else { return nil }
    self.init(group: group, device: device)
  }

  /// The device whose columns begin with `column`.
  init?(firstColumn column: String) {
    guard let dot = column.lastIndex(of: ".") else { return nil }
    self.init(name: column[..<dot])
  }
}
