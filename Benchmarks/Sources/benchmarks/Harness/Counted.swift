import CBenchmarks

/// What callgrind counts: `--toggle-collect=benchmarks_counted`.
func counted(_ body: @escaping () -> Void) {
  let counted = Counted(body: body)
  withExtendedLifetime(counted) {
    benchmarks_counted(
      { Unmanaged<Counted>.fromOpaque($0).takeUnretainedValue().body() },
      Unmanaged.passUnretained(counted).toOpaque())
  }
}

private final class Counted {
  let body: () -> Void
  init(body: @escaping () -> Void) { self.body = body }
}
