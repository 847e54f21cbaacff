import ArgumentParser
import SequenceKit

/// `easyreact sequence`: who asks whom for which element in a lazy, memoised stream.
struct SequenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sequence",
    abstract: "Show the demand in a lazy stream: who asks, what is computed, what is known.",
    discussion: """
      Builds a LazyStream of EasySequence from the pipeline, reads elements of its
      result, and shows what that made happen: which element of which stage was
      asked for when, which closure ran, and whether the element was known (a hit)
      or had to be computed (a miss). Every stage is held here, so each is stored;
      in a program, stages that nobody holds are not.

      PIPELINES
        A source:    1...  1...9  3,1,2  fibonacci
        Operators:   map +1, map *2, map -1, map square; scan +, scan *;
                     filter, prefixWhile, dropWhile with odd, even, <5, >5 or /3;
                     prefix 3; removeDuplicates
        With "fibonacci", which is defined by itself, the stage "itself" is what the
        definition reads of its own result.

      EXAMPLES
        easyreact sequence
        easyreact sequence 'fibonacci | filter even' --read 2,1
        easyreact sequence '1... | map *3 | scan +' --svg > demand.svg
      """)

  @Argument(
    help: ArgumentHelp("The stream.", valueName: "pipeline"),
    transform: parsedPipeline)
  var pipeline = Pipeline.example

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Which elements are read, counted from zero, one after the other. (default: 0,1,0)",
      valueName: "positions"),
    transform: parsedPositions)
  var read = [0, 1, 0]

  @Option(
    parsing: .unconditional,
    help: "How many elements the source gives at most, so that every search ends.")
  var limit = 1000

  @Flag(help: "Print a picture as SVG instead of text.")
  var svg = false

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit must be at least 1, not \(limit).") }
  }

  func run() throws {
    let record = DemandRecord(of: pipeline, reading: read, limit: limit)
    print(svg ? record.svg : record.text, terminator: "")
  }
}

@Sendable private func parsedPipeline(_ text: String) throws -> Pipeline {
  do { return try Pipeline(text: text) } catch { throw ValidationError("\(error)") }
}

@Sendable private func parsedPositions(_ text: String) throws -> [Int] {
  try text.split(separator: ",", omittingEmptySubsequences: false).map { position in
    guard let position = Int(position), position >= 0 else {
      throw ValidationError("--read needs positions such as 0,1,0, not '\(text)'.")
    }
    return position
  }
}
