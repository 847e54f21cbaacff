import EasyReact
import EasyReactInspection
import Foundation
import Synchronization
import Testing

@testable import EasyReactInspector

/// Contract 19: what the page asks and is told.
@Suite struct AnswerTests {
  private let answers = PageAnswers(SavedProgram(title: "Shop", records: SampleRecords.shop()))

  private func ask(_ path: String, _ query: [String: String] = [:]) throws -> Any {
    var request = try Request(head: Data("GET /x HTTP/1.1\r\nHost: a".utf8))
    request.query = query
    let reply = try answers.answer(request, path: path)
    guard case .data(let data) = reply.content else { return "" }
    return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
  }

  private func graph(_ query: [String: String] = [:]) throws -> (
    ids: [String], edges: [[String]], whole: [String: Any]
  ) {
    let whole = try #require(try ask("api/graph", query) as? [String: Any])
    let nodes = try #require(whole["nodes"] as? [[String: Any]])
    let edges = try #require(whole["edges"] as? [[String: Any]])
    return (
      nodes.map { $0["id"] as! String },
      edges.map { [$0["from"] as! String, $0["to"] as! String] }, whole
    )
  }

  @Test func `19 the graph has every living node and every edge between two`() throws {
    let graph = try graph()
    #expect(graph.ids == ["1", "2", "3", "4", "5", "6", "7"])
    #expect(
      graph.edges == [["1", "4"], ["2", "4"], ["2", "3"], ["4", "5"], ["4", "7"], ["6", "7"]])
  }

  @Test func `19 focus shows what lies upstream, downstream or between`() throws {
    #expect(Set(try graph(["focus": "4", "direction": "up"]).ids) == ["1", "2", "4"])
    #expect(Set(try graph(["focus": "2", "direction": "down"]).ids) == ["2", "3", "4", "5", "7"])
    #expect(
      Set(try graph(["focus": "2", "direction": "down", "depth": "1"]).ids) == ["2", "3", "4"])
    #expect(Set(try graph(["focus": "7", "target": "2"]).ids) == ["2", "4", "7"])
    #expect(try graph(["focus": "4", "direction": "up"]).whole["shownCount"] as? Int == 3)
  }

  @Test func `19 a folded group is one box, and edges lead to it`() throws {
    let folded = try graph(["fold": "all"])
    #expect(folded.ids == ["g:Shop/Cart.swift", "g:Shop/Discount.swift"])
    #expect(folded.edges == [["g:Shop/Cart.swift", "g:Shop/Discount.swift"]])
    let open = try graph(["fold": "all", "toggled": "Shop/Cart.swift"])
    #expect(open.ids == ["g:Shop/Discount.swift", "1", "2", "3", "4", "5"])
    #expect(open.edges.contains(["4", "g:Shop/Discount.swift"]))
  }

  @Test func `19 scrubbing shows the values as they were`() throws {
    func values(_ at: String) throws -> [String: String] {
      let all = try #require(try ask("api/values", ["at": at]) as? [String: [String: Any]])
      return all.mapValues { $0["text"] as? String ?? $0["form"] as! String }
    }
    let wave = try #require(try ask("api/wave", ["number": "3"]) as? [String: Any])
    let last = try #require((wave["row"] as? [String: Any])?["last"] as? Int)
    #expect(
      try values("\(last)") == [
        "1": "10", "2": "3", "3": "2", "4": "30", "5": "30", "6": "empty", "7": "empty",
      ])
    #expect(
      try values("20") == [
        "1": "10", "2": "empty", "3": "empty", "4": "empty", "5": "empty", "6": "empty",
        "7": "empty",
      ])
  }

  @Test func `19 what makes no sense is refused with words`() throws {
    #expect(throws: Refusal.unusable("focus is a number, not “x”.")) {
      try ask("api/graph", ["focus": "x"])
    }
    #expect(throws: Refusal.unusable("group cannot be “moon”.")) {
      try ask("api/graph", ["group": "moon"])
    }
    #expect(throws: Refusal.unusable("number is missing: a number.")) { try ask("api/wave") }
    #expect(throws: Refusal.notFound) { try ask("api/../etc") }
  }

  @Test func `19 the same structure is drawn once`() throws {
    let cache = DrawingCache()
    let view = GraphView(SampleRecords.shop(), ViewOptions())
    let other = GraphView(SampleRecords.shop(sets: 9), ViewOptions())
    _ = cache.drawing(of: view.layoutGraph, for: ViewOptions())
    _ = cache.drawing(of: other.layoutGraph, for: ViewOptions())
    #expect(cache.drawn.load(ordering: .relaxed) == 1)
  }

  @Test func `19 it only shows unless changes are allowed`() throws {
    var request = try Request(head: Data("POST /x HTTP/1.1\r\nHost: a".utf8))
    request.body = Data(#"{"node":1,"text":"4"}"#.utf8)
    #expect(throws: Refusal.showsOnly) { try answers.answer(request, path: "api/change") }
  }
}
