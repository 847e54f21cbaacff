import Foundation

/// Who may ask: whoever knows the token, from a page of this address or from none.
///
/// Any program of this machine can connect to a loopback address, and any page that a browser shows can make it
/// connect. The token keeps out the first. The second could learn nothing without it either, but a name that is made
/// to point to 127.0.0.1 (DNS rebinding) is refused by its `Host`, and what other pages send by its `Origin` or
/// `Sec-Fetch-Site`.
struct Gate: Sendable {
  let token: String
  let port: UInt16

  /// A token that cannot be guessed: 128 bits.
  static func randomToken() -> String {
    var random = SystemRandomNumberGenerator()
    let bits = [random.next(), random.next()] as [UInt64]
    return bits.map { String($0 + 0, radix: 16) }.map {
      String(repeating: "0", count: 16 - $0.count) + $0
    }.joined()
  }

  private var hosts: [String] { ["127.0.0.1:\(port)", "localhost:\(port)"] }

  /// Lets a request in, and says what it asks for after the token: `""` is the page.
  func admit(_ request: Request) throws(Refusal) -> String {
    guard let host = request.headers["host"], hosts.contains(host.lowercased()) else {
      throw .forbidden
    }
    if let origin = request.headers["origin"] {
      guard hosts.contains(where: { origin.lowercased() == "http://\($0)" }) else {
        throw .forbidden
      }
    }
    if let site = request.headers["sec-fetch-site"] {
      guard site == "same-origin" || site == "none" else { throw .forbidden }
    }
    let parts = request.path.dropFirst().split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let given = parts.first, isToken(given) else { throw .forbidden }
    guard parts.count == 2 else { throw .notFound }
    return String(parts[1])
  }

  /// In a time that does not tell how many characters fit.
  private func isToken(_ given: Substring) -> Bool {
    let (one, other) = (Array(token.utf8), Array(given.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
