/// The shapes of reference/benchmarks.md, in its order.
func shapeRows() -> [Benchmark] {
  kairoRows() + layeredRows() + cellxRows() + createRows() + updateRows() + propagateRows()
    + eightRows() + cycleRows() + churnRows() + contendedRows() + applicationRows() + tracerRows()
    + memoryRows()
}

/// A shape that ours and the floor run, and OpenCombine where it has no joins.
func shape(
  _ group: String, _ name: String, count: Int? = nil,
  ours: @escaping (OurKit<Int>) -> Trial, floor: ((FloorKit<Int>) -> Trial)? = nil,
  openCombine: ((OpenCombineKit<Int>) -> Trial)? = nil
) -> Benchmark {
  Benchmark(
    group, name, count: count, ours: { ours(OurKit()) },
    openCombine: openCombine.map { make in { make(OpenCombineKit()) } },
    floor: floor.map { make in { make(FloorKit()) } })
}
