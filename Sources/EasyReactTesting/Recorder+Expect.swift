import EasyReact

/// What was told is not what was expected: shows both sequences, one above the other.
///
/// Swift Testing and XCTest report an error that a test throws with its description, so a test says
/// `try recorder.expect([1, 2])` and needs nothing else.
public struct RecordingMismatch: Error, Sendable, CustomStringConvertible {
  /// Where `expect` was called.
  public let file: String
  public let line: Int
  /// Both sequences, without the place.
  public let difference: String

  public var description: String { "not what was expected, at \(file):\(line)\n\(difference)" }
}

extension Recorder where Value: Equatable {
  /// Throws unless exactly these values were told so far, in this order.
  ///
  ///     try recorder.expect([1, 2, 4])
  ///     // not what was expected, at MyTests/SearchTests.swift:12
  ///     //   expected  1  2  4
  ///     //   told      1  2  3  4
  ///     //                  ^  ^
  ///
  /// - Parameter times: When they were told, by the recorder's clock; nil: at any time.
  public func expect(
    _ expected: [Value], at times: [Duration]? = nil, file: StaticString = #fileID,
    line: UInt = #line
  ) throws(RecordingMismatch) {
    try expect(expected, at: times, by: ==, file: file, line: line)
  }

  /// Calls `fail` with both sequences unless exactly these values were told so far.
  ///
  ///     recorder.expect([1, 2]) { Issue.record("\($0)") }       // Swift Testing; the test goes on
  ///     recorder.expect([1, 2]) { XCTFail("\($0)") }            // XCTest
  public func expect(
    _ expected: [Value], at times: [Duration]? = nil, file: StaticString = #fileID,
    line: UInt = #line, else fail: (RecordingMismatch) -> Void
  ) {
    do {
      try expect(expected, at: times, by: ==, file: file, line: line)
    } catch {
      fail(error)
    }
  }

  /// Both sequences, one above the other, unless exactly these values were told so far; then nil.
  ///
  ///     #expect(recorder.difference(from: [1, 2]) == nil)
  public func difference(from expected: [Value], at times: [Duration]? = nil) -> String? {
    difference(from: expected, at: times, by: ==)
  }
}

extension Recorder {
  /// Throws unless exactly these values were told so far, by a comparison of yours: tuples are not
  /// Equatable.
  ///
  ///     try Recorder(a.combine(b)).expect([(1, 2), (1, 3)], by: ==)
  public func expect(
    _ expected: [Value], at times: [Duration]? = nil, by areEqual: (Value, Value) -> Bool,
    file: StaticString = #fileID, line: UInt = #line
  ) throws(RecordingMismatch) {
    if let difference = difference(from: expected, at: times, by: areEqual) {
      throw RecordingMismatch(file: "\(file)", line: Int(line), difference: difference)
    }
  }

  /// Both sequences, unless they are equal by a comparison of yours; then nil.
  public func difference(
    from expected: [Value], at times: [Duration]? = nil, by areEqual: (Value, Value) -> Bool
  ) -> String? {
    let told = entries
    let differing = (0..<max(expected.count, told.count)).filter { index in
      guard index < expected.count, index < told.count else { return true }
      if let times, index < times.count, times[index] != told[index].time { return true }
      return !areEqual(expected[index], told[index].value)
    }
    if differing.isEmpty, times.map({ $0.count == told.count }) ?? true { return nil }
    func text(_ value: Value, _ time: Duration?) -> String {
      let text = marbleText(of: value)
      return time.map { "\(text) at \($0)" } ?? text
    }
    return showDifference(
      expected: expected.enumerated().map { index, value in
        text(value, times.flatMap { index < $0.count ? $0[index] : nil })
      },
      told: told.map { text($0.value, times == nil ? nil : $0.time) }, differing: Set(differing))
  }
}

/// Two lines in columns, with a mark under each difference; a list where they would be too long.
private func showDifference(
  expected: [String], told: [String], differing: Set<Int>
) -> String {
  let count = max(expected.count, told.count)
  func cell(_ row: [String], _ index: Int) -> String { index < row.count ? row[index] : "" }
  let rows = [expected.isEmpty ? ["nothing"] : expected, told.isEmpty ? ["nothing"] : told]
  let marks = (0..<max(1, count)).map { differing.contains($0) ? "^" : "" }
  let lines = inColumns([["  expected"] + rows[0], ["  told"] + rows[1], [""] + marks])
  if lines.allSatisfy({ displayWidth(of: $0) <= 100 }) { return lines.joined(separator: "\n") }
  let list = (0..<count).map { index in
    [differing.contains(index) ? ">" : " ", cell(expected, index), cell(told, index)]
  }
  return inColumns([["", "expected", "told"]] + list).joined(separator: "\n")
}
