import EasyReact
import Foundation
import Synchronization

// MARK: - What the store says

extension Replica {
  func receive(_ event: StoreEvent) {
    let (isFirst, isCostly, overtaken) = arrived.withLock { arrived in
      var overtaken: StoreEvent?
      if case .entry = event, case .entry? = arrived.events.last, telling == .newest {
        overtaken = arrived.events.removeLast()
      }
      arrived.events.append(event)
      defer { arrived.isComing = true }
      return (!arrived.isComing, arrived.isCostly, overtaken)
    }
    _ = consume overtaken  // not under the lock: to free its bytes may run code of the program's
    if !isFirst { return }
    // What comes with it is taken in with it: what waits is computed once for all of them.
    if isCostly { store.scheduler.schedule { self.takeIn() } } else { takeIn() }
  }

  /// What has come so far, decoded here, where nobody waits.
  private func takeIn() {
    while true {
      let events = arrived.withLock { arrived in
        defer { arrived.events = [] }
        if arrived.events.isEmpty { arrived.isComing = false }
        return arrived.events
      }
      if events.isEmpty { return }
      var entries: [State.Entry] = []
      for event in events {
        if case .entry(let entry) = event {
          entries.append(decode(entry))
        } else {
          apply(&entries)
          apply(event)
        }
      }
      apply(&entries)
    }
  }

  /// Those that came one after the other.
  private func apply(_ entries: inout [State.Entry]) {
    if entries.isEmpty { return }
    step { [entries] state in
      for entry in entries { state.received(entry) }
      return .goOn
    }
    entries = []
  }

  private func apply(_ event: StoreEvent) {
    switch event {
    case .entry: break
    case .current:
      step {
        $0.becameCurrent()
        return .goOn
      }
    case .reset:
      step {
        $0.lostEverything()
        return .nothing
      }
    }
  }

  private func decode(_ entry: StoreEntry) -> State.Entry {
    var decoded = State.Entry(
      revision: entry.revision, value: nil, envelope: .unknown(at: entry.revision), problem: nil)
    do throws(SharedProblem) {
      // A deletion by another tool has no bytes.
      if entry.isDeletion, entry.bytes.isEmpty { return decoded }
      let opened = try Envelope.open(entry.bytes, key: key)
      decoded.envelope = opened.envelope
      if telling == .every { decoded.earlier = opened.earlier.compactMap(decode) }
      if !entry.isDeletion { decoded.value = Box(try decode(opened.value)) }
    } catch { decoded.problem = error }
    return decoded
  }

  /// Nil: it cannot be read, and counts as missed. Within that: nil if the key was cleaned.
  private func decode(_ earlier: Envelope.Earlier) -> AnyBox?? {
    guard let bytes = earlier.bytes else { return .some(nil) }
    return (try? decode(bytes)).map { .some(Box($0)) }
  }

  private func decode(_ bytes: Data) throws(SharedProblem) -> Value {
    do { return try coding.decode(bytes) } catch {
      throw SharedProblem(
        .undecodable, "the store holds bytes that are no value of \(Value.self): \(error)",
        at: "key “\(key)”", remedy: "Another program, or another version, has set another type.")
    }
  }
}
