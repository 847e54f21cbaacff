import ArgumentParser
import EasyReactTesting
import Foundation
import MarblesKit

/// `easyreact marbles`: what an operator does, drawn from a run of it.
struct MarblesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "marbles",
    abstract: "Show what an operator does, in a marble diagram drawn from a real run of it.",
    discussion: discussion)

  @Argument(help: "The operator: map, debounce, combine... (default: list all)")
  var name: String?

  @Option(
    name: .customLong("input"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A line in place of the usual one; may be repeated.", valueName: "a: 1--2-3"),
    transform: inputLine)
  var inputs: [InputLine] = []

  @Flag(help: "Draw it as SVG instead, for light and dark screens.")
  var svg = false

  @Flag(help: "All operators; needs --out.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Write into a file instead, or with --all NAME.svg into a folder.", valueName: "path"))
  var out: String?

  func validate() throws {
    if all {
      if name != nil {
        throw ValidationError("--all and the name of an operator do not go together.")
      }
      if !inputs.isEmpty { throw ValidationError("--all and --input do not go together.") }
      if out == nil { throw ValidationError("--all needs --out and a folder for the pictures.") }
    } else if name == nil {
      if !inputs.isEmpty { throw ValidationError("--input needs the name of an operator.") }
      if svg { throw ValidationError("--svg needs the name of an operator, or --all.") }
      if out != nil { throw ValidationError("--out needs the name of an operator, or --all.") }
    }
    if out?.isEmpty == true { throw ValidationError("--out needs the name of a file or folder.") }
    do {
      if let name { _ = try Catalogue.entry(named: name).diagram(changing: inputs) }
    } catch {
      throw ValidationError("\(error)")
    }
  }

  func run() throws {
    if all, let out { return try writeAll(to: out) }
    guard let name else { return print(Self.list, terminator: "") }
    let diagram = try Catalogue.entry(named: name).diagram(changing: inputs)
    let text = svg ? Picture.svg(of: diagram) : diagram.text
    if let out { try write(text, to: out) } else { print(text, terminator: "") }
  }

  private func writeAll(to folder: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw ValidationError("--out: cannot make the folder '\(folder)'.")
    }
    for entry in Catalogue.entries {
      try write(Picture.svg(of: entry.diagram()), to: "\(folder)/\(entry.name).svg")
    }
    print("\(Catalogue.entries.count) pictures in \(folder)")
  }

  private func write(_ text: String, to path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw ValidationError("--out: cannot write '\(path)'.")
    }
  }

  /// All operators by topic, with their sentences.
  static var list: String {
    let width = Catalogue.entries.map(\.name.count).max() ?? 0
    return Catalogue.topics.map { topic in
      let lines = topic.entries.map { entry in
        "  " + entry.name.padding(toLength: width, withPad: " ", startingAt: 0) + "  "
          + entry.sentence
      }
      return ([topic.title] + lines).joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  static let discussion = """
    The operator runs in virtual time; what is drawn is what it did.

    A line is one node, a character a step of time, a second where time matters:
      -       a step passes       [12]    both at the same instant
      1       the value 1         'long'  a value of any length
      ~       the node is emptied !       it is cancelled
    Spaces mean nothing. What the first column has, the node holds from the start.

    EXAMPLES
      easyreact marbles                         list all operators
      easyreact marbles debounce                draw one, as text
      easyreact marbles combine --input "a: 1--2-3" --input "x: --a---"
      easyreact marbles zip --svg > zip.svg     draw one, as a picture
      easyreact marbles --all --out pictures    all of them
    """
}

@Sendable private func inputLine(_ text: String) throws -> InputLine {
  do { return try InputLine(reading: text) } catch { throw ValidationError("\(error)") }
}
