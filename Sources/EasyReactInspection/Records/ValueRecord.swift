/// What is known of a value: described when the records are read, or, where that would keep it alive, when it
/// was stored.
///
/// An empty node, the value nil, and a failure look different: `empty` has no text, nil is the value `nil`.
public struct ValueRecord: Codable, Hashable, Sendable, CustomStringConvertible {
  public enum Form: String, Codable, Sendable {
    /// Of a value that the node held or holds.
    case value
    /// Of an event, which is told and not kept.
    case event
    /// The node had no value.
    case empty
    /// The node is private: its values are never described.
    case `private`
    /// The recorder does not know it any more, or did not hear it.
    case unknown
  }

  public let form: Form
  /// The description of a value or an event, at most as long as the recorder's `descriptionLength`, and then with an
  /// ellipsis; nil in the other forms.
  public let text: String?

  public init(_ form: Form, text: String? = nil) {
    self.form = form
    self.text = text
  }

  public static let empty = ValueRecord(.empty)
  public static let unknown = ValueRecord(.unknown)
  public static let `private` = ValueRecord(.private)

  /// `4`, `event 4`, `empty`, `private`, `?`.
  public var description: String {
    switch form {
    case .value: text ?? "?"
    case .event: "event \(text ?? "?")"
    case .empty: "empty"
    case .private: "private"
    case .unknown: "?"
    }
  }
}
