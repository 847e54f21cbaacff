/// All operators that can be drawn.
public enum Catalogue {
  /// By topic, in the order of the contract's section 10.
  public static let topics: [(title: String, entries: [Entry])] = [
    ("One value at a time", mapping),
    ("Which values pass", filtering + gating),
    ("What was before", accumulating + counting),
    ("Time and queues", timing + limiting),
    ("Nodes of nodes", flattening + following),
    ("Async functions", calling),
    ("Branches", branching + grouping),
    ("Several nodes", joining + sampling),
    ("Failures", results),
    ("Events and weak values", telling),
    ("Links", linking),
  ]

  public static var entries: [Entry] { topics.flatMap(\.entries) }

  /// - Throws: An ``InputError`` that names near ones.
  public static func entry(named name: String) throws -> Entry {
    if let entry = entries.first(where: { $0.name == name }) { return entry }
    let relatives = entries.filter { entry in
      ([entry.name] + entry.relatives).contains { $0.lowercased() == name.lowercased() }
    }.map(\.name)
    if !relatives.isEmpty {
      throw InputError("'\(name)' is called \(relatives.joined(separator: " or ")) here.")
    }
    let near = suggestions(for: name)
    let hint =
      near.isEmpty
      ? "'easyreact marbles' lists all." : "Did you mean \(near.joined(separator: ", "))?"
    throw InputError("there is no operator '\(name)'. \(hint)")
  }

  /// The names that are most like this one, best first.
  static func suggestions(for name: String) -> [String] {
    let wanted = name.lowercased()
    func distance(_ entry: Entry) -> Int {
      ([entry.name] + entry.relatives).map { candidate in
        let candidate = candidate.lowercased()
        if wanted.count > 2, candidate.contains(wanted) || wanted.contains(candidate) { return 1 }
        return editDistance(candidate, wanted)
      }.min()!
    }
    let limit = max(2, name.count / 3)
    return entries.map { ($0.name, distance($0)) }.filter { $0.1 <= limit }
      .sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(4).map(\.0)
  }
}

/// How many letters must be changed, put in, taken out or swapped with their neighbour: the optimal
/// string alignment distance.
func editDistance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a), Array(b))
  var rows = [Array(0...b.count)]
  for i in 0..<a.count {
    var row = [i + 1]
    for j in 0..<b.count {
      let replaced = rows[i][j] + (a[i] == b[j] ? 0 : 1)
      var best = min(replaced, rows[i][j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        best = min(best, rows[i - 1][j - 1] + 1)
      }
      row.append(best)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}
