import CTestSupport
import Testing

/// What `swift test --sanitize=…` builds with; everything is slower then, up to twenty times.
enum Sanitizer: Int32 {
  case none, thread, address
  static let present = Sanitizer(rawValue: testsupport_sanitizer())!
  static var isPresent: Bool { present != .none }
  /// How many times longer a limit of time is. A test takes up to twenty times as long, a minute then; CI ends after 80 minutes.
  static var patience: Double { isPresent ? 2 : 1 }
  /// Of so many equal steps of one thread, those that are watched: a twentieth shows as much, and takes as long.
  static func part(of count: Int) -> Int { isPresent ? count / 20 : count }
  /// Of so many random programs of one thread, by their seeds.
  static func part(of seeds: Range<UInt64>) -> Range<UInt64> {
    seeds.lowerBound..<seeds.lowerBound + UInt64(part(of: seeds.count))
  }
}

extension Trait where Self == ConditionTrait {
  /// - Parameter reason: Why it shows nothing there, or what else shows it.
  static func notUnderSanitizers(_ reason: Comment) -> Self {
    .disabled(if: Sanitizer.isPresent, reason)
  }
}
