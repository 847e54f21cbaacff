/// The rows of the budget table in reference/benchmarks.md, in its order; then those for other
/// values.
func budgetRows() -> [Benchmark] {
  propagationRows() + joinRows() + derivationRows() + operatorRows() + lifeRows() + threadRows()
    + valueRows()
    + customRows() + writeRows() + eventRows() + moreJoinRows() + followingRows() + timedRows()
    + asynchronousRows()
}
