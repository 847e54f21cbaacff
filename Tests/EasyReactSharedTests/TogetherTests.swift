import EasyReact
import EasyReactTesting
import Foundation
import Testing

@testable import EasyReactShared

/// What waits goes into the store together: several values in one entry.
@Suite(.watched) struct TogetherTests {
  @Test func `20.4 what waited is one write for many values, and every one is told`() {
    let world = World()
    let one = world.machine(1), every = world.machine(2, telling: .every), newest = world.machine(3)
    world.settle()
    one.store.disconnect()
    for value in 1...200 { one.node.value = value }
    one.store.connect()
    world.settle()
    #expect(one.store.writeCount == 4)  // of 64 at most
    #expect(every.told.values == Array(1...200) && every.node.status.value?.missedCount == 0)
    #expect(newest.told.values.last == 200)
    #expect(one.told.values == Array(1...200) && one.node.status.value?.isSettled == true)
  }

  @Test func `20.1, 20.4 a clean among what is written together is told in its place`() throws {
    let world = World()
    let one = world.machine(1), every = world.machine(2, telling: .every)
    world.settle()
    one.store.disconnect()
    one.node.value = 1
    one.node.clean()
    one.node.value = 2
    one.node.clean()
    one.store.connect()
    world.settle()
    #expect(one.store.writeCount == 1)
    #expect(every.told.values == [1, 2] && every.node.isEmpty)
    let newest = try #require(world.newest())
    let earlier = try Envelope.open(newest.bytes, key: "key").earlier
    #expect(newest.isDeletion && earlier.map(\.bytes) == [Data("1".utf8), nil, Data("2".utf8)])
  }

  @Test(arguments: [FaultyStore.Fault.lost, .answerLost, .doneLate, .unsent, .answeredLate, .busy])
  func `20.3, 20.6 whatever becomes of an answer, what was written together is done once`(
    _ fault: FaultyStore.Fault
  ) {
    let world = World()
    let one = world.machine(1), other = world.machine(2, telling: .every)
    one.node.value = 0
    world.settle()
    one.store.plan([fault, fault])
    for _ in 1...10 { one.node.update { $0 += 1 } }
    other.node.update { $0 += 100 }
    world.clock.advance(by: .milliseconds(1))
    for _ in 1...10 { one.node.update { $0 += 1 } }  // behind what is under way
    world.settle()
    #expect(one.node.value == 120 && other.node.value == 120)
    #expect(other.told.values.count >= 21 && other.node.status.value?.missedCount == 0)
    #expect(one.node.status.value?.isSettled == true && one.node.status.value?.problem == nil)
  }

  @Test func `20.7 of what was written together only the value that is too large is taken back`() {
    let world = World(valueLimit: 400)
    let one = world.store(), other = world.store()
    let here = one.node("key", of: String.self)
    let there = other.node("key", of: String.self, telling: .every)
    world.settle()
    let told = Recorder(there), problems = Recorder(here.status.map { $0.problem?.code })
    one.disconnect()
    let small = (1...9).map { "value \($0)" }
    for value in small.prefix(4) { here.value = value }
    here.value = String(repeating: "x", count: 1_000)
    for value in small.dropFirst(4) { here.value = value }
    one.connect()
    world.settle()
    #expect(told.values == small && there.status.value?.missedCount == 0)
    #expect(here.value == "value 9" && here.status.value?.isSettled == true)
    #expect(problems.values.contains(.tooLarge))
  }

  @Test func `20.7 of what was written together only the value without bytes is taken back`() {
    let world = World()
    let one = world.store(), other = world.store()
    let here = one.node("key", of: Double.self)
    let there = other.node("key", of: Double.self, telling: .every)
    world.settle()
    let told = Recorder(there)
    for value in [1, 2, .infinity, 3] { here.value = value }
    world.settle()
    #expect(told.values == [1, 2, 3] && here.value == 3)
  }

  @Test func `20.6 large values are not written together`() {
    let world = World()
    let one = world.store(), other = world.store()
    let here = one.node("key", of: Data.self)
    let there = other.node("key", of: Data.self, telling: .every)
    world.settle()
    let told = Recorder(there.map(\.count))
    one.disconnect()
    for size in 0..<40 { here.value = Data(count: 20_000 + size) }
    one.connect()
    world.settle()
    #expect(told.values == Array(20_000..<20_040))
    #expect(one.acknowledged.values.allSatisfy { $0.bytes.count < Envelope.bytesAtOnce + 1_000 })
    #expect(one.writeCount < 40)  // and yet several
  }

  @Test func `20.6 behind what is under way sets are joined, never with it`() {
    var state = ReplicaState<Int>(ReplicaRules(limit: 2), writer: 1)
    state.becameCurrent()
    state.heard(1, sequence: 1)
    state.heard(2, sequence: 2)
    let first = state.nextAttempt()
    #expect(first?.earlier.map(\.value) == [1] && first?.value == 2)
    state.heard(3, sequence: 3)
    state.heard(4, sequence: 4)
    #expect(state.joinedCount == 1)
    _ = state.answered(first!.number, .stored(revision: 7))
    let second = state.nextAttempt()
    #expect(second?.earlier.isEmpty == true && second?.value == 4 && second?.expected == 7)
  }

  @Test func `20.6 what comes through after the store lost everything is not written again`() {
    var state = ReplicaState<Int>(ReplicaRules(), writer: 1)
    state.becameCurrent()
    state.heard(1, sequence: 1)
    let late = state.nextAttempt()!
    state.heard(2, sequence: 2)
    state.lostEverything()
    state.received(.init(revision: 1, value: 1, envelope: late.envelope))
    state.becameCurrent()
    let next = state.nextAttempt()
    #expect(next?.earlier.isEmpty == true && next?.value == 2 && next?.expected == 1)
  }

  @Test func `20.7 what an earlier version wrote is read`() throws {
    let envelope = Envelope(writer: 7, sequence: 3, count: 1, previous: 0)
    var bytes = envelope.bytes(before: Data("5".utf8))
    bytes.remove(at: bytes.count - 2)  // no number of values written together
    bytes[2] = 1
    let opened = try Envelope.open(bytes, key: "key")
    #expect(opened.envelope == envelope && opened.earlier == [] && opened.value == Data("5".utf8))
    let world = World()
    let one = world.machine(1)
    world.memory.put(bytes, at: "key") { _ in }
    world.settle()
    #expect(one.node.value == 5)
    one.node.update { $0 += 1 }
    world.settle()
    #expect(try Envelope.open(world.newest()!.bytes, key: "key").value == Data("6".utf8))
  }
}
