import EasyReact
import OpenCombine

/// The same for values with a reference count: strings too long to lie inside themselves, and
/// objects. A string may cost 25 ns more a hop than an integer.
func valueRows() -> [Benchmark] {
  [
    valueRow("String", 0, Budget(limit: 85, allocations: 0), string),
    valueRow("String", 10, Budget(limit: 430, allocations: 0), string),
    valueRow("object", 0, Budget(limit: 85, allocations: 0), object),
    valueRow("object", 10, Budget(limit: 430, allocations: 0), object),
  ]
}

private let string: @Sendable (Int) -> String = {
  "a string that is too long to lie in itself \($0)"
}
private let object: @Sendable (Int) -> Item = { Item(number: $0) }

/// An object as a value.
private final class Item: Measured {
  let number: Int
  init(number: Int) { self.number = number }
  var size: Int { number }
  static func == (a: Item, b: Item) -> Bool { a === b }
}

/// What a listener of a test can add up.
private protocol Measured: Sendable, Equatable {
  var size: Int { get }
}

extension String: Measured {
  fileprivate var size: Int { utf8.count }
}

/// A round goes through values that were made before it, so making them is not timed.
private func valueRow<Value: Measured>(
  _ type: String, _ length: Int, _ budget: Budget, _ make: @escaping @Sendable (Int) -> Value
) -> Benchmark {
  let name = length == 0 ? "set, 1 listener, \(type)" : "chain of \(length) maps, \(type)"
  return Benchmark(
    "budget", name, budget: budget,
    ours: { valueChain(OurKit<Value>(), length, make) },
    openCombine: { valueChain(OpenCombineKit<Value>(), length, make) },
    floor: {
      let sink = Sink()
      let values = (0..<64).map(make)
      let source = Plain(values[0])
      var end = source
      for _ in 0..<length { end = end.map { $0 } }
      end.listen { sink.add($0.size) }
      return valueTrial(sink, [], values) { source.set($0) }
    })
}

private func valueChain<Value: Measured, K: Kit<Value>>(
  _ kit: K, _ length: Int, _ make: (Int) -> Value
) -> Trial {
  let sink = Sink()
  let values = (0..<64).map(make)
  let source = kit.source(values[0])
  var end = kit.cell(source)
  for _ in 0..<length { end = kit.map(end) { $0 } }
  let listening = kit.listen(end) { sink.add($0.size) }
  return valueTrial(sink, [listening], values) { kit.set(source, $0) }
}

private func valueTrial<Value: Measured>(
  _ sink: Sink, _ keep: [Any], _ values: [Value], _ set: @escaping (Value) -> Void
) -> Trial {
  Trial(
    sink, keep: keep, calls: { $0 },
    sum: { count in (0..<count).reduce(0) { $0 + values[$1 & 63].size } }
  ) { count in
    for index in 0..<count { set(values[index & 63]) }
  }
}
