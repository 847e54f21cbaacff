import EasyReact
import EasyReactTesting
import Testing

/// Joins while several threads set what leads to them.
@Suite(.watched) struct JoinRaceTests {
  private struct Sum: Sendable, Hashable {
    let a: WordStamp
    let b: WordStamp
    let c: WordStamp
  }

  @Test(arguments: [CombineMode.latest, .everyValue])
  func `threads set the sources of one join: only held values are told, in order, the last at last`(
    mode: CombineMode
  ) {
    Stress.rounds(40) { round in
      let sources = (0..<3).map { _ in MutableNode(WordStamp(0, 0)) }
      let kept = sources.map { _ in Heard<WordStamp>(letsOthersRunEvery: 3) }
      let joined = sources[0].combine(sources[1].map { $0 }, sources[2], mode: mode)
        .map { Sum(a: $0, b: $1, c: $2) }
      let heard = Heard<Sum>(letsOthersRunEvery: 2)
      var listenings = zip(sources, kept).map { source, kept in source.listen { kept.hear($0) } }
      listenings.append(joined.listen { heard.hear($0) })
      round.threads(6) { member in
        for number in 1...40 { sources[member % 3].value = WordStamp(member + 1, number) }
      }
      let sums = heard.values
      for (index, part) in [\Sum.a, \.b, \.c].enumerated() {
        round.expectSteps(sums.map { $0[keyPath: part] }, of: kept[index].values, "part \(index)")
      }
      round.expect(heard.overlaps == 0, "calls overlapped")
      let values = sources.map { $0.value! }
      let expected = Sum(a: values[0], b: values[1], c: values[2])
      round.expect(joined.value == expected, "the join holds \(joined.value!), not \(expected)")
      round.expect(sums.last == expected, "the join told \(sums.last!) last, not \(expected)")
      round.expectRest([joined])
      keepAlive(listenings as AnyObject)
    }
  }

  @Test func `a diamond under contention ends with its definition, and what it tells was held`() {
    Stress.rounds(60) { round in
      let source = MutableNode(0)
      let left = source.map { $0 * 2 }, right = source.map { $0 * 3 }.mutablify()
      let heard = Heard<[Int]>(letsOthersRunEvery: 2)
      let bottom = left.combine(right).map { [$0, $1] }
      let listening = bottom.listen { heard.hear($0) }
      round.threads(4) { member in
        for number in 1...50 { source.value = member * 1_000 + number }
      }
      let last = source.value!
      round.expect(bottom.value == [last * 2, last * 3], "\(bottom.value!) of \(last)")
      round.expect(heard.values.last == bottom.value, "the last told is \(heard.values.last!)")
      round.expect(
        heard.values.allSatisfy { $0[0] % 2 == 0 && $0[1] % 3 == 0 }, "a value that nobody held")
      listening.cancel()
    }
  }

  @Test func `a ladder of joins over several regions ends with its definition`() {
    Stress.rounds(40) { round in
      let sources = (0..<4).map { MutableNode($0) }
      var level: [Node<Int>] = sources
      var all: [Node<Int>] = []
      for _ in 0..<4 {
        level = (0..<4).map { index in level[index].combine(level[(index + 1) % 4]).map { $0 &+ $1 }
        }
        all += level
      }
      let told = Tally()
      let listenings = all.map { $0.listen { _ in told.add() } }
      round.threads(4) { member in
        var generator = round.generator(member)
        for _ in 0..<40 { sources[generator.below(4)].value = generator.below(1_000) }
      }
      var expected = sources.map { $0.value! }
      for row in 0..<4 {
        expected = (0..<4).map { expected[$0] &+ expected[($0 + 1) % 4] }
        let values = (0..<4).map { all[row * 4 + $0].value! }
        round.expect(values == expected, "row \(row) holds \(values), not \(expected)")
      }
      round.expect(told.count > 0, "nothing was told")
      round.expectRest(all)
      keepAlive(listenings as AnyObject)
    }
  }

  /// Every thread has a graph of its own: nobody else is inside, so no mixture is ever told.
  @Test func `without contention no thread hears a glitch`() {
    Stress.rounds(20) { round in
      round.threads(4) { _ in
        let a = MutableNode(1), heard = Heard<[Int]>()
        let bottom = a.map { $0 + 1 }.combine(a.map { $0 * 10 }, a).map { [$0, $1, $2] }
        let listening = bottom.listen { heard.hear($0) }
        for value in 2...50 { a.value = value }
        round.expect(
          heard.values == (1...50).map { [$0 + 1, $0 * 10, $0] }, "a glitch, or a run too many")
        listening.cancel()
      }
    }
  }
}

extension Round {
  /// `part` goes through `whole` forwards: it may stand still and leave some out, not go back.
  func expectSteps<Value: Hashable>(_ part: [Value], of whole: [Value], _ who: String) {
    var places: [Value: Int] = [:]
    for (place, value) in whole.enumerated() { places[value] = place }
    var reached = 0
    for value in part {
      guard let place = places[value] else {
        return expect(false, "\(who): \(value) was never held")
      }
      expect(place >= reached, "\(who) goes back to \(value)")
      reached = place
    }
  }
}
