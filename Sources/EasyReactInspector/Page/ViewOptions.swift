import EasyReactInspection

/// What of the graph a page wants to see, and how: the query of `api/graph`.
struct ViewOptions: Hashable, Sendable {
  /// `auto`: by file, or by name where nearly all nodes are made in one file. `line`: where the node was made. `part`: what
  /// hangs together. `owner`: whom it lives for.
  enum Grouping: String, Sendable, CaseIterable {
    case auto, none, file, line, name, type, kind, part, owner
  }
  /// Which groups are folded unless they are in `toggled`.
  enum Folding: String, Sendable { case auto, all, none }
  enum Direction: String, Sendable { case up, down, both }

  var grouping = Grouping.file
  var folding = Folding.auto
  /// The groups, by key, that are not as `folding` says.
  var toggled: Set<String> = []
  /// The node whose surroundings are shown alone.
  var focus: UInt64?
  var direction = Direction.both
  /// Up to this many edges away from the focus; nil: all.
  var depth: Int?
  /// With a focus: only what lies on a way from that to this.
  var target: UInt64?
  /// The graph as it was after this event; nil: now.
  var moment: UInt64?
  /// Draw it anew, and let nothing stay where it was for the sake of it.
  var isAnew = false

  init() {}

  init(_ query: [String: String]) throws(Refusal) {
    grouping = try Self.read(query, "group", .file)
    folding = try Self.read(query, "fold", .auto)
    direction = try Self.read(query, "direction", .both)
    toggled = Set((query["toggled"] ?? "").split(separator: "\u{1F}").map(String.init))
    focus = try query.number("focus")
    depth = try query.number("depth").map(Int.init(clamping:))
    target = try query.number("target")
    moment = try query.number("at")
    isAnew = query["anew"] == "1"
  }

  private static func read<Choice: RawRepresentable<String>>(
    _ query: [String: String], _ name: String, _ usual: Choice
  ) throws(Refusal) -> Choice {
    guard let text = query[name] else { return usual }
    guard let choice = Choice(rawValue: text) else {
      throw .unusable("\(name) cannot be “\(text.prefix(40))”.")
    }
    return choice
  }
}

extension [String: String] {
  /// A number of the query; nil where it is not given.
  func number(_ name: String) throws(Refusal) -> UInt64? {
    guard let text = self[name], !text.isEmpty else { return nil }
    guard let number = UInt64(text) else {
      throw .unusable("\(name) is a number, not “\(text.prefix(40))”.")
    }
    return number
  }

  /// A number of the query that must be given.
  func neededNumber(_ name: String) throws(Refusal) -> UInt64 {
    guard let number = try number(name) else { throw .unusable("\(name) is missing: a number.") }
    return number
  }
}
