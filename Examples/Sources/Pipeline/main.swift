// Statistics over a file of days: its lines are played into a node, and three actors await what it tells, each at its own pace.
import EasyReact
import EasySequence
import EasySequenceBridge
import Foundation

func printTable<Key: Comparable>(_ title: String, _ statistics: [Key: Statistics]) {
  func left(_ text: String) -> String { text.padding(toLength: 9, withPad: " ", startingAt: 0) }
  print("\n" + left(title) + "     days  rain mm  mean °C  coldest  warmest wind m/s")
  for (key, known) in statistics.sorted(by: { $0.key < $1.key }) {
    let numbers = String(
      format: "%9d%9.1f%9.1f%9.1f%9.1f%9.1f", known.days, known.rain, known.mean, known.coldest,
      known.warmest, known.wind)
    print(left("\(key)") + " " + numbers)
  }
}

func stop(_ message: String) -> Never {
  FileHandle.standardError.write(Data((message + "\n").utf8))
  exit(1)
}

let own = #filePath.dropLast("Sources/Pipeline/main.swift".count) + "Data/seattle-weather.csv"
let path = CommandLine.arguments.dropFirst().first ?? String(own)
guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
  stop("\(path) is no text that can be read. Pass a CSV file with the columns \(Day.header).")
}
let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
guard let header = lines.first, header == Day.header else {
  stop("\(path): line 1 is not “\(Day.header)”. Pass a CSV file with these columns.")
}

let line = MutableNode<(offset: Int, element: Substring)>()
let result = line.tryMap(Day.init)
let rows = result.scan(into: Row()) { $0.follow($1) }.startWith(Row())

let bag = CancelableBag()
result.failures().listen { print("left out: \($0)") }.store(in: bag)
result.successes().filter { $0.precipitation > 0 }
  .scan { $0.precipitation < $1.precipitation ? $1 : $0 }.distinctUntilChanged(on: \.date)
  .listen { print("the wettest day so far: \($0.date), \($0.precipitation) mm") }.store(in: bag)

let months = Reader([Int: Statistics]()), weather = Reader([Substring: Statistics]())
let display = Reader(Row(), pause: .milliseconds(20))  // takes its time, never misses the last row
async let _ = months.read(rows.values(buffering: .unbounded)) { known, row in
  if let day = row.day { known[day.month, default: Statistics()].add(day) }
}
async let _ = weather.read(rows.values(buffering: .unbounded)) { known, row in
  if let day = row.day { known[day.weather, default: Statistics()].add(day) }
}
async let _ = display.read(rows.values) { $0 = $1 }

let slowest = Node.combine([months.seen, weather.seen, display.seen]).map { $0.min() ?? 0 }
_ = try await slowest.first { _ in true }  // all three listen
LazyStream(lines.dropFirst().dropLast(lines.last == "" ? 1 : 0)).enumerated().play(into: line)
_ = try await slowest.first { $0 == rows.current.number }

printTable("month", await months.known)
printTable("weather", await weather.known)
let all = await display.known
print("\n\(all.number) rows: \(all.used) used, \(all.leftOut) left out")
