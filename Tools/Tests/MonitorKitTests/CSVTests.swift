import Testing

@testable import MonitorKit

@Suite struct `Comma-separated values` {
  private func rows(_ text: String) throws -> [[String]] {
    try CSV.rows(of: Array(text.utf8)).map(\.cells)
  }

  @Test(arguments: [
    ["a", "b"], ["", ""], ["a,b", "c\"d", "e\nf", "g\rh", " i "], ["\"\"", "🙂,é"], ["x"],
  ])
  func `what is written is read back`(cells: [String]) throws {
    #expect(try rows(CSV.line(cells)) == [cells])
  }

  @Test func `quotes only what needs them`() {
    #expect(CSV.line(["a b", "c,d", "e\"f"]) == "a b,\"c,d\",\"e\"\"f\"\n")
  }

  @Test(arguments: ["a,b\nc,d\n", "a,b\r\nc,d\r\n", "a,b\rc,d", "\u{FEFF}a,b\n\n\nc,d\n\n"])
  func `is read whatever ends its lines`(text: String) throws {
    #expect(try rows(text) == [["a", "b"], ["c", "d"]])
  }

  @Test func `counts the lines inside quotes`() throws {
    let rows = try CSV.rows(of: Array("a,\"b\nc\"\nd\n\ne\n".utf8))
    #expect(rows.map(\.line) == [1, 3, 5])
  }

  @Test func `says where a quote is wrong`() {
    #expect(throws: CSV.Problem(line: 2, reason: "expected a comma after the closing quote")) {
      try rows("a\n\"b\"c\n")
    }
    #expect(
      throws: CSV.Problem(
        line: 2, reason: "expected a closing quote before the end of the file")
    ) {
      try rows("a\nb,\"c\nd\n")
    }
  }

  @Test func `a comma at the end begins one more cell`() throws {
    #expect(try rows("a,\n,b\n,") == [["a", ""], ["", "b"], ["", ""]])
  }
}
