/// What went wrong with a shared node or its store: what, where, and the remedy.
///
///     price.status.value?.problem?.description
///     // the value is too large: 2000000 bytes, of at most 1048576 (key “price”). Share less in one node, …
public struct SharedProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds.
  public enum Code: String, Hashable, Sendable {
    /// Bytes in the store are not those of a value of this type, or are in a format that this version does not know.
    case undecodable
    /// The value cannot be turned into bytes.
    case unencodable
    case tooLarge
    case badKey
    /// Nobody answered a write, and others have written so much since that nobody can tell whether it was done.
    case outcomeUnknown
    /// The store cannot be reached, or does not answer.
    case unreachable
    /// The store does not let this program in.
    case refusedLogin
    /// What has the store's name is something else.
    case wrongKind
    /// The store refuses for another reason, or its disk does.
    case refused
  }

  public let code: Code
  /// What happened, where, and what to do.
  public let description: String

  public init(_ code: Code, _ problem: String, at place: String, remedy: String) {
    self.code = code
    description = "\(problem) (\(place)). \(remedy)"
  }
}

extension SharedProblem {
  /// What is wrong with a key, in every store; nil: nothing.
  ///
  /// Keys are of letters, digits and `- _ / = .` of ASCII, at most 512, with no dot at either end and no two in a row.
  public init?(badKey key: String) {
    let isAllowed = key.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "/"),
        UInt8(ascii: "="), UInt8(ascii: "."):
        true
      default: false
      }
    }
    let isWellFormed =
      !key.isEmpty && key.utf8.count <= 512 && !key.hasPrefix(".") && !key.hasSuffix(".")
      && !key.contains("..")
    if isAllowed && isWellFormed { return nil }
    self.init(
      .badKey, "“\(key.prefix(80))” cannot be the name of a shared node", at: "key",
      remedy:
        "Use letters, digits and - _ / = . of ASCII, at most 512, no dot at an end and no two in a row."
    )
  }

  package static func tooLarge(_ count: Int, limit: Int, key: String) -> SharedProblem {
    SharedProblem(
      .tooLarge, "the value is too large: \(count) bytes, of at most \(limit)", at: "key “\(key)”",
      remedy: "Share less in one node, as a value for each part; or raise the store's limit.")
  }
}
