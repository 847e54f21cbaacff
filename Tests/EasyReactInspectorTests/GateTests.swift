import Foundation
import Testing

@testable import EasyReactInspector

/// Contract 19: without the token, or with a foreign `Host` or `Origin`, everything is refused.
@Suite struct GateTests {
  private let gate = Gate(token: "abcdefgh12345678", port: 7357)

  private func admit(
    _ path: String = "/abcdefgh12345678/api/graph", _ headers: [String] = ["Host: 127.0.0.1:7357"]
  ) throws -> String {
    let head = (["GET \(path) HTTP/1.1"] + headers).joined(separator: "\r\n")
    return try gate.admit(try Request(head: Data(head.utf8)))
  }

  @Test func `19 who knows the token is let in`() throws {
    #expect(try admit() == "api/graph")
    #expect(try admit("/abcdefgh12345678/") == "")
    #expect(
      try admit(
        "/abcdefgh12345678/",
        ["Host: localhost:7357", "Origin: http://localhost:7357", "Sec-Fetch-Site: same-origin"])
        == "")
  }

  @Test(arguments: [
    "/", "/abcdefgh12345679/", "/abcdefgh1234567/", "/abcdefgh123456789/", "/api/graph",
    "/ABCDEFGH12345678/",
    "/%61bcdefgh12345679/", "/?token=abcdefgh12345678", "/../abcdefgh12345678/",
  ])
  func `19 without the token all is refused`(path: String) {
    #expect(throws: Refusal.forbidden) { try admit(path) }
  }

  @Test(arguments: [
    [], ["Host: evil.example:7357"], ["Host: 127.0.0.1"], ["Host: 127.0.0.1:80"],
    ["Host: 127.0.0.1:7357.evil.example"],
    ["Host: 127.0.0.1:7357", "Origin: http://evil.example"],
    ["Host: 127.0.0.1:7357", "Origin: null"],
    ["Host: 127.0.0.1:7357", "Origin: https://127.0.0.1:7357"],
    ["Host: 127.0.0.1:7357", "Sec-Fetch-Site: cross-site"],
    ["Host: 127.0.0.1:7357", "Sec-Fetch-Site: same-site"],
  ])
  func `19 a foreign host or origin is refused, token or not`(headers: [String]) {
    #expect(throws: Refusal.forbidden) { try admit("/abcdefgh12345678/", headers) }
  }

  @Test func `19 tokens are 128 random bits`() {
    let tokens = Set((0..<200).map { _ in Gate.randomToken() })
    #expect(tokens.count == 200)
    #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }
}

/// Contract 19: whatever bytes come, they are read as a request or refused.
@Suite struct RequestTests {
  private func read(_ text: String) throws -> Request { try Request(head: Data(text.utf8)) }

  @Test func `19 a request is read`() throws {
    let request = try read(
      "GET /a/b%20c?x=1&y=%26&z&w=a+b%2B HTTP/1.1\r\nHost: here\r\nX-Y:  two words ")
    #expect(
      request.path == "/a/b c" && request.query == ["x": "1", "y": "&", "z": "", "w": "a b+"])
    #expect(request.headers == ["host": "here", "x-y": "two words"])
  }

  @Test(arguments: [
    "", "GET", "GET /", "GET / HTTP/2.0", "GET  / HTTP/1.1", "get / HTTP/1.1\r\n",
    "GET http://a/ HTTP/1.1", "GET a HTTP/1.1", "GET // HTTP/1.1",
    "GET / HTTP/1.1\r\nno colon", "GET / HTTP/1.1\r\n: empty", "GET / HTTP/1.1\r\nA : b",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: b",
    "GET / HTTP/1.1\r\n folded: line", "GET /\0 HTTP/1.1",
  ])
  func `19 what is malformed is refused`(text: String) {
    #expect(throws: Refusal.self) { try read(text) }
  }

  @Test func `19 other methods, long heads and long bodies are refused`() throws {
    #expect(throws: Refusal.otherMethod) { try read("PUT / HTTP/1.1") }
    let lines = Array(repeating: "A: b", count: 200).enumerated().map { "A\($0.offset): b" }
    #expect(throws: Refusal.headTooLong) {
      try read((["GET / HTTP/1.1"] + lines).joined(separator: "\r\n"))
    }
    #expect(throws: Refusal.bodyTooLong) {
      try read("POST / HTTP/1.1\r\nContent-Length: 99999999999").bodyLength
    }
    for length in ["-1", "x", "99999999999999999999999", "١"] {
      #expect(throws: Refusal.malformed) {
        try read("POST / HTTP/1.1\r\nContent-Length: \(length)").bodyLength
      }
    }
    #expect(throws: Refusal.malformed) {
      try read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked").bodyLength
    }
    #expect(try read("POST / HTTP/1.1\r\nContent-Length: 12").bodyLength == 12)
  }

  @Test func `19 random bytes never stop the program`() {
    for seed in 1...300 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      let pieces = [
        "GET ", "/", " HTTP/1.1", "\r\n", ":", "Host", "%", "%zz", "?", "&=", "\0", "é",
        "Content-Length: ", "\u{FFFD}", " ", "\n",
      ]
      var data = Data()
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        data +=
          Bool.random(using: &random)
          ? Data(pieces.randomElement(using: &random)!.utf8)
          : Data([UInt8.random(in: 0...255, using: &random)])
      }
      if let request = try? Request(head: data) {
        #expect(request.path.hasPrefix("/"), "seed \(seed)")
        _ = try? request.bodyLength
      }
    }
  }
}
