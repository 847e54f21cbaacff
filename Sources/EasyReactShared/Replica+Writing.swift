import EasyReact
import Foundation

// MARK: - Writing

extension Replica {
  func write(_ attempt: State.Attempt) {
    let write: StoreWrite
    do throws(SharedProblem) { write = try encode(attempt) } catch {
      return store.scheduler.schedule { self.answer(attempt.number, .refused(error)) }
    }
    store.write(write) { self.answer(attempt.number, $0) }
  }

  private func encode(_ attempt: State.Attempt) throws(SharedProblem) -> StoreWrite {
    var size = 0
    func bytes(_ value: AnyBox?) throws(SharedProblem) -> Data? {
      let bytes = try encode(value)
      size += bytes?.count ?? 0
      if size > Envelope.bytesAtOnce, !attempt.earlier.isEmpty {
        throw .tooLarge(size, limit: Envelope.bytesAtOnce, key: key)  // then fewer at once
      }
      return bytes
    }
    var earlier: [Envelope.Earlier] = []
    for made in attempt.earlier {
      earlier.append(.init(sequence: made.sequence, bytes: try bytes(made.value)))
    }
    let last = try bytes(attempt.value) ?? Data()
    return StoreWrite(
      key: key, bytes: attempt.envelope.bytes(before: last, after: earlier),
      isDeletion: attempt.value == nil, expected: attempt.expected)
  }

  private func encode(_ value: AnyBox?) throws(SharedProblem) -> Data? {
    guard let value else { return nil }
    do { return try coding.encode(value.open(Value.self)) } catch {
      throw SharedProblem(
        .unencodable, "a value of \(Value.self) cannot be turned into bytes: \(error)",
        at: "key “\(key)”", remedy: "Set another value; or make its encoding cover this one.")
    }
  }

  private func answer(_ number: UInt64, _ answer: StoreAnswer) {
    step { $0.answered(number, answer) }
  }

  /// A conflict: what was first has not come yet. It will, unless it is gone already.
  func look(for number: UInt64, after pause: Duration) {
    store.scheduler.schedule(after: pause) { [weak self] in
      guard let self else { return }
      store.get(key) { self.found($0, for: number) }
    }
  }

  private func found(_ result: Result<StoreEntry?, SharedProblem>, for number: UInt64) {
    let newest = try? result.map { $0?.revision ?? 0 }.get()
    step { $0.found(newest, for: number) }
  }
}
