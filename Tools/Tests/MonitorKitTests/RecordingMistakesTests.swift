import Testing

@testable import MonitorKit

@Suite struct `A recording with a mistake` {
  private func read(_ text: String) throws -> [Sample] {
    try Recording(bytes: Array(text.utf8), file: "f.csv").samples
  }

  static let heading = CSV.line(RecordingLayout(first: `A recording`.sample(0)).columns)

  /// A good row with one cell changed.
  static func row(_ column: Int, _ cell: String, time: Int = 5) -> String {
    var cells = RecordingLayout(first: `A recording`.sample(0)).cells(for: `A recording`.sample(0))
    cells[0] = String(time)
    cells[column] = cell
    return CSV.line(cells)
  }

  @Test(arguments: mistakes)
  func `that is malformed is refused with the place and what was expected`(
    mistake: Mistake
  ) {
    #expect(message { _ = try read(mistake.text) } == mistake.reason)
  }

  @Test func `that is not there or a folder is refused with the reason`() {
    #expect(
      message { _ = try Recording(path: "/nowhere/x.csv") }
        == "/nowhere/x.csv: cannot be read (No such file or directory)")
    #expect(message { _ = try Recording(path: "/tmp") } == "/tmp: cannot be read (Is a directory)")
  }

  @Test func `of random bytes is refused and never crashes`() {
    var random = SeededRandom(state: 7)
    for _ in 0..<200 {
      let bytes = (0..<300).map { _ in "0,\"\n\r=./a".utf8.randomElement(using: &random)! }
      #expect(throws: Recording.Problem.self) {
        try Recording(bytes: Array(Self.heading.utf8) + bytes, file: "f.csv")
      }
    }
  }

  /// A file, and what the user reads about it.
  struct Mistake: CustomTestStringConvertible {
    let text: String
    let reason: String
    var testDescription: String { reason }
    init(_ text: String, _ reason: String) { (self.text, self.reason) = (text, reason) }
  }

  static let mistakes: [Mistake] = [
    Mistake("", "f.csv: the file is empty; expected a recording made with --record"),
    Mistake("\n\n", "f.csv: the file is empty; expected a recording made with --record"),
    Mistake(
      "hello\n",
      "f.csv, line 1, column 1: expected 'timeMicroseconds' and found 'hello'"
    ),
    Mistake(
      "timeMicroseconds\n",
      "f.csv, line 1, column 2: expected 'unixMilliseconds', but the heading ends"
    ),
    Mistake(
      "timeMicroseconds,unixMilliseconds,core.cpu0\n",
      "f.csv, line 1, column 3: expected the first counter of a device, such as "
        + "'core.cpu0.userTicks', or 'appearedLater', and found 'core.cpu0'"
    ),
    Mistake(
      "timeMicroseconds,unixMilliseconds,interface.eth0.receivedBytes,x,appearedLater\n",
      "f.csv, line 1, column 4: expected 'interface.eth0.sentBytes' and found 'x'"
    ),
    Mistake(
      "timeMicroseconds,unixMilliseconds,appearedLater,more\n",
      "f.csv, line 1, column 4: expected no column after 'appearedLater' and found 'more'"
    ),
    Mistake(
      "timeMicroseconds,unixMilliseconds,interface.a.receivedBytes,interface.a.sentBytes,"
        + "interface.a.receivedBytes,interface.a.sentBytes,appearedLater\n",
      "f.csv, line 1, column 5: 'interface.a' has columns already"
    ),
    Mistake(heading, "f.csv: expected samples after the heading, found none"),
    Mistake(
      heading + row(0, "soon"),
      "f.csv, line 2, column 1 (timeMicroseconds): expected a whole number and found 'soon'"
    ),
    Mistake(
      heading + row(0, "9223372036854775808"),
      "f.csv, line 2, column 1 (timeMicroseconds): expected a time below 2^63 microseconds"
    ),
    Mistake(
      heading + row(16, "-3"),
      "f.csv, line 2, column 17 (core.cpu0.niceTicks): expected a whole number and found '-3'"
    ),
    Mistake(
      heading + row(25, ""),
      "f.csv, line 2, column 26 (disk.vda.readSectors): expected a whole number and found nothing"
    ),
    Mistake(
      heading + row(28, "interface.usb0"),
      "f.csv, line 2, column 29 (appearedLater): expected devices such as "
        + "'interface.usb0=12/34' and found 'interface.usb0'"
    ),
    Mistake(
      heading + row(28, "interface.usb0=1"),
      "f.csv, line 2, column 29 (appearedLater): expected 2 counters of 'interface.usb0', found 1"
    ),
    Mistake(
      heading + row(28, "interface.usb0=1/x"),
      "f.csv, line 2, column 29 (appearedLater): expected a whole number and found 'x'"
    ),
    Mistake(
      heading + row(0, "5") + "\n6,7,8\n",
      "f.csv, line 4, column 4 (load.fiveMinutesHundredths): expected a value, but the row ends "
        + "after 3 of 29 columns"
    ),
    Mistake(
      heading + row(28, ",,,").replacing("\"", with: ""),
      "f.csv, line 2, column 30: expected the row to end after 29 columns, found 32"
    ),
    Mistake(
      heading + row(0, "5") + row(0, "5"),
      "f.csv, line 3, column 1 (timeMicroseconds): expected more than 5, the time of the sample "
        + "before, and found 5"
    ),
    Mistake(
      heading + "\"5",
      "f.csv, line 2: expected a closing quote before the end of the file"
    ),
  ]
}
