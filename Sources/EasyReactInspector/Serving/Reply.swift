import Foundation

/// What the inspector answers.
struct Reply: Sendable {
  enum Content: Sendable {
    case data(Data)
    /// Server-sent events, written one by one until the reader is gone.
    case events(
      @Sendable (_ write: @escaping @Sendable (Data) async throws -> Void) async throws -> Void)
  }

  static let answered = "200 OK"
  var status = answered
  var type: String
  var content: Content
  /// What a browser calls the file when it saves it.
  var fileName: String?

  /// Not even in words: whoever asked is a stranger, or asked for what nobody can read.
  var isRefusal: Bool { status != Self.answered }

  static func text(_ text: String, _ type: String = "text/plain") -> Reply {
    Reply(type: "\(type); charset=utf-8", content: .data(Data(text.utf8)))
  }

  static func json(_ value: some Encodable) throws -> Reply {
    Reply(type: "application/json", content: .data(try JSON.encoder.encode(value)))
  }

  /// What the page asked and cannot be told is an answer to it, in words: a browser would write any other status into its
  /// console.
  static func refusal(_ refusal: Refusal) -> Reply {
    switch refusal {
    case .unusable, .showsOnly:
      if let reply = try? Reply.json(["refused": refusal.text]) { return reply }
    default: break
    }
    var reply = Reply.text(refusal.text + "\n")
    reply.status = refusal.status
    return reply
  }

  /// Everything before the content. Nothing is kept by the browser, nothing of another address is loaded, and no
  /// other page may show this one.
  var head: Data {
    var lines = [
      "HTTP/1.1 \(status)", "Content-Type: \(type)", "Connection: close", "Cache-Control: no-store",
      "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
      "Cross-Origin-Resource-Policy: same-origin", "X-Frame-Options: DENY",
      "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ]
    if case .data(let data) = content { lines.append("Content-Length: \(data.count)") }
    if let fileName { lines.append("Content-Disposition: attachment; filename=\"\(fileName)\"") }
    return Data((lines + ["", ""]).joined(separator: "\r\n").utf8)
  }
}

/// How everything that goes to the page is written.
enum JSON {
  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
