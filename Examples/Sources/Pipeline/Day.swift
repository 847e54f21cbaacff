/// A row of the file.
struct Day: Sendable {
  let date: Substring, month: Int
  let precipitation: Double, warmest: Double, coldest: Double, wind: Double
  let weather: Substring
}

/// A row that cannot be used: which, and why.
struct BadRow: Error, CustomStringConvertible {
  let line: Int
  let reason: String
  var description: String { "line \(line): \(reason)" }
}

extension Day {
  static let header = "date,precipitation,temp_max,temp_min,wind,weather"

  /// - Parameter line: How many rows stand before it, and its text: `2012/01/31,0.0,12.8,5.0,4.7,drizzle`.
  init(_ line: (offset: Int, element: Substring)) throws(BadRow) {
    let fields = line.element.split(separator: ",", omittingEmptySubsequences: false)
    func bad(_ reason: String) -> BadRow { BadRow(line: line.offset + 2, reason: reason) }
    func number(_ index: Int) throws(BadRow) -> Double {
      guard let number = Double(fields[index]), number.isFinite else {
        throw bad("“\(fields[index])” in column \(index + 1) is no number")
      }
      return number
    }
    guard fields.count == 6 else { throw bad("expected 6 columns, found \(fields.count)") }
    let parts = fields[0].split(separator: "/").compactMap { Int($0) }
    guard parts.count == 3, 1...12 ~= parts[1], 1...31 ~= parts[2] else {
      throw bad("“\(fields[0])” is no date; write it like 2012/01/31")
    }
    (date, month, weather) = (fields[0], parts[1], fields[5])
    (precipitation, warmest) = (try number(1), try number(2))
    (coldest, wind) = (try number(3), try number(4))
  }
}

/// What is known of the days so far.
struct Statistics: Sendable {
  private(set) var days = 0, rain = 0.0, sum = 0.0
  private(set) var warmest = -Double.infinity, coldest = Double.infinity, wind = 0.0
  var mean: Double { sum / Double(days) }

  mutating func add(_ day: Day) {
    days += 1
    rain += day.precipitation
    sum += (day.warmest + day.coldest) / 2
    warmest = max(warmest, day.warmest)
    coldest = min(coldest, day.coldest)
    wind = max(wind, day.wind)
  }
}

/// How far the reading is: the latest day, nil where the row was bad or none has come, and how many rows there were.
struct Row: Sendable {
  private(set) var day: Day?, used = 0, leftOut = 0
  var number: Int { used + leftOut }

  mutating func follow(_ next: Result<Day, BadRow>) {
    day = try? next.get()
    if day == nil { leftOut += 1 } else { used += 1 }
  }
}
