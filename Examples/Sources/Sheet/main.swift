// A spreadsheet: cells are nodes, and what a cell follows changes with its formula. What changes is told, each cell once.
let help = """
  Sheet reads commands, a line each, and prints what changes:
    A1 = 1+B2      sets a cell, from A1 to T10: numbers, "text", + - * / ( ), SUM(A1:A5); with nothing after = it is emptied
    undo           takes the last change back
    show [A1:C3]   prints a table, of all that is in use or of a part
    graph A1       what the node of a cell follows, and where it leads
    quit           so does the end of the input; help prints this
  Marks: #CYCLE, #TYPE (a text where a number is needed), #NUM (a division by zero, or too large a number).
  An example: swift run --package-path Examples Sheet < Examples/Expected/Sheet.in
  """

let sheet = Sheet { place, value in print("  \(place): \(value)") }

func show(_ places: [Place]) {
  if places.isEmpty { return print("  the sheet is empty") }
  let columns = Set(places.map(\.column)).sorted(), rows = Set(places.map(\.row)).sorted()
  let head = [""] + columns.map { "\(Place.columns[$0])" }
  let table =
    [head]
    + rows.map { row in
      ["\(row + 1)"] + columns.map { "\(sheet.value(Place(column: $0, row: row)))" }
    }
  let widths = head.indices.map { column in table.map { $0[column].count }.max() ?? 0 }
  for line in table {
    let cells = zip(line, widths).map { String(repeating: " ", count: $1 - $0.count) + $0 }
    print("  " + cells.joined(separator: "  "))
  }
}

func run(_ command: Command) {
  switch command {
  case .nothing, .quit: break
  case .help: print(help)
  case .undo: if !sheet.undo() { print("  nothing to undo") }
  case .show(let places): show(places ?? sheet.used)
  case .graph(let places):
    for place in places {
      let (upstream, downstream) = sheet.neighbours(of: place)
      print(
        "  \(upstream.joined(separator: ", ")) -> \(place) -> \(downstream.joined(separator: ", "))"
      )
    }
  case .set(let place, let formula): sheet.set(place, to: formula)
  }
}

if CommandLine.arguments.count > 1 {
  print(help)
} else {
  var number = 0
  input: while let line = readLine() {
    number += 1
    print("> \(line)")
    do throws(SyntaxError) {
      var parser = try Parser(line)
      let command = try parser.command()
      if case .quit = command { break input }
      run(command)
    } catch {
      print("  line \(number), column \(error.column): \(error.message)")
    }
  }
}
