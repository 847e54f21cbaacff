import EasyReact

extension Catalogue {
  static let mapping: [Entry] = [
    Entry("fork", "A second node with the same values.", ["a: 1-2--3--"]) { draw, s in
      draw.result("a.fork()", s.a.fork())
    },
    Entry("map", "Each value becomes what the closure makes of it.", ["a: 1-2--3--"]) { draw, s in
      draw.result("a.map { $0 * 10 }", s.a.map { $0 * 10 })
    },
    Entry(
      "mapReplace", "Each value becomes the same one.", ["a: 1-2--3--"],
      known: ["mapTo", "mapConst"]
    ) { draw, s in
      draw.result(#"a.mapReplace("x")"#, s.a.mapReplace("x"))
    },
    Entry(
      "compactMap", "Each value becomes what the closure makes of it; nil is left out.",
      ["x: 1-q--3-z-4-"], known: ["filterMap"]
    ) { draw, s in
      draw.result("x.compactMap { Int($0) }", s.x.compactMap { Int($0) })
    },
    Entry(
      "then", "Calls the closure once, with the node, and gives the node back.",
      ["a: 1-2--3--", "b: -"]
    ) { draw, s in
      draw.result("a.then { b.link(to: $0) }", s.a.then { s.b.link(to: $0) })
      draw.line("b", s.b)
    },
  ]

  static let filtering: [Entry] = [
    Entry("filter", "Values for which the closure says yes pass.", ["a: 1-7-3-8-9-"]) { draw, s in
      draw.result("a.filter { $0 > 5 }", s.a.filter { $0 > 5 })
    },
    Entry("ignore", "All values pass but this one.", ["a: 1-2-1-7-1-"]) { draw, s in
      draw.result("a.ignore(1)", s.a.ignore(1))
    },
    Entry("select", "Only this value passes.", ["a: 1-2-1-7-1-"]) { draw, s in
      draw.result("a.select(1)", s.a.select(1))
    },
    Entry(
      "distinctUntilChanged", "A value that is equal to the last one that passed is left out.",
      ["a: 1-1-2-2-1-"], known: ["removeDuplicates", "skipRepeats", "distinct"]
    ) { draw, s in
      draw.result("a.distinctUntilChanged()", s.a.distinctUntilChanged())
    },
    Entry(
      "distinctUntilChanged-by", "The closure says what counts as equal to the last that passed.",
      ["a: 1-2-5-6-9-"], known: ["removeDuplicates(by:)", "skipRepeats(_:)"]
    ) { draw, s in
      draw.result(
        "a.distinctUntilChanged { abs($0 - $1) < 3 }", s.a.distinctUntilChanged { abs($0 - $1) < 3 }
      )
    },
    Entry(
      "distinctUntilChanged-on", "Values whose part is equal to that of the last are left out.",
      ["x: a-b-'no'-'on'-c-"], known: ["distinctUntilChanged(at:)"]
    ) { draw, s in
      draw.result(
        #"x.distinctUntilChanged(on: \.count)"#, s.x.distinctUntilChanged(on: \.count))
    },
    Entry(
      "skip", "The first values are left out.", ["a: 1-2-3-4-"], known: ["dropFirst", "drop"]
    ) { draw, s in
      draw.result("a.skip(2)", s.a.skip(2))
    },
    Entry(
      "take", "The first values pass; the result keeps the last of them.", ["a: 1-2-3-4-"],
      known: ["prefix", "first"]
    ) { draw, s in
      draw.result("a.take(2)", s.a.take(2))
    },
  ]

  static let accumulating: [Entry] = [
    Entry(
      "scan", "Each value goes into a running total, which is told.", ["a: 1-2-3-4-"],
      known: ["reduce", "runningFold"]
    ) { draw, s in
      draw.result("a.scan(0) { $0 + $1 }", s.a.scan(0) { $0 + $1 })
    },
    Entry(
      "scanIndexed", "A running total that counts the values too, from zero.", ["a: 1-2-3-4-"]
    ) { draw, s in
      draw.result("a.scanIndexed(0) { $0 + $1 * $2 }", s.a.scanIndexed(0) { $0 + $1 * $2 })
    },
  ]

  static let timing: [Entry] = [
    Entry(
      "deliver", "Each value arrives on a queue, later and in order; this one is a second behind.",
      ["a: 1-[23]--4--"], known: ["receive", "receive(on:)", "observeOn", "observe(on:)"]
    ) { draw, s in
      draw.result("a.deliver(on: queue)", s.a.deliver(on: s.queue))
    },
    Entry("delay", "Each value comes that much later, in order.", ["a: 1-2---34----"]) { draw, s in
      draw.result("a.delay(.seconds(2), on: clock)", s.a.delay(.seconds(2), on: s.clock))
    },
    Entry(
      "debounce", "A value passes when the node was quiet for the interval; emptying drops it.",
      ["a: 12-3---4-~-5---"], known: ["throttle"]
    ) { draw, s in
      draw.result("a.debounce(.seconds(3), on: clock)", s.a.debounce(.seconds(3), on: s.clock))
    },
  ]
}
