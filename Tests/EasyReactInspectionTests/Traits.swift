import Testing

/// One after the other with all that has this trait: one recorder runs at a time in the process, and hears all of it.
struct AloneTrait: SuiteTrait, TestTrait, TestScoping {
  private actor Turnstile {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func enter() async {
      if !isTaken { return isTaken = true }
      await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
      if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
  }
  private static let turnstile = Turnstile()

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turnstile.enter()
    let result: Result<Void, any Error>
    do { result = .success(try await function()) } catch { result = .failure(error) }
    await Self.turnstile.leave()
    try result.get()
  }
}

/// The test must fail, and does not count as failed then.
struct FailsTrait: TestTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await withKnownIssue { try await function() }
  }
}

extension Trait where Self == AloneTrait {
  static var alone: Self { AloneTrait() }
}
extension Trait where Self == FailsTrait {
  static var fails: Self { FailsTrait() }
}
