import Testing

/// Every interleaving of two or three threads, for small cases: one owner, first in first out,
/// nothing lost, no lost wake-up, and an end within reach of every state.
@Suite(.watched, .notUnderSanitizers("one thread looks at what others could do"))
struct ProtocolTests {
  private typealias Scenario = Explorer.Scenario

  private static let scenarios = [
    Scenario(
      testDescription: "two threads set one node", derivedFrom: [nil],
      threads: [[[.set(0)], [.set(0)]], [[.set(0)], [.set(0)]]]),
    Scenario(
      testDescription: "three threads set one node", derivedFrom: [nil],
      threads: [[[.set(0)], [.set(0)]], [[.set(0)]], [[.set(0)]]]),
    Scenario(
      testDescription: "a listener sets again while another thread sets", derivedFrom: [nil],
      threads: [[[.set(0), .set(0), .set(0)]], [[.set(0)], [.set(0)]]]),
    Scenario(
      testDescription: "the mailbox passes to a background queue", derivedFrom: [nil],
      threads: [[[.set(0)]], [[.set(0)], [.set(0)]], [[.set(0)]]], messageBound: 1),
    Scenario(
      testDescription: "two regions, reached in both orders", derivedFrom: [nil, nil],
      threads: [[[.set(0), .set(1)]], [[.set(1), .set(0)]], [[.set(0)]]]),
    Scenario(
      testDescription: "a region splits while its nodes are set", derivedFrom: [nil, 0],
      threads: [[[.set(0), .split(1)]], [[.set(1)], [.set(1)]]]),
    Scenario(
      testDescription: "what is above a chain moves to a region of its own",
      derivedFrom: [nil, 0, 1],
      threads: [[[.split(1)]], [[.set(2)], [.set(2)]], [[.set(0)]]]),
    Scenario(
      testDescription: "a chain moves to a region of its own", derivedFrom: [nil, 0, 1, 2],
      threads: [[[.split(2)]], [[.set(3)], [.set(3)]], [[.set(0)]]]),
    Scenario(
      testDescription: "a split that is left with the holder", derivedFrom: [nil, 0],
      threads: [[[.set(0), .set(1)]], [[.split(1)], [.set(1)]]]),
    Scenario(
      testDescription: "a region splits from above and from below while messages wait",
      derivedFrom: [nil, 0, 1],
      threads: [[[.set(0), .split(1), .split(2)], [.set(2)]], [[.set(2)], [.set(1)]]]),
    Scenario(
      testDescription: "a region splits, and the new one splits, while messages wait",
      derivedFrom: [nil, 0, 1, 2],
      threads: [[[.set(0), .split(2), .split(3)], [.set(3)]], [[.set(3)], [.set(2)]]]),
    Scenario(
      testDescription: "messages for one node wait in two regions, and it moves to a third",
      derivedFrom: [nil, 0, 1, 2],
      threads: [[[.set(0), .split(2), .split(3)]], [[.set(3)], [.set(3)]]]),
    Scenario(
      testDescription: "two splits that are left with the holder, and what follows them",
      derivedFrom: [nil, 0, 1],
      threads: [[[.set(0), .set(0)]], [[.split(1)], [.split(2)], [.set(2)]]], messageBound: 1),
    Scenario(
      testDescription: "a handle goes while messages name the node", derivedFrom: [nil, 0],
      threads: [[[.set(0), .set(0)]], [[.set(1)], [.split(1)], [.set(1)], [.end(1)]]]),
    Scenario(
      testDescription: "values cross an edge to another region", derivedFrom: [nil, nil],
      edges: [0: 1], threads: [[[.set(1), .set(0)]], [[.set(0)], [.set(0)]]]),
    Scenario(
      testDescription: "who cuts an edge sets its end", derivedFrom: [nil, nil], edges: [0: 1],
      threads: [[[.set(0)], [.set(0)]], [[.cut(0)], [.set(1)]]]),
    Scenario(
      testDescription: "a listener is attached while two threads set", derivedFrom: [nil],
      threads: [[[.set(0)], [.set(0)]], [[.attach(0)]], [[.set(0)]]]),
    Scenario(
      testDescription: "a listener attaches another one while messages wait", derivedFrom: [nil],
      threads: [[[.set(0), .attach(0), .set(0)]], [[.set(0)], [.set(0)]]]),
    // From here on who leaves a message where one waits naps until that is taken.
    Scenario(
      testDescription: "two threads are inside a region each, with messages for the other's",
      derivedFrom: [nil, nil],
      threads: [[[.set(0), .set(1), .set(1)]], [[.set(1), .set(0), .set(0)]]], messageComfort: 0),
    Scenario(
      testDescription: "two halves that set each other, and one of them splits",
      derivedFrom: [nil, 0, nil],
      threads: [[[.set(0), .split(1), .set(2), .set(2)]], [[.set(2), .set(1), .set(0)]]],
      messageComfort: 0),
    Scenario(
      testDescription:
        "who naps for a background queue that sets over an edge to the napper's region",
      derivedFrom: [nil, nil], edges: [0: 1],
      threads: [[[.set(0)], [.set(0)]], [[.set(1), .set(0), .set(0)]]], messageBound: 1,
      messageComfort: 0),
  ]

  /// Half a million states: for the long runs.
  private static let longScenarios = [
    Scenario(
      testDescription: "a region splits while two others set", derivedFrom: [nil, 0],
      threads: [[[.set(0), .split(1)]], [[.set(1)], [.set(1)]], [[.set(0)]]]),
    Scenario(
      testDescription: "a split that is left with the holder, and a third thread",
      derivedFrom: [nil, 0],
      threads: [[[.set(0), .set(1)]], [[.split(1)], [.set(1)]], [[.set(1)]]]),
    Scenario(
      testDescription: "three threads, and messages over an edge", derivedFrom: [nil, nil],
      edges: [0: 1], threads: [[[.set(1), .set(0)]], [[.set(0)]], [[.set(0)]]]),
    Scenario(
      testDescription: "three threads are inside a region each, with messages for the next one's",
      derivedFrom: [nil, nil, nil],
      threads: [
        [[.set(0), .set(1), .set(1)]], [[.set(1), .set(2), .set(2)]],
        [[.set(2), .set(0), .set(0)]],
      ], messageComfort: 0),
  ]

  @Test(arguments: scenarios + (Stress.scale > 1 ? longScenarios : []))
  func `the protocol holds in every interleaving`(scenario: Explorer.Scenario) {
    let explorer = Explorer(scenario)
    #expect(explorer.violation == nil)
    #expect(explorer.states > 100 && explorer.ends > 1)
    print("ProtocolTests: \(scenario.testDescription): \(explorer.states) states")
  }

  /// The model can fail: each rule that is left out is found by one of the cases.
  @Test(arguments: [
    (Rules.freesWithoutLooking, "told 0 times"),
    (.pushesOntoFreeWord, "messages without an owner"),
    (.doesNotReread, "touches node"),
    (.rereadsBeforeTheExchange, "touches node"),
    (.pushesWithoutLock, "touches node"),
    (.movesWithoutLock, "touches node"),
    (.overtakesMessages, "told after"),
    (.opensNewestFirst, "told after"),
    (.leavesMessagesBehind, "touches node"),
    (.forgetsHandOver, "is never given back"),
    (.givesUpMessage, "told after"),
    (.claimsWithoutComparing, "touches node"),
    (.countsBeforeMoving, "does not wait for it"),
    (.splitsWithoutWaiting, "does not wait for it"),
    (.releasesTooEarly, "does not wait for it"),
    (.forgetsWhatWaits, "is never given back"),
    (.bringsDirectly, "is never given back"),
    (.endsAtOnce, "which has ended"),
    (.forgetsTheEnd, "never ends"),
    (.countsAfterPushing, "which has ended"),
    (.attacherTellsItself, "a gap or a repetition"),
    (.looksBeforeTheClaim, "after who cut it had set the end"),
    (.napsThoughAwaited, "no thread can go on"),
  ])
  func `a protocol without one of its rules is found out`(mutant: Rules, complaint: String) {
    let found = Self.scenarios.lazy.compactMap { Explorer($0, breaking: mutant).violation }
    #expect(found.contains { $0.contains(complaint) })
  }
}
