import EasyReact
import EasyReactTesting

extension Catalogue {
  static let calling: [Entry] = [
    Entry(
      "mapAsync", "What an async call returns for each value; a newer value cancels the call.",
      ["a: 1-2----3----"], known: ["flatMapLatest", "switchMap", "task"]
    ) { draw, s in
      let server = Server(s.clock)
      draw.line("begun", server.begun)
      draw.line("cancelled", server.cancelled)
      draw.result(
        "a.mapAsync(on: clock) { await server.ask($0, for: .seconds(3)) }",
        s.a.mapAsync(on: s.clock) { await server.ask($0, for: .seconds(3)) })
    },
    Entry(
      "mapAsync-ordered", "So many calls at a time; results in the order of the values.",
      ["a: 412---3-----"], known: ["concatMap"]
    ) { draw, s in
      let server = Server(s.clock)
      draw.line("begun", server.begun)
      draw.line("ended", server.ended)
      draw.result(
        "a.mapAsync(.ordered(maxConcurrent: 2), on: clock) { await server.ask($0) }",
        s.a.mapAsync(.ordered(maxConcurrent: 2), on: s.clock) {
          await server.ask($0)
        })
    },
    Entry(
      "mapAsync-unordered", "So many calls at a time; results as they come.",
      ["a: 412---3-----"], known: ["mergeMap"]
    ) { draw, s in
      let server = Server(s.clock)
      draw.line("begun", server.begun)
      draw.result(
        "a.mapAsync(.unordered(maxConcurrent: 2), on: clock) { await server.ask($0) }",
        s.a.mapAsync(.unordered(maxConcurrent: 2), on: s.clock) {
          await server.ask($0)
        })
    },
    Entry(
      "mapAsync-dropWhileBusy", "One call at a time; what comes meanwhile is dropped.",
      ["a: 12--34-5----"], known: ["flatMapFirst", "exhaustMap"]
    ) { draw, s in
      let server = Server(s.clock)
      draw.line("begun", server.begun)
      draw.result(
        "a.mapAsync(.dropWhileBusy, on: clock) { await server.ask($0, for: .seconds(2)) }",
        s.a.mapAsync(.dropWhileBusy, on: s.clock) { await server.ask($0, for: .seconds(2)) })
    },
    Entry(
      "load", "How far the call for the latest value is: … loading, loaded, or ✗ failed.",
      ["a: 1---0---2---"]
    ) { draw, s in
      let server = Server(s.clock)
      draw.line("begun", server.begun)
      draw.result(
        "a.load(on: clock) { try await server.divide(6, by: $0) }",
        s.a.load(on: s.clock) { try await server.divide(6, by: $0) }, as: progress)
    },
  ]
}

/// Answers after a while of virtual time, and tells what becomes of each call.
private final class Server: Sendable {
  let begun = MutableNode<Int>.eventNode()
  let ended = MutableNode<Int>.eventNode()
  let cancelled = MutableNode<Int>.eventNode()
  private let clock: VirtualScheduler

  init(_ clock: VirtualScheduler) { self.clock = clock }

  /// - Parameter duration: Nil: as many seconds as the number says.
  func ask(_ number: Int, for duration: Duration? = nil) async -> Int {
    begun.value = number
    do {
      try await clock.sleep(for: duration ?? .seconds(number))
      ended.value = number
    } catch {
      cancelled.value = number
    }
    return number
  }

  struct DivisionByZero: Error {}

  func divide(_ number: Int, by divisor: Int) async throws -> Int {
    _ = await ask(divisor, for: .seconds(2))
    if divisor == 0 { throw DivisionByZero() }
    return number / divisor
  }
}

/// `…`, `7` or `✗`; behind the first and the last what was loaded before.
@Sendable private func progress(_ state: Loading<Int>) -> String {
  let previous = state.value.map { "\($0)" } ?? ""
  return switch state {
  case .loading: "…\(previous)"
  case .loaded(let value): "\(value)"
  case .failed: "✗\(previous)"
  }
}
