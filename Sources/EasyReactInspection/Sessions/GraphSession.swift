import Foundation

/// A recording as a file: what happened in a program's graphs, to be looked at without the program.
///
///     try GraphSession(program: "Shop", records: recorder.records).save(to: "monday.json")
///     let session = try GraphSession(contentsOf: "monday.json")
///     print(session.records.why(17))
///
/// One format, JSON in UTF-8 with a version: `Documentation/SessionFormat.md`. A file of a later version, of another
/// format, or one that is damaged is refused with a ``SessionError`` that says what is wrong and where. Values are in it
/// as their descriptions, so whoever gets the file sees them; values of private nodes are not.
public struct GraphSession: Hashable, Sendable {
  /// The version that this library writes, and the latest that it reads.
  public static let version = 1

  /// The program's name, for people.
  public var program: String
  /// When it was saved: seconds since 1970, UTC.
  public var saved: Double
  public var records: GraphRecords

  public init(program: String, saved: Double = Date().timeIntervalSince1970, records: GraphRecords)
  {
    self.program = program
    self.saved = saved
    self.records = records
  }
}

/// Why a file is no session that this library can open.
public struct SessionError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// It cannot be read, or written.
    case file
    /// It is no JSON, or no session.
    case otherFormat
    /// It is of a later version.
    case newer
    /// It lacks what is needed: events that were dropped, values that were cut or cannot be written.
    case incomplete
    /// It is a session, but what stands in it is of the wrong kind, is missing, or contradicts itself.
    case damaged
  }
  public let code: Code
  /// What, where, and the remedy.
  public let description: String
}

// MARK: - Files

extension GraphSession {
  private static let format = "easyreact-session"

  private struct Head: Codable {
    var format: String
    var version: Int
  }

  private struct Contents: Codable {
    var format: String
    var version: Int
    var program: String
    var savedSecondsSince1970: Double
    var records: GraphRecords
  }

  /// The session as it stands in a file. The same session gives the same bytes.
  public func data() throws(SessionError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(
        Contents(
          format: Self.format, version: Self.version, program: program,
          savedSecondsSince1970: saved,
          records: records))
    } catch {
      throw SessionError(code: .damaged, description: "The session cannot be written: \(error)")
    }
  }

  /// Reads what ``data()`` has made.
  public init(data: Data) throws(SessionError) {
    let head: Head
    do { head = try JSONDecoder().decode(Head.self, from: data) } catch {
      throw SessionError(
        code: .otherFormat,
        description: "This is no session of EasyReact: \(Self.words(for: error)) "
          + "A session is saved by the page's “Save session”, or by GraphSession.save(to:).")
    }
    guard head.format == Self.format else {
      throw SessionError(
        code: .otherFormat,
        description:
          "This is no session of EasyReact: its format is “\(head.format.prefix(60))”, not “\(Self.format)”."
      )
    }
    guard (1...Self.version).contains(head.version) else {
      throw SessionError(
        code: .newer,
        description:
          "This session has version \(head.version); this library reads up to \(Self.version). "
          + "Open it with a later EasyReact.")
    }
    let contents: Contents
    do { contents = try JSONDecoder().decode(Contents.self, from: data) } catch {
      throw SessionError(
        code: .damaged,
        description:
          "The session is damaged: \(Self.words(for: error)) Save it again, or take an earlier copy."
      )
    }
    try Self.check(contents.records)
    self.init(
      program: contents.program, saved: contents.savedSecondsSince1970, records: contents.records)
  }

  /// Writes the session, in place of what is there.
  public func save(to path: String) throws(SessionError) {
    let data = try data()
    do { try data.write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
      throw SessionError(
        code: .file, description: "\(path) cannot be written: \(error.localizedDescription)")
    }
  }

  /// Opens the session at `path`.
  public init(contentsOf path: String) throws(SessionError) {
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw SessionError(
        code: .file, description: "\(path) cannot be read: \(error.localizedDescription)")
    }
    do { try self.init(data: data) } catch {
      throw SessionError(code: error.code, description: "\(path): \(error.description)")
    }
  }

  /// What everything else relies on: ids and sequences grow, and counts can be added up.
  private static func check(_ records: GraphRecords) throws(SessionError) {
    try checkOrder(records)
    guard let first = records.events.first, first.sequence == 0 else {
      return try checkCounts(records.nodes)
    }
    throw SessionError(
      code: .damaged,
      description: "The session is damaged: records.events[0] has the number 0; they begin with 1.")
  }

  private static func checkOrder(_ records: GraphRecords) throws(SessionError) {
    func checkOrder(_ ids: [UInt64], _ what: String) throws(SessionError) {
      guard
        let place = zip(ids, ids.dropFirst()).enumerated().first(where: { $1.0 >= $1.1 })?.offset
      else { return }
      throw SessionError(
        code: .damaged,
        description:
          "The session is damaged: records.\(what)[\(place + 1)] comes after \(ids[place]), "
          + "but is \(ids[place + 1]); they must grow.")
    }
    try checkOrder(records.nodes.map(\.id), "nodes")
    try checkOrder(records.edges.map(\.id), "edges")
    try checkOrder(records.events.map(\.sequence), "events")
  }

  /// Nothing counts more than this in a year, nor is more a whole number for everybody who reads JSON.
  private static let mostCounted: UInt64 = 1 << 53

  private static func checkCounts(_ nodes: [NodeRecord]) throws(SessionError) {
    let counts: [(String, (NodeCounts) -> UInt64)] = [
      ("stored", \.stored), ("told", \.told), ("storedEqual", \.storedEqual),
      ("ranInVain", \.ranInVain),
    ]
    for (name, count) in counts {
      var room = mostCounted
      for (place, node) in nodes.enumerated() {
        guard count(node.counts) <= room else {
          throw SessionError(
            code: .damaged,
            description:
              "The session is damaged: up to records.nodes[\(place)] the counts “\(name)” are "
              + "more than \(mostCounted) together.")
        }
        room -= count(node.counts)
      }
    }
  }

  /// Where in the file, and what is wrong there.
  private static func words(for error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      let text = path.reduce("") { text, key in
        key.intValue.map { "\(text)[\($0)]" }
          ?? (text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)")
      }
      return text.isEmpty ? "the outermost level" : text
    }
    switch error as? DecodingError {
    case .keyNotFound(let key, let context):
      return "“\(key.stringValue)” is missing at \(place(context.codingPath))."
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return "\(place(context.codingPath)) is of the wrong kind: \(context.debugDescription)"
    case .dataCorrupted(let context):
      return context.codingPath.isEmpty
        ? "it is not JSON, or ends too early."
        : "\(place(context.codingPath)): \(context.debugDescription)"
    default: return "\(error)"
    }
  }
}
