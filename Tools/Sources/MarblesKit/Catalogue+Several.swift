import EasyReact

extension Catalogue {
  static let flattening: [Entry] = [
    Entry(
      "flatten", "Follows the node that the outer one holds, and leaves the one before.",
      ["a: 1--2----3-", "b: --6----78-", "outer: a----b---a"],
      known: ["switchToLatest", "switchLatest"]
    ) { draw, s in
      draw.result("outer.flatten()", s.outer.flatten())
    },
    Entry(
      "flattenMap", "Follows the node that the closure makes of the latest value.",
      ["a: 1-----2-----", "b: -3-4---5-6-"], known: ["flatMapLatest", "flatMap", "switchMap"]
    ) { draw, s in
      draw.result(
        "a.flattenMap { a in b.map { a * 10 + $0 } }",
        s.a.flattenMap { a in s.b.map { a * 10 + $0 } })
    },
  ]

  static let branching: [Entry] = [
    Entry(
      "switch", "Parts the values by a key, nil for none; the closure runs once a value.",
      ["x: a-7-b-c-8-"], known: ["groupBy", "partition"]
    ) { draw, s in
      let parts = draw.code(
        #"let parts = x.switch { "abc".contains($0) ? $0 : nil }"#,
        s.x.switch { "abc".contains($0) ? $0 : nil })
      draw.line(#"case("a")"#, parts.case("a"))
      draw.line(#"case("b")"#, parts.case("b"))
      draw.line("default", parts.default)
      draw.line("unmatched", parts.unmatched)
    },
    Entry(
      "switchMap", "Parts the values by a key and changes them, in one step.", ["a: 1-2-3-4-5-"]
    ) { draw, s in
      let parts = draw.code(
        "let parts = a.switchMap { ($0 % 2, $0 * 10) }", s.a.switchMap { ($0 % 2, $0 * 10) })
      draw.line("case(1)", parts.case(1))
      draw.line("case(0)", parts.case(0))
    },
    Entry("case", "The values of a switch that have this key.", ["a: 1-2-3-4-5-"]) { draw, s in
      draw.result("a.switch { $0 % 2 }.case(1)", s.a.switch { $0 % 2 }.case(1))
    },
    Entry("default", "The values of a switch that have no key.", ["a: 1-7-3-8-9-"]) { draw, s in
      draw.result(
        "a.switch { $0 > 5 ? nil : $0 }.default", s.a.switch { $0 > 5 ? nil : $0 }.default)
    },
    Entry(
      "unmatched", "The values of a switch whose key nobody asked for.", ["a: 1-2-3-1-2-"]
    ) { draw, s in
      let parts = draw.code("let parts = a.switch { $0 }", s.a.switch { $0 })
      draw.line("case(1)", parts.case(1))
      draw.line("unmatched", parts.unmatched)
    },
    Entry("if", "Parts the values by a condition.", ["a: 1-7-3-8-9-"], known: ["partition"]) {
      draw, s in
      let parts = draw.code("let parts = a.if { $0 > 5 }", s.a.if { $0 > 5 })
      draw.line("thenNode", parts.thenNode)
      draw.line("elseNode", parts.elseNode)
    },
    Entry(
      "else",
      "Calls the closure once, with the node of the values for which the condition does not hold.",
      ["a: 1-7-3-8-9-", "b: -", "c: -"]
    ) { draw, s in
      let parts = draw.code("let parts = a.if { $0 > 5 }", s.a.if { $0 > 5 })
      draw.code(
        "parts.then { b.link(to: $0) }.else { c.link(to: $0) }",
        parts.then { s.b.link(to: $0) }.else { s.c.link(to: $0) })
      draw.line("b", s.b)
      draw.line("c", s.c)
    },
  ]

  static let joining: [Entry] = [
    Entry(
      "combine",
      "The latest of each, once all have a value; no mixture of old and new.",
      ["a: --1---2--3-", "x: a---b----c-"], known: ["combineLatest", "and"]
    ) { draw, s in
      draw.result("a.combine(x)", s.a.combine(s.x)) { "\($0)\($1)" }
    },
    Entry(
      "combine-everyValue", "The latest of each, for every arriving value: mixtures are told.",
      ["a: 1-2-3-"]
    ) { draw, s in
      let up = draw.code("let up = a.map { $0 + 1 }", s.a.map { $0 + 1 })
      let down = draw.code("let down = a.map { $0 - 1 }", s.a.map { $0 - 1 })
      draw.result("up.combine(down, mode: .everyValue)", up.combine(down, mode: .everyValue)) {
        "\($0)\($1)"
      }
      draw.line("mode: .latest", up.combine(down)) { "\($0)\($1)" }
    },
    Entry(
      "derived", "What an expression gives, whenever something that it read changes.",
      ["a: 1--2-----3-", "b: --7---8---9"], known: ["computed"]
    ) { draw, s in
      let (a, b) = (s.a, s.b)
      draw.result(
        "Node.derived { try a.get() % 2 == 1 ? a.get() : b.get() }",
        Node.derived { try a.get() % 2 == 1 ? a.get() : b.get() })
    },
    Entry(
      "zip", "The first of each, then the second of each: pairs in order of arrival.",
      ["a: 1-2---3---", "x: --a-b---cd"]
    ) { draw, s in
      draw.result("a.zip(x)", s.a.zip(s.x)) { "\($0)\($1)" }
    },
    Entry(
      "merge", "Whatever comes from any of them, in order of arrival.",
      ["a: -1--2---3-", "b: --7---8-9-"]
    ) { draw, s in
      draw.result("a.merge(b)", s.a.merge(s.b))
    },
  ]

  static let linking: [Entry] = [
    Entry(
      "link", "Lets a node follow another one, until it is cancelled.",
      ["a: 1-2---3--4-", "b: ----9------", "cut: --------!"],
      known: ["bind", "assign", "subscribe"]
    ) { draw, s in
      try draw.code("let cut = b.link(to: a)", s.b.link(to: s.a), endedBy: "cut")
      draw.line("b", s.b)
    },
    Entry(
      "sync", "Keeps two nodes equal; each side is told once a set.",
      ["a: 1-----3----5", "b: ---2----4---", "cut: ----------!"], known: ["bidirectional", "<->"]
    ) { draw, s in
      try draw.code("let cut = a.sync(with: b)", s.a.sync(with: s.b), endedBy: "cut")
      draw.line("a", s.a)
      draw.line("b", s.b)
    },
    Entry(
      "sync-transform", "Keeps two nodes in step that say the same in two ways.",
      ["a: ----2----4-", "b: '10'-'30'----'50'---"]
    ) { draw, s in
      draw.code(
        "a.sync(with: b, transform: { $0 / 10 }, revert: { $0 * 10 })",
        s.a.sync(with: s.b, transform: { $0 / 10 }, revert: { $0 * 10 }))
      draw.line("a", s.a)
      draw.line("b", s.b)
    },
  ]
}
