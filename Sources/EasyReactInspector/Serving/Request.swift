import Foundation

/// A request of the page, read from bytes that anybody may have sent.
struct Request: Equatable, Sendable {
  enum Method: String, Sendable { case get = "GET", post = "POST" }

  var method: Method
  /// Before the question mark, percent signs decoded.
  var path: String
  var query: [String: String]
  /// Names in small letters; if several have one name, none is taken.
  var headers: [String: String]
  var body = Data()

  /// What a request may be at most.
  enum Limit {
    static let headBytes = 16 << 10
    static let bodyBytes = 1 << 20
    static let headerLines = 100
  }

  /// Reads all but the body.
  ///
  /// - Parameter head: What came before the empty line.
  init(head: Data) throws(Refusal) {
    guard let text = String(data: head, encoding: .utf8) else { throw .malformed }
    var lines = text.components(separatedBy: "\r\n")
    guard lines.count <= Limit.headerLines else { throw .headTooLong }
    let first = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
    guard first.count == 3, first[2] == "HTTP/1.1" || first[2] == "HTTP/1.0" else {
      throw .malformed
    }
    guard let method = Method(rawValue: String(first[0])) else { throw .otherMethod }
    guard let target = URLComponents(string: String(first[1]), encodingInvalidCharacters: false),
      target.host == nil,
      target.path.hasPrefix("/")
    else { throw .malformed }
    self.method = method
    path = target.path
    query = [:]
    // A form, and so a page, writes a space as a plus.
    let items = target.percentEncodedQuery?.replacing("+", with: "%20")
    var decoded = URLComponents()
    decoded.percentEncodedQuery = items
    for item in decoded.queryItems ?? [] { query[item.name] = item.value ?? "" }
    headers = try Self.headers(lines)
  }

  private static func headers(_ lines: [String]) throws(Refusal) -> [String: String] {
    var headers: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { throw .malformed }
      let name = line[..<colon].lowercased()
      guard !name.contains(where: \.isWhitespace), headers[name] == nil else { throw .malformed }
      headers[name] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    return headers
  }

  /// How long the body is, as the head says.
  var bodyLength: Int {
    get throws(Refusal) {
      if headers["transfer-encoding"] != nil { throw .malformed }
      guard let text = headers["content-length"] else { return 0 }
      guard let length = Int(text), length >= 0, text.allSatisfy(\.isASCII) else {
        throw .malformed
      }
      if length > Limit.bodyBytes { throw .bodyTooLong }
      return length
    }
  }
}

/// Why a request is not answered.
enum Refusal: Error, Equatable {
  case malformed, headTooLong, bodyTooLong, otherMethod, tooSlow, tooMany
  /// The token, the host or the origin is not ours. Which of them is not said.
  case forbidden
  case notFound
  /// What was asked for makes no sense: in words.
  case unusable(String)
  /// Changes were asked for, and the inspector only shows.
  case showsOnly

  var status: String {
    switch self {
    case .malformed: "400 Bad Request"
    case .headTooLong: "431 Request Header Fields Too Large"
    case .bodyTooLong: "413 Content Too Large"
    case .otherMethod: "405 Method Not Allowed"
    case .tooSlow: "408 Request Timeout"
    case .tooMany: "503 Service Unavailable"
    case .forbidden: "403 Forbidden"
    case .notFound: "404 Not Found"
    case .unusable, .showsOnly: "200 OK"
    }
  }

  var text: String {
    switch self {
    case .unusable(let text): text
    case .forbidden: "Open the address that the program printed, with its token."
    case .showsOnly:
      "This inspector only shows. Start it with allowsChanges: true to change values."
    case .tooMany: "Too many connections at once. Try again."
    default: status
    }
  }
}
