// The layered graph: rows of nodes that add up `reads` nodes of the row above; an operation is one
// write and one reading of the chosen leaves, and a round is the whole run that the oracle belongs
// to. Dynamic nodes have edges to all that they may read: reference/benchmarks.md shows that this
// costs less than 0.3 % of recomputations.

struct LayeredConfiguration {
  let name: String
  let width: Int, layers: Int, reads: Int
  let staticShare: Double, readShare: Double
  let iterations: Int
  let sum: Double
  let recomputations: Int
  /// Writes i + i/W instead of i + k, so that dynamic nodes do change what they read, and stops at
  /// equal values.
  var isTrulyDynamic = false

  static let all: [LayeredConfiguration] = [
    .init(
      name: "simple component", width: 10, layers: 5, reads: 2, staticShare: 1, readShare: 0.2,
      iterations: 600_000, sum: 19_199_968, recomputations: 8_400_000),
    .init(
      name: "dynamic component", width: 10, layers: 10, reads: 6, staticShare: 0.75, readShare: 0.2,
      iterations: 15_000, sum: 302_310_782_860, recomputations: 1_290_000),
    .init(
      name: "large web app", width: 1_000, layers: 12, reads: 4, staticShare: 0.95, readShare: 1,
      iterations: 7_000, sum: 29_355_933_696_000, recomputations: 1_463_000),
    .init(
      name: "wide dense", width: 1_000, layers: 5, reads: 25, staticShare: 1, readShare: 1,
      iterations: 3_000, sum: 1_171_484_375_000, recomputations: 732_000),
    .init(
      name: "deep", width: 5, layers: 500, reads: 3, staticShare: 1, readShare: 1,
      iterations: 500, sum: 3.0239642676898464e241, recomputations: 1_246_500),
    .init(
      name: "very dynamic", width: 100, layers: 15, reads: 6, staticShare: 0.5, readShare: 1,
      iterations: 2_000, sum: 15_664_996_402_790_400, recomputations: 1_078_000),
    .init(
      name: "dynamic component, truly", width: 10, layers: 10, reads: 6, staticShare: 0.75,
      readShare: 0.2, iterations: 15_000, sum: 274_190_464_255, recomputations: 1_290_000,
      isTrulyDynamic: true),
    .init(
      name: "large web app, truly dynamic", width: 1_000, layers: 12, reads: 4, staticShare: 0.95,
      readShare: 1, iterations: 7_000, sum: 26_906_299_810_125, recomputations: 1_462_244,
      isTrulyDynamic: true),
    .init(
      name: "very dynamic, truly", width: 100, layers: 15, reads: 6, staticShare: 0.5, readShare: 1,
      iterations: 2_000, sum: 8_384_758_571_986_399, recomputations: 1_068_308,
      isTrulyDynamic: true),
  ]
}

func layeredRows() -> [Benchmark] {
  LayeredConfiguration.all.map { configuration in
    if configuration.name == "deep" {  // its sums are beyond integers
      return Benchmark(
        "layered", configuration.name, count: configuration.iterations,
        ours: { layered(OurKit<Double>(), configuration) },
        floor: { layered(FloorKit<Double>(), configuration) })
    }
    return Benchmark(
      "layered", configuration.name, count: configuration.iterations,
      ours: { layered(OurKit<Int>(), configuration) },
      floor: { layered(FloorKit<Int>(), configuration) })
  }
}

/// A number that can be odd.
protocol Layerable: Sendable, Equatable {
  static var zero: Self { get }
  init(_ value: Int)
  static func + (a: Self, b: Self) -> Self
  /// The index to skip when odd, else nil.
  func skipped(of count: Int) -> Int?
  var asDouble: Double { get }
}

extension Int: Layerable {
  func skipped(of count: Int) -> Int? { self & 1 == 0 ? nil : self % count }
  var asDouble: Double { Double(self) }
}

extension Double: Layerable {
  func skipped(of count: Int) -> Int? { nil }
  var asDouble: Double { self }
}

private func layered<K: Kit>(_ kit: K, _ configuration: LayeredConfiguration) -> Trial
where K.Value: Layerable {
  let width = configuration.width
  let computed = Sink()
  var random = SmallRandom(seed: "seed")
  let sources = (0..<width).map { kit.source(K.Value($0)) }
  var row = sources.map { source in
    configuration.isTrulyDynamic ? kit.distinct(kit.cell(source)) : kit.cell(source)
  }
  var all: [K.Cell] = row
  for _ in 1..<configuration.layers {
    let above = row
    row = (0..<width).map { index in
      let read = (0..<configuration.reads).map { above[(index + $0) % width] }
      let isStatic = random.next() < configuration.staticShare
      let sum = kit.join(read) { values in
        computed.add(0)
        return isStatic ? total(values) : dynamicTotal(values)
      }
      return configuration.isTrulyDynamic ? kit.distinct(sum) : sum
    }
    all += row
  }
  let leaves = chosen(row, 1 - configuration.readShare)
  let stays = all
  return Trial(
    keep: [stays, kit],
    run: { count in
      _ = computed.take()
      for index in 0..<count {
        let source = index % width
        let added = configuration.isTrulyDynamic ? index / width : source
        kit.set(sources[source], K.Value(index + added))
        for leaf in leaves { readCell(kit, leaf) }
      }
    },
    check: layeredCheck(kit, configuration, leaves, computed))
}

@inline(never) private func readCell<K: Kit>(_ kit: K, _ cell: K.Cell) { _ = kit.value(cell) }

/// The first run begins from another state, so only its sum is compared.
private func layeredCheck<K: Kit>(
  _ kit: K, _ configuration: LayeredConfiguration, _ leaves: [K.Cell], _ computed: Sink
) -> (Int) throws -> Void where K.Value: Layerable {
  var isFirst = true
  return { count in
    guard count == configuration.iterations else { return }
    let sum = leaves.reduce(K.Value.zero) { $0 + kit.value($1) }
    try expect(sum.asDouble, configuration.sum, "sum of the leaves")
    if isFirst {
      isFirst = false
    } else {
      try expect(computed.take().calls, configuration.recomputations, "recomputations")
    }
  }
}

private func total<Value: Layerable>(_ values: [Value]) -> Value {
  var sum = values[0]
  for value in values[1...] { sum = sum + value }
  return sum
}

private func dynamicTotal<Value: Layerable>(_ values: [Value]) -> Value {
  var sum = values[0]
  let skipped = sum.skipped(of: values.count - 1)
  for index in 0..<values.count - 1 where index != skipped { sum = sum + values[index + 1] }
  return sum
}

private func chosen<Cell>(_ leaves: [Cell], _ share: Double) -> [Cell] {
  var random = SmallRandom(seed: "seed")
  var leaves = leaves
  for _ in 0..<Int((Double(leaves.count) * share).rounded()) {
    leaves.remove(at: Int(random.next() * Double(leaves.count)))
  }
  return leaves
}

/// sfc32, seeded by four draws of xmur3a: both in the public domain, by bryc.
private struct SmallRandom {
  private var a: UInt32, b: UInt32, c: UInt32, d: UInt32

  init(seed: String) {
    var hash: UInt32 = 2_166_136_261
    for byte in seed.utf8 {
      var k = UInt32(byte) &* 3_432_918_353
      k = k << 15 | k >> 17
      hash ^= k &* 461_845_907
      hash = hash << 13 | hash >> 19
      hash = hash &* 5 &+ 3_864_292_196
    }
    hash ^= UInt32(seed.utf8.count)
    func draw() -> UInt32 {
      hash = (hash ^ hash >> 16) &* 2_246_822_507
      hash = (hash ^ hash >> 13) &* 3_266_489_909
      hash ^= hash >> 16
      return hash
    }
    (a, b, c, d) = (draw(), draw(), draw(), draw())
  }

  /// From 0 up to 1.
  mutating func next() -> Double {
    d = d &+ 1
    let t = a &+ b &+ d
    a = b ^ b >> 9
    b = c &+ c << 3
    c = (c << 21 | c >> 11) &+ t
    return Double(t) / 4_294_967_296
  }
}
