// Statistics over a file of days: a lazy stream of lines, played into a graph that keeps running totals by month and by weather.
import EasyReact
import EasySequence
import EasySequenceBridge
import Foundation

/// Running statistics of the days with the same key.
func statistics<Key: Hashable & Sendable>(
  of days: Node<Day>, by key: @escaping @Sendable (Day) -> Key
) -> Node<[Key: Statistics]> {
  days.groupBy(key)
    .mergeMap { group in
      group.values.scan(into: Statistics()) { $0.add($1) }.map { (group.key, $0) }
    }
    .scan(into: [:]) { $0[$1.0] = $1.1 }
    .startWith([:])
}

func printTable<Key: Comparable>(
  _ title: String, _ statistics: [Key: Statistics], name: (Key) -> String
) {
  func print(_ first: String, _ others: [String]) {
    let padded = others.map { String(repeating: " ", count: max(0, 9 - $0.count)) + $0 }
    Swift.print(first.padding(toLength: 10, withPad: " ", startingAt: 0) + padded.joined())
  }
  print("\n" + title, ["days", "rain mm", "mean °C", "coldest", "warmest", "wind m/s"])
  for (key, known) in statistics.sorted(by: { $0.key < $1.key }) {
    let numbers = [known.rain, known.mean, known.coldest, known.warmest, known.wind]
    print(name(key), ["\(known.days)"] + numbers.map { String(format: "%.1f", $0) })
  }
}

func stop(_ message: String) -> Never {
  FileHandle.standardError.write(Data((message + "\n").utf8))
  exit(1)
}

let own = #filePath.dropLast("Sources/Pipeline/main.swift".count) + "Data/seattle-weather.csv"
let path = CommandLine.arguments.dropFirst().first ?? String(own)
if path == "--help" {
  print("Pipeline [FILE] prints statistics of a CSV file with the columns \(Day.header).")
  exit(0)
}
guard let file = LinesOfFile(path) else {
  stop("\(path): \(String(cString: strerror(errno))). Pass the path of a CSV file.")
}
guard file.next() == Day.header else {
  stop("\(path): line 1 is not “\(Day.header)”. Pass a CSV file with these columns.")
}

let line = MutableNode<(offset: Int, element: String)>()
let row = line.tryMap(Day.init)
let days = row.successes()
let byMonth = statistics(of: days, by: \.month), byWeather = statistics(of: days, by: \.weather)
let rows = line.count().startWith(0)
let used = days.count().startWith(0), leftOut = row.failures().count().startWith(0)
let report = byMonth.combine(byWeather, rows, used, leftOut)

let bag = CancelableBag()
row.failures().listen { print("left out: \($0)") }.store(in: bag)
days.filter { $0.precipitation > 0 }
  .scan { $0.precipitation < $1.precipitation ? $1 : $0 }.distinctUntilChanged(on: \.date)
  .listen { print("the wettest day so far: \($0.date), \($0.precipitation) mm") }.store(in: bag)

LazyStream(file).enumerated().play(into: line)

// Of one moment, as everything that a combination tells.
let (months, kinds, all, good, bad) = report.current
printTable("month", months) { "\($0)" }
printTable("weather", kinds) { String($0) }
print("\n\(all) rows: \(good) used, \(bad) left out")
