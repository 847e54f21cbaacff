import Foundation

let rounds = 15

/// Nanoseconds an element of the result: the best and the median of the rounds.
struct Time {
  var best: Double
  var median: Double
}

/// Measures what makes `count` elements and returns their sum.
///
/// Of this thread on its processor, so that what else the machine does counts little; the best round is the one that was
/// disturbed least.
func measure(_ expected: Int, _ body: () -> Int) -> Time {
  var times: [Double] = []
  for _ in 0..<rounds {
    let start = processorNanoseconds()
    precondition(body() == expected, "a wrong sum")
    times.append((processorNanoseconds() - start) / Double(count))
  }
  times.sort()
  return Time(best: times[0], median: times[rounds / 2])
}

func processorNanoseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Something that depends on all elements and their order, and that no compiler knows a formula for.
func sum(_ elements: some Sequence<Int>) -> Int {
  var sum = 0
  for element in elements { add(element, to: &sum) }
  return sum
}

@inline(__always) func add(_ element: Int, to sum: inout Int) {
  sum = (sum << 1 | sum >> 63) ^ element
}

func row(_ name: String, _ time: Time) {
  func nanoseconds(_ time: Double) -> String {
    let tenths = Int((time * 10).rounded())
    return padded("\(tenths / 10).\(tenths % 10)", 10)
  }
  print(name.padding(48) + nanoseconds(time.best) + nanoseconds(time.median))
}

func head(_ title: String) {
  print("\n" + title.padding(48) + padded("best", 10) + padded("median", 10))
}

func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

extension String {
  func padding(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
