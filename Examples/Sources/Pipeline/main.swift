// Statistics over a file of days: a lazy stream of lines is played into a node, and three actors await what it tells, each at its own pace.
import EasyReact
import EasySequence
import EasySequenceBridge
import Foundation

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
guard let file = lines(of: path) else {
  stop("\(path): \(String(cString: strerror(errno))). Pass the path of a CSV file.")
}
guard file.next() == Day.header else {
  stop("\(path): line 1 is not “\(Day.header)”. Pass a CSV file with these columns.")
}

let line = MutableNode<(offset: Int, element: String)>()
let result = line.tryMap(Day.init)
let rows = result.scan(into: Row()) { $0.follow($1) }.startWith(Row())

let bag = CancelableBag()
result.failures().listen { print("left out: \($0)") }.store(in: bag)
result.successes().filter { $0.precipitation > 0 }
  .scan { $0.precipitation < $1.precipitation ? $1 : $0 }.distinctUntilChanged(on: \.date)
  .listen { print("the wettest day so far: \($0.date), \($0.precipitation) mm") }.store(in: bag)

let months = Reader([Int: Statistics]()), weather = Reader([Substring: Statistics]())
let display = Reader(Row())  // takes its time, misses what comes meanwhile, and never the last
async let _ = months.read(rows.values(buffering: .unbounded)) { known, row in
  if let day = row.day { known[day.month, default: Statistics()].add(day) }
}
async let _ = weather.read(rows.values(buffering: .unbounded)) { known, row in
  if let day = row.day { known[day.weather, default: Statistics()].add(day) }
}
async let _ = display.read(rows.values, pause: .milliseconds(20)) { $0 = $1 }

let slowest = Node.combine([months.seen, weather.seen, display.seen]).map { $0.min() ?? 0 }
_ = try await slowest.first { _ in true }  // all three listen
LazyStream(file).enumerated().play(into: line)
_ = try await slowest.first { $0 == rows.current.number }

printTable("month", await months.known) { "\($0)" }
printTable("weather", await weather.known) { String($0) }
let all = await display.known
print("\n\(all.number) rows: \(all.used) used, \(all.leftOut) left out")
