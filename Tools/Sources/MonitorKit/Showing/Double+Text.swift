extension Double {
  /// The number with exactly `digits` decimals, a point and no grouping, whatever the locale.
  ///
  /// What cannot be written so (infinite, not a number, beyond 10^15) is a dash.
  func fixed(_ digits: Int) -> String {
    guard isFinite, magnitude < 1e15 else { return "-" }
    let scale = (0..<digits).reduce(Int64(1)) { power, _ in power * 10 }
    let scaled = Int64((magnitude * Double(scale)).rounded())
    let sign = self < 0 && scaled > 0 ? "-" : ""
    if digits == 0 { return "\(sign)\(scaled)" }
    let decimals = String(scaled % scale)
    let zeros = String(repeating: "0", count: digits - decimals.count)
    return "\(sign)\(scaled / scale).\(zeros)\(decimals)"
  }

  /// The number with at most `digits` decimals, without trailing zeros: for JSON.
  func atMost(_ digits: Int) -> String {
    var text = Substring(fixed(digits))
    guard text.contains(".") else { return String(text) }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return String(text)
  }

  /// The number as bytes in a second: `999 B/s`, `1.2 kB/s`, `34.5 MB/s`.
  var asBytesPerSecond: String {
    var rest = self
    for unit in ["B", "kB", "MB", "GB", "TB"] {
      // Not 1000: what rounds up to it belongs to the next unit.
      if rest < 999.5 {
        return rest.fixed(unit == "B" || rest >= 99.95 ? 0 : 1) + " \(unit)/s"
      }
      rest /= 1000
    }
    return rest.fixed(0) + " PB/s"
  }
}

extension String {
  /// The text with spaces before it, to `width` columns.
  func right(_ width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width - count)) + self
  }

  /// The text with spaces after it, to `width` columns.
  func left(_ width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}

/// The order in which people list devices: by name, numbers in it by value. `cpu2` before `cpu10`.
func comesBefore(_ one: String, _ other: String) -> Bool {
  var left = one[...], right = other[...]
  while let a = left.first, let b = right.first {
    let leftDigits = left.prefix { $0.isASCII && $0.isNumber }
    let rightDigits = right.prefix { $0.isASCII && $0.isNumber }
    if let x = UInt64(leftDigits), let y = UInt64(rightDigits), x != y { return x < y }
    if a != b { return a < b }
    left = left.dropFirst()
    right = right.dropFirst()
  }
  return (one.count, one) < (other.count, other)
}
