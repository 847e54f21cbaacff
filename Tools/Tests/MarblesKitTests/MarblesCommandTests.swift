import ArgumentParser
import Foundation
import MarblesKit
import Testing

@testable import EasyReactCommand

@Suite struct `The command line of easyreact marbles` {
  private func marbles(_ arguments: String...) throws -> MarblesCommand {
    try #require(try EasyReactCommand.parseAsRoot(["marbles"] + arguments) as? MarblesCommand)
  }

  @Test func `takes a name, inputs, and how to draw`() throws {
    let command = try marbles("zip", "--input", "a: 1-2", "--input", "x:-ab", "--svg")
    #expect(command.name == "zip" && command.svg && !command.all && command.out == nil)
    #expect(command.inputs == ["a: 1-2", "x: -ab"])
  }

  @Test func `lists all operators by topic`() {
    let lines = MarblesCommand.list.split(separator: "\n")
    for topic in Catalogue.topics { #expect(lines.contains(Substring(topic.title))) }
    for entry in Catalogue.entries {
      #expect(lines.contains { $0.hasPrefix("  \(entry.name) ") && $0.hasSuffix(entry.sentence) })
    }
  }

  @Test(arguments: [
    (["debunce"], "there is no operator 'debunce'. Did you mean debounce?"),
    (["map", "--input", "b: 1"], "map has no input 'b', but: a"),
    (["map", "--input", "1-2"], "an input is a name, a colon and marbles"),
    (["map", "--input", "a: 1-["], "the group is not closed"),
    (["map", "--input", "a: 1-x"], "“x” is not of type Int; column 3"),
    (["--input", "a: 1"], "--input needs the name of an operator"),
    (["--svg"], "--svg needs the name of an operator, or --all"),
    (["--out", "x"], "--out needs the name of an operator, or --all"),
    (["--all"], "--all needs --out and a folder"),
    (["--all", "--out", ""], "--out needs the name of a file or folder"),
    (["--all", "map", "--out", "x"], "--all and the name of an operator do not go together"),
    (["--all", "--input", "a: 1", "--out", "x"], "--all and --input do not go together"),
    (["map", "zip"], "Unexpected argument 'zip'"),
  ])
  func `says what is wrong`(arguments: [String], reason: String) {
    let error = #expect(throws: (any Error).self) {
      try EasyReactCommand.parseAsRoot(["marbles"] + arguments)
    }
    guard let error else { return }
    #expect(EasyReactCommand.fullMessage(for: error).contains(reason))
    #expect(EasyReactCommand.exitCode(for: error) == .validationFailure)
  }

  @Test func `writes one picture, or one a operator`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "marbles-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let all = try marbles("--all", "--out", folder.path)
    try all.run()
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(files) == Set(Catalogue.entries.map { "\($0.name).svg" }))
    let file = folder.appending(path: "one.txt")
    let one = try marbles("map", "--input", "a: 4-5", "--out", file.path)
    try one.run()
    #expect(
      try String(contentsOf: file, encoding: .utf8) == """
        map: Each value becomes what the closure makes of it.

          a  4   -5
             a.map { $0 * 10 }
          →  '40'-'50'

        """)
    let nowhere = try marbles("map", "--out", "/nowhere/at/all.svg")
    let error = #expect(throws: (any Error).self) { try nowhere.run() }
    #expect(
      EasyReactCommand.fullMessage(for: error!).contains("cannot write '/nowhere/at/all.svg'"))
  }

  @Test func `has help that teaches the grammar`() {
    let help = EasyReactCommand.helpMessage(for: MarblesCommand.self)
    for word in ["'long'", "[12]", "emptied", "EXAMPLES", "--input", "--all"] {
      #expect(help.contains(word))
    }
  }
}
