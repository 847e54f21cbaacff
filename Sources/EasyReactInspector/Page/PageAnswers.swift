import EasyReact
import EasyReactInspection
import Foundation

/// Answers what a page asks, whatever serves it.
struct PageAnswers: Sendable {
  let source: any PageSource
  let allowsChanges: Bool
  /// Another number for every start: a page that finds another one begins anew.
  let run = UInt64.random(in: 1...(1 << 53))
  private let cache = DrawingCache()

  init(_ source: any PageSource, allowsChanges: Bool = false) {
    self.source = source
    self.allowsChanges = allowsChanges
  }

  /// - Parameter path: What comes after the token.
  func answer(_ request: Request, path: String) throws -> Reply {
    switch (request.method, path) {
    case (.get, "") where request.query.isEmpty: .file("page.html")
    case (.get, let name) where Reply.files[name] != nil: .file(name)
    case (.get, "api/hello"): try .json(hello)
    case (.get, "api/graph"): try .json(try picture(ViewOptions(request.query)))
    case (.get, "api/values"): try .json(try values(request.query))
    case (.get, "api/waves"): try .json(try waves(request.query))
    case (.get, "api/wave"): try .json(try wave(request.query))
    case (.get, "api/node"): try .json(try node(request.query))
    case (.get, "api/why"): try .json(try why(request.query))
    case (.get, "api/whynot"): try .json(try whyNot(request.query))
    case (.get, "api/search"):
      try .json(Found(request.query["text"] ?? "", in: source.records(after: .max)))
    case (.get, "api/counts"):
      try .json(try Ranking(by: request.query["by"] ?? "stored", in: source.records(after: .max)))
    case (.get, "api/lint"): try .json(source.lint)
    case (.get, "api/difference"): try .json(try difference(request.query))
    case (.get, "api/export"): try export(request.query["form"] ?? "")
    case (.post, "api/change"): try change(request.body)
    default: throw Refusal.notFound
    }
  }

  // MARK: - What there is

  struct Hello: Encodable {
    var title: String
    var run: UInt64
    var isLive: Bool
    var allowsChanges: Bool
    /// Seconds since 1970.
    var began: Double
  }

  var hello: Hello {
    Hello(
      title: source.title, run: run, isLive: source.isLive, allowsChanges: allowsChanges,
      began: source.records(after: .max).began)
  }

  private func picture(_ options: ViewOptions) -> Picture {
    let view = GraphView(source.records(after: .max), options)
    return Picture(view, cache.drawing(of: view.layoutGraph, for: options))
  }

  private func values(_ query: [String: String]) throws(Refusal) -> [String: ShownValue] {
    source.records.values(at: try query.number("at")).byName
  }

  struct Waves: Encodable {
    var waves: [WaveRow]
    var earlier: Int
  }

  /// The last ones before a sequence.
  private func waves(_ query: [String: String]) throws(Refusal) -> Waves {
    let before = try query.number("before") ?? .max
    let records = source.records
    let waves = records.waves.filter { ($0.events.first ?? 0) < before }
    let most = 200
    return Waves(
      waves: waves.suffix(most).compactMap { WaveRow($0, in: records) },
      earlier: max(0, waves.count - most))
  }

  private func wave(_ query: [String: String]) throws(Refusal) -> WaveAccount {
    let number = try query.neededNumber("number")
    let orNewest = query["else"] == "newest"
    guard let account = WaveAccount(number, orNewest: orNewest, in: source.records) else {
      throw .unusable("Wave \(number) is not among the records: it has been dropped, or never was.")
    }
    return account
  }

  private func node(_ query: [String: String]) throws(Refusal) -> NodeCard {
    let id = try query.neededNumber("id")
    guard let card = NodeCard(id, in: source.records, at: try query.number("at")) else {
      throw Self.unknown(id)
    }
    return card
  }

  private static func unknown(_ id: UInt64) -> Refusal {
    .unusable(
      "Node \(id) is not among the records: it is of another run, or went before they begin.")
  }

  // MARK: - Why

  struct Explained<Answer: Encodable>: Encodable {
    var answer: Answer
    var text: String
  }

  private func why(_ query: [String: String]) throws(Refusal) -> Explained<Why> {
    let (id, records) = (try query.neededNumber("node"), source.records)
    guard records.node(id) != nil else { throw Self.unknown(id) }
    let why = records.why(id, at: try query.number("at"))
    return Explained(answer: why, text: why.description)
  }

  /// Why not, and what a reader asks next: which upstream is it that has no value, and who has ceased to listen?
  struct WhyNotExplained: Encodable {
    struct Named: Encodable { var id: UInt64, label: String }
    var answer: WhyNot
    var text: String
    /// By the node that waits: its upstreams that are empty.
    var empty: [String: [Named]]
    var listeners: Int
    var formerListeners: [NodeCard.Neighbour]
  }

  private func whyNot(_ query: [String: String]) throws(Refusal) -> WhyNotExplained {
    let (id, records) = (try query.neededNumber("node"), source.records)
    guard records.node(id) != nil else { throw Self.unknown(id) }
    let whyNot = records.whyNot(id, since: try query.number("since"))
    let moment = try query.number("at")
    let waiting = Set(
      whyNot.answers.flatMap(\.ends).filter { $0.reason == .stopped(.waitsForAnotherUpstream) }.map(
        \.downstream))
    let values = records.values(at: moment)
    var empty: [String: [WhyNotExplained.Named]] = [:]
    for edge in records.edges
    where edge.cut == nil && edge.downstream.map(waiting.contains) ?? false {
      guard values[edge.upstream]?.form == .empty else { continue }
      empty["\(edge.downstream!)", default: []].append(
        .init(id: edge.upstream, label: records.label(of: edge.upstream)))
    }
    return WhyNotExplained(
      answer: whyNot, text: whyNot.description, empty: empty,
      listeners: records.edges.count { $0.upstream == id && $0.isListener && $0.cut == nil },
      formerListeners: NodeCard.formerListeners(of: id, in: records, at: moment))
  }

  private func difference(_ query: [String: String]) throws(Refusal) -> Difference {
    Difference(
      from: try query.neededNumber("from"), to: try query.neededNumber("to"), in: source.records)
  }

  // MARK: - Export

  private func export(_ form: String) throws -> Reply {
    let records = source.records
    let session = GraphSession(program: source.title, records: records)
    var reply: Reply
    switch form {
    case "dot": reply = .text(records.dot())
    case "mermaid": reply = .text(records.mermaid())
    case "json": reply = try .json(records)
    case "session":
      reply = .text(String(decoding: try session.data(), as: UTF8.self), "application/json")
    case "test":
      reply = .text(try SessionTest(session, name: "a session of \(source.title)").source())
    default:
      throw Refusal.unusable(
        "There is no form “\(form.prefix(40))”: dot, mermaid, json, session or test.")
    }
    let endings = [
      "dot": "graph.dot", "mermaid": "graph.mmd", "json": "records.json", "session": "session.json",
      "test": "SessionTests.swift",
    ]
    reply.fileName = endings[form]
    return reply
  }

  // MARK: - Changes

  private struct Change: Decodable {
    var node: UInt64
    /// nil: clean it.
    var text: String?
  }

  private func change(_ body: Data) throws -> Reply {
    guard allowsChanges else { throw Refusal.showsOnly }
    guard let change = try? JSONDecoder().decode(Change.self, from: body) else {
      throw Refusal.malformed
    }
    guard let node = source.node(change.node) else { throw Self.unknown(change.node) }
    try node.change(to: change.text)
    return try .json(["changed": change.node])
  }
}

extension Reply {
  /// The page's files.
  fileprivate static let files: [String: [UInt8]] = [
    "page.html": PackageResources.page_html, "page.css": PackageResources.page_css,
    "page.js": PackageResources.page_js, "state.js": PackageResources.state_js,
    "dom.js": PackageResources.dom_js, "graph.js": PackageResources.graph_js,
    "waves.js": PackageResources.waves_js, "panels.js": PackageResources.panels_js,
  ]

  fileprivate static func file(_ name: String) -> Reply {
    let types = ["html": "text/html", "css": "text/css", "js": "text/javascript"]
    let type = types[String(name.split(separator: ".").last ?? "")] ?? "text/plain"
    return Reply(type: "\(type); charset=utf-8", content: .data(Data(files[name] ?? [])))
  }
}
