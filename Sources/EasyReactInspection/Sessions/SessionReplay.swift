import EasyReact

/// Plays the inputs of a session on a fresh graph of the same program.
///
///     let graph = Shop()                                   // nothing has been set yet
///     var replay = SessionReplay(session)
///     replay.play("count", into: graph.count)              // a type that can be read from its description
///     replay.play("price", into: graph.price) { Price($0) }
///     let report = replay.run()
///     print(report)                                        // 12 turns played
///
/// Sets come in their order, those of one turn in one batch, with the recorded context, as text. Values are only known by
/// their descriptions, so each input says how to read one.
public struct SessionReplay {
  /// What became of the inputs.
  public struct Report: Hashable, Sendable, CustomStringConvertible {
    /// Turns in which everything was played.
    public var played = 0
    /// Inputs that were left out, by label and reason, with how often.
    public var leftOut: [String: Int] = [:]

    public var description: String {
      let lines = leftOut.sorted { $0.key < $1.key }.map { "; \($0.value) × \($0.key)" }
      return "\(played) turns played" + lines.joined()
    }
  }

  private let turns: [SessionTurn]
  private let descriptionLength: Int?
  private var players: [String: @Sendable (ValueRecord, String?) -> (@Sendable () -> Void)?] = [:]

  public init(_ session: GraphSession) {
    turns = session.turns
    descriptionLength = session.records.descriptionLength
  }

  /// The recorded values of the node of that name go into `node`. `read` gives nil for a text that is no value.
  public mutating func play<Value: Sendable>(
    _ name: String, into node: MutableNode<Value>,
    reading read: @escaping @Sendable (String) -> Value?
  ) {
    players[name] = { [descriptionLength] record, context in
      if record.form == .empty { return { node.clean() } }
      guard record.form == .value, !record.isCut(at: descriptionLength), let text = record.text,
        let value = read(text)
      else { return nil }
      if let context { return { node.set(value, context: context) } }
      return { node.set(value) }
    }
  }

  /// The same for a type that reads its own description: numbers, `Bool`, `String`, …
  public mutating func play<Value: LosslessStringConvertible & Sendable>(
    _ name: String, into node: MutableNode<Value>
  ) {
    play(name, into: node) { Value($0) }
  }

  /// Plays all turns.
  ///
  /// - Parameter wait: Called before each turn with the time since the one before: `scheduler.advance(by: $0)` if a
  ///   graph waits for timers of a virtual scheduler.
  @discardableResult
  public func run(waiting wait: (Duration) -> Void = { _ in }) -> Report {
    var report = Report()
    var last = turns.first?.moment.time ?? .zero
    for turn in turns {
      wait(turn.moment.time - last)
      last = turn.moment.time
      var steps: [@Sendable () -> Void] = []
      for input in turn.inputs {
        guard let player = players[input.name ?? input.label] else {
          report.leftOut["\(input.label): nobody plays it", default: 0] += 1
          continue
        }
        guard let step = player(input.value, input.context) else {
          report.leftOut["\(input.label): its description gives no value", default: 0] += 1
          continue
        }
        steps.append(step)
      }
      if steps.count == turn.inputs.count { report.played += 1 }
      if steps.count > 1 {
        batch { for step in steps { step() } }
      } else {
        for step in steps { step() }
      }
    }
    return report
  }
}

/// Where two sessions of a program differ: a node that did not tell the same.
public struct SessionDifference: Codable, Hashable, Sendable, CustomStringConvertible {
  public var name: String
  /// The place of the first value that differs, counted from zero.
  public var index: Int
  /// nil: there is none there.
  public var first: String?
  public var second: String?

  public var description: String {
    "\(name): value \(index + 1) is \(first ?? "missing") in the first and \(second ?? "missing") in the second"
  }
}

extension GraphSession {
  /// The named nodes that did not tell the same values in both, in order of their names, each with its first difference.
  ///
  ///     let again = GraphSession(program: "Shop", records: recorder.records)
  ///     print(session.differences(from: again))    // []: the same
  ///
  /// - Parameter names: The nodes to look at; nil: all that have a name in both.
  public func differences(from other: GraphSession, of names: Set<String>? = nil)
    -> [SessionDifference]
  {
    let (one, two) = (told, other.told)
    let compared = names ?? Set(one.keys).intersection(two.keys)
    return compared.sorted().compactMap { name in
      let (a, b) = (one[name] ?? [], two[name] ?? [])
      guard a != b else { return nil }
      let index = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
      return SessionDifference(
        name: name, index: index, first: index < a.count ? a[index] : nil,
        second: index < b.count ? b[index] : nil)
    }
  }
}
