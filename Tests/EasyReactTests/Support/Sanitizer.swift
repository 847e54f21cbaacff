import CTestSupport
import Testing

/// What `swift test --sanitize=…` builds with; everything is slower then, up to twenty times.
enum Sanitizer: Int32 {
  case none, thread, address
  static let present = Sanitizer(rawValue: testsupport_sanitizer())!
  static var isPresent: Bool { present != .none }
  /// How many times longer a limit of time is.
  static var patience: Double { isPresent ? 8 : 1 }
}

extension Trait where Self == ConditionTrait {
  /// - Parameter reason: Why it shows nothing there, or what else shows it.
  static func notUnderSanitizers(_ reason: Comment) -> Self {
    .disabled(if: Sanitizer.isPresent, reason)
  }
}
