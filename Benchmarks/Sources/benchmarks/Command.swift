import ArgumentParser
import CBenchmarks
import Foundation

/// All rows, checked and timed.
@main struct Command: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Measures EasyReact beside its peers and code written by hand.",
    subcommands: [Run.self, WorkloadCommand.self, GrowthCommand.self, CrossingCommand.self],
    defaultSubcommand: Run.self)
}

/// The default: measures rows.
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Measures every row; a wrong answer is a failure.")

  @Option(help: "Only rows whose group/name contains this. May be given several times.")
  var filter: [String] = []

  @Option(help: "How many rounds each contestant has.")
  var rounds = 11

  @Option(help: "How many milliseconds a round lasts, where the row does not say how long it is.")
  var roundMilliseconds = 10.0

  @Option(help: "Writes the result to this file.")
  var json: String?

  @Option(help: "Draws the rows that have a peer, as ratios, into this file.")
  var svg: String?

  @Option(help: "Tells what changed since this file was written by --json.")
  var compare: String?

  @Flag(help: "Rows that take minutes too.")
  var heavy = false

  @Flag(help: "Prints the names of the rows, and measures nothing.")
  var list = false

  func validate() throws {
    if rounds < 1 { throw ValidationError("--rounds \(rounds): at least one is needed.") }
    if roundMilliseconds <= 0 {
      throw ValidationError("--round-milliseconds \(roundMilliseconds): it must be positive.")
    }
  }

  func run() throws {
    let old = try compare.map { try ResultFile.read($0) }
    let chosen = allRows().filter { row in
      (heavy || !row.isHeavy) && (filter.isEmpty || filter.contains { row.id.contains($0) })
    }
    if chosen.isEmpty { throw ValidationError("No row is named like \(filter). Try --list.") }
    if list { return chosen.forEach { print($0.id) } }
    // Locks have their real price in a process that has had a second thread.
    onStack(bytes: 1 << 20) {}
    let measuring = Measuring(rounds: rounds, roundNanoseconds: roundMilliseconds * 1e6)
    var rows: [Row] = []
    for benchmark in chosen {
      printProgress(benchmark.id)
      rows.append(measuring.measure(benchmark))
    }
    printProgress("")
    Table(rows: rows).print()
    let result = ResultFile(rows: rows)
    try json.map { try result.write($0) }
    try svg.map { try Chart(rows).svg.write(toFile: $0, atomically: true, encoding: .utf8) }
    if let old { result.printComparison(with: old) }
    try report(rows)
  }

  /// Wrong answers, and budgets that were not met.
  private func report(_ rows: [Row]) throws {
    let missed = rows.filter { ["MISSED", "ALLOC"].contains($0.verdict) }
    if !missed.isEmpty { print("\nmissed: \(missed.map(\.name).joined(separator: " · "))") }
    var isWrong = false
    for row in rows {
      for measurement in row.measurements {
        guard let wrong = measurement.wrong else { continue }
        print("WRONG \(row.id) (\(measurement.who.rawValue)): \(wrong)")
        isWrong = true
      }
    }
    if isWrong { throw ExitCode.failure }
  }
}

func allRows() -> [Benchmark] { budgetRows() + shapeRows() }
