import EasyReactInspection

/// A value as the page shows it.
struct ShownValue: Encodable, Hashable, Sendable {
  var form: ValueRecord.Form
  var text: String?
  /// How often something was stored; for a moment in the past, not told.
  var stored: UInt64?
  /// The wave that stored it, as far as it is known.
  var wave: UInt64?

  init(_ value: ValueRecord, stored: UInt64? = nil, wave: UInt64? = nil) {
    form = value.form
    text = value.text
    self.stored = stored
    self.wave = wave
  }
}

extension GraphRecords {
  /// What each node held after the event `sequence`; nil: holds now. By id.
  ///
  /// The last value stored until then; else what the first one stored later replaced; else what it holds now, for
  /// nothing was stored since.
  func values(at sequence: UInt64?) -> [UInt64: ShownValue] {
    var values: [UInt64: ShownValue] = [:]
    for event in events where event.kind == .stored {
      let isPast = sequence.map { event.sequence <= $0 } ?? true
      if isPast, let new = event.new {
        values[event.node] = ShownValue(new, wave: event.wave)
      } else if !isPast, values[event.node] == nil, let old = event.old {
        values[event.node] = ShownValue(old)
      }
    }
    for node in nodes {
      if sequence == nil {
        values[node.id] = ShownValue(
          node.value, stored: node.counts.stored, wave: values[node.id]?.wave)
      } else if values[node.id] == nil {
        values[node.id] = ShownValue(node.value)
      }
    }
    return values
  }

  /// The events after `sequence`, with everything else.
  func after(_ sequence: UInt64) -> GraphRecords {
    var records = self
    records.events = events.filter { $0.sequence > sequence }
    return records
  }
}

extension [UInt64: ShownValue] {
  /// As JSON needs it.
  var byName: [String: ShownValue] {
    [String: ShownValue](uniqueKeysWithValues: map { ("\($0.key)", $0.value) })
  }
}
