/// The text of one file of counters, taken apart into lines and whole numbers.
struct ProcText {
  let file: String
  let lines: [Substring]

  init(file: String, text: String) {
    self.file = file
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// Calls `read` with each line that is not blank, its number from 1 and its words.
  func forEachLine(_ read: (Line) throws(ProcProblem) -> Void) throws(ProcProblem) {
    for (index, line) in lines.enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" }
      if !words.isEmpty { try read(Line(file: file, number: index + 1, text: line, words: words)) }
    }
  }

  /// An error about the file as a whole.
  func problem(_ reason: String) -> ProcProblem { ProcProblem(file: file, reason: reason) }

  /// One line of a file of counters.
  struct Line {
    let file: String
    let number: Int
    let text: Substring
    let words: [Substring]

    func problem(_ reason: String) -> ProcProblem {
      ProcProblem(file: file, line: number, reason: reason)
    }

    /// The whole number that `word` is.
    func number(_ word: Substring, _ meaning: String) throws(ProcProblem) -> UInt64 {
      guard let value = UInt64(word) else {
        throw problem("expected \(meaning), a whole number, and found \(quoted(word))")
      }
      return value
    }

    /// The whole numbers in `words`, of which there must be `least` or more.
    func numbers(
      _ words: ArraySlice<Substring>, least: Int, _ meaning: String
    ) throws(ProcProblem) -> [UInt64] {
      guard words.count >= least else {
        throw problem("expected at least \(least) \(meaning), found \(words.count)")
      }
      var values: [UInt64] = []
      for word in words { values.append(try number(word, "one of the \(meaning)")) }
      return values
    }
  }
}
