extension DemandRecord {
  /// What a stage did in all.
  public struct Total: Sendable, Hashable {
    public var asked = 0
    public var missed = 0
    public var hit = 0
    public var ran = 0
  }

  /// The totals of the stages, the source first.
  public var totals: [Total] {
    var totals = lanes.map { _ in Total() }
    for event in events where event.lane < lanes.count {
      switch event.kind {
      case .missed:
        totals[event.lane].asked += 1
        totals[event.lane].missed += 1
      case .hit:
        totals[event.lane].asked += 1
        totals[event.lane].hit += 1
      case .ran: totals[event.lane].ran += 1
      default: break
      }
    }
    return totals
  }

  /// The events as an indented list: what an element made happen stands below it, further in. Then the totals.
  public var text: String {
    var lines = [pipeline, ""]
    var depth = 0
    for event in events {
      if event.kind.closes { depth -= 1 }
      lines.append(line(event, depth))
      if event.kind.opens { depth += 1 }
      if event.kind == .answered { lines.append("") }
    }
    if let cut { lines += ["The source was stopped after \(cut) elements: --limit.", ""] }
    return (lines + totalLines).joined(separator: "\n") + "\n"
  }

  private func line(_ event: Event, _ depth: Int) -> String {
    let indent = String(repeating: "  ", count: depth)
    let element = event.lane < lanes.count ? "\(lanes[event.lane]) [\(event.position)]" : ""
    let value = event.value.map(String.init) ?? "none"
    return switch event.kind {
    case .reading: "read [\(event.position)]"
    case .answered: "\(indent)= \(value)"
    case .missed: tagged("\(indent)\(element)", "miss")
    case .hit: tagged("\(indent)\(element) = \(value)", "hit")
    case .computed: "\(indent)= \(value)"
    case .ended: "\(indent)= none: the end"
    case .ran(let call): tagged("\(indent)\(call)", "closure")
    }
  }

  private func tagged(_ text: String, _ tag: String) -> String {
    text.padded(to: 44) + "  " + tag
  }

  private var totalLines: [String] {
    let width = max(5, lanes.map(\.count).max() ?? 0)
    func row(_ name: String, _ cells: [String]) -> String {
      name.padded(to: width) + cells.map { $0.leftPadded(to: 10) }.joined()
    }
    return [row("stage", ["asked", "misses", "hits", "closures"])]
      + zip(lanes, totals).map { lane, total in
        row(lane, [total.asked, total.missed, total.hit, total.ran].map(String.init))
      }
  }
}

extension DemandRecord.Event.Kind {
  /// Whether what comes next happens because of it.
  var opens: Bool { self == .reading || self == .missed }
  /// Whether it ends what such an event began.
  var closes: Bool { self == .answered || self == .computed || self == .ended }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
