extension Duration {
  /// The duration in whole microseconds, cut off below.
  var wholeMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// The duration in seconds, for a division.
  var inSeconds: Double { Double(wholeMicroseconds) / 1_000_000 }

  /// Reads a duration such as `500ms`, `2s`, `1.5m` or `1h`.
  ///
  ///     try Duration(text: "500ms")   // .milliseconds(500)
  ///     try Duration(text: "10")      // throws: "a number needs a unit: 10ms, 10s, 10m or 10h"
  ///
  /// - Throws: what is wrong, as a phrase that can follow the name of an option.
  public init(text: String) throws(DurationProblem) {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(digits.count)
    if text.hasPrefix("-"), text.dropFirst().first?.isNumber == true {
      throw DurationProblem("must be more than zero, not \(quoted(text))")
    }
    guard let number = Double(digits), number.isFinite else {
      throw DurationProblem("expected a duration such as 500ms, 10s, 5m or 1h, not \(quoted(text))")
    }
    let milliseconds: [Substring: Double] = ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000]
    guard let length = milliseconds[unit] else {
      throw DurationProblem(
        unit.isEmpty
          ? "a number needs a unit: \(digits)ms, \(digits)s, \(digits)m or \(digits)h"
          : "knows the units ms, s, m and h, not \(quoted(unit))")
    }
    let microseconds = (number * length * 1000).rounded()
    guard number > 0 else { throw DurationProblem("must be more than zero, not \(quoted(text))") }
    guard microseconds >= 1, microseconds <= Self.longest.inSeconds * 1_000_000 else {
      throw DurationProblem("must lie between 1 microsecond and 10,000 hours, not \(quoted(text))")
    }
    self = .microseconds(Int64(microseconds))
  }

  private static let longest = Duration.seconds(10_000 * 3600)

  /// `12.0 s`, `3:04 min` or `2:03:04 h`, the way a person says it.
  var spoken: String {
    let seconds = wholeMicroseconds / 1_000_000
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    if seconds < 60 { return (Double(wholeMicroseconds / 100_000) / 10).fixed(1) + " s" }
    if seconds < 3600 { return "\(seconds / 60):\(two(seconds % 60)) min" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60)) h"
  }
}

/// Why a text is not a duration.
public struct DurationProblem: Error, Equatable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
