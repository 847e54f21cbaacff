import EasyReactTesting
import Foundation
import Testing

@testable import MarblesKit

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct PictureTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Documentation/Pictures/marbles")

  @Test(arguments: Catalogue.entries.map(\.name))
  func `the committed picture is what a fresh run draws`(name: String) throws {
    let file = Self.folder.appending(path: "\(name).svg")
    let committed = try? String(contentsOf: file, encoding: .utf8)
    let fresh = try Picture.svg(of: Catalogue.entry(named: name).diagram())
    #expect(committed == fresh, "draw it anew with Scripts/pictures.sh, and look at it")
  }

  @Test func `every committed picture has its operator`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(files) == Set(Catalogue.entries.map { "\($0.name).svg" }))
  }

  private final class Reader: NSObject, XMLParserDelegate {
    var elements: [(name: String, attributes: [String: String])] = []
    var text = ""
    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) { elements.append((name, attributes)) }
    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
  }

  private func read(_ svg: String) -> Reader? {
    let reader = Reader()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = reader
    return parser.parse() ? reader : nil
  }

  @Test(arguments: Catalogue.entries.map(\.name))
  func `a picture is well-formed, needs nothing from elsewhere, and stays inside its frame`(
    name: String
  ) throws {
    let svg = try Picture.svg(of: Catalogue.entry(named: name).diagram())
    let reader = try #require(read(svg))
    let names = Set(reader.elements.map(\.name))
    #expect(
      names.isSubset(of: ["svg", "title", "desc", "style", "rect", "text", "path", "circle"]))
    for word in ["href", "url(", "@import", "@font-face", "http"] {
      #expect(!svg.replacing("http://www.w3.org/2000/svg", with: "").contains(word))
    }
    #expect(svg.contains("prefers-color-scheme:dark"))
    let height = try #require(reader.elements[0].attributes["height"].flatMap { Double($0) })
    for (_, attributes) in reader.elements.dropFirst() {
      func number(_ key: String) -> Double { attributes[key].flatMap { Double($0) } ?? 0 }
      #expect(number("x") >= 0 && number("x") + number("width") <= 600)
      #expect(number("y") >= 0 && number("y") + number("height") <= height)
    }
    // The widest, "10 s", is 30 wide.
    let seconds = reader.elements.filter { $0.attributes["class"] == "second" }
      .compactMap { $0.attributes["x"].flatMap { Double($0) } }
    for (one, next) in zip(seconds, seconds.dropFirst()) { #expect(next - one >= 36) }
    // Text is readable at 600 pixels.
    for size in svg.matches(of: #/font-size:([0-9.]+)px/#) {
      #expect(Double(size.output.1)! >= 11, "\(name): \(size.output.0)")
    }
  }

  private func diagram(_ inputs: [(String, String)], _ outputs: [(String, String)]) throws
    -> Diagram
  {
    func rows(_ lines: [(String, String)]) throws -> [Diagram.Row] {
      try lines.map { Diagram.Row(name: $0.0, marbles: try Marbles($0.1)) }
    }
    return Diagram(
      name: "a<b>", sentence: "One & \"two\".", code: ["a < b && c > d"], inputs: try rows(inputs),
      outputs: try rows(outputs), isTimed: true)
  }

  @Test func `what has a meaning in XML is written so that it has none`() throws {
    let svg = Picture.svg(of: try diagram([("<x>", "'<&>'")], [("", "'\"'-~!")]))
    let reader = try #require(read(svg))
    #expect(reader.text.contains("a < b && c > d") && reader.text.contains("<&>"))
    #expect(reader.text.contains("One & \"two\"."))
  }

  @Test func `numbers have a point and one digit at most, in every locale`() throws {
    let svg = Picture.svg(of: try diagram([("a", "1-2-3-4-5-6-7")], [("", "-1-2-3-4-5-6-7")]))
    let drawn = try #require(svg.split(separator: "</style>").last)
    #expect(!drawn.contains(#/\d\.\d\d/#) && !drawn.contains(#/\de[-+]?\d/#))
  }

  @Test func `the text form puts the lines below each other`() throws {
    let diagram = try diagram([("a", "1-[23]-"), ("long", "-4-5")], [("", "'10'-~!")])
    #expect(
      diagram.text == """
        a<b>: One & "two".

          a     1   -[23]-
          long  -   4-   5
                a < b && c > d
          →     '10'-~   !
                a step is a second

        """)
  }
}
