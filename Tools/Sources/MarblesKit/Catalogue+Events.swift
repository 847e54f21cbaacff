import EasyReact
import Synchronization

// Nodes that tell events, and nodes that hold weakly: 10.6.10 in Documentation/Operators.md.

extension Catalogue {
  static let telling: [Entry] = [
    Entry(
      "eventNode", "Tells and holds nothing: who begins to listen later is not told what was.",
      ["taps: -a--b-----c--", "text: -a--b-----c--"],
      known: ["PublishRelay", "PassthroughSubject"]
    ) { draw, s in
      let taps = draw.code(
        "let taps = MutableNode<String>.eventNode()", MutableNode<String>.eventNode())
      let text = draw.code("let text = MutableNode<String>()", MutableNode<String>())
      try draw.set(taps, by: "taps")
      try draw.set(text, by: "text")
      draw.lateLine("taps, from 7 s", taps, from: 7, s.clock)
      draw.lateLine("text, from 7 s", text, from: 7, s.clock)
    },
    Entry(
      "events", "The changes of a node as events: its present value is not told.",
      ["x: a--b-----c--"], known: ["changes", "signal"]
    ) { draw, s in
      let changes = draw.code("let changes = x.events()", s.x.events())
      draw.line("changes", changes)
      draw.lateLine("changes, from 6 s", changes, from: 6, s.clock)
    },
    Entry(
      "held", "Keeps the last event, so that who begins to listen later is told it.",
      ["taps: -a--b-----c--"], known: ["share(replay: 1)"]
    ) { draw, s in
      let taps = draw.code(
        "let taps = MutableNode<String>.eventNode()", MutableNode<String>.eventNode())
      let last = draw.code("let last = taps.held()", taps.held())
      try draw.set(taps, by: "taps")
      draw.line("last", last)
      draw.lateLine("last, from 7 s", last, from: 7, s.clock)
    },
    Entry(
      "objects", "The living objects of weak values, as events; what is gone is left out.",
      ["focused: a--b--'gone'--a-"], known: ["Weak"]
    ) { draw, s in
      let panels = ["a": Panel("a"), "b": Panel("b")]
      let focused = draw.code(
        "let focused = MutableNode<Weak<Panel>>()", MutableNode<Weak<Panel>>())
      let values = panels.mapValues { Weak($0) }.merging(["gone": Weak(nil)]) { $1 }
      try draw.set(focused, by: "focused", values: values)
      draw.result("focused.objects()", focused.objects())
      draw.keep(panels)
    },
    Entry(
      "weak", "Refers to an object without keeping it; nobody is told when it goes.",
      ["x: -1--2---3--", "panel: ------!"], known: ["Weak", "unretained"]
    ) { draw, s in
      let panel = Panel("a")
      let focused = draw.code("let focused = MutableNode(Weak(panel))", MutableNode(Weak(panel)))
      try draw.end(Keeping(panel), by: "panel")
      // As it is when it is told, not when it is drawn.
      draw.line("focused", focused.map { "\($0)" })
      draw.result(
        #"x.withLatest(from: focused).map { "\($0)\($1)" }"#,
        s.x.withLatest(from: focused).map { "\($0)\($1)" })
    },
  ]
}

/// An object that somebody keeps, or not.
private final class Panel: Sendable, CustomStringConvertible {
  let description: String
  init(_ name: String) { description = name }
}

/// Keeps something until it is cancelled.
private final class Keeping<Kept: Sendable>: Cancelable {
  private let kept: Mutex<Kept?>
  init(_ kept: Kept) { self.kept = Mutex(kept) }
  func cancel() {
    let old = kept.withLock { kept in
      defer { kept = nil }
      return kept
    }
    _ = consume old
  }
}
