import EasySequence
import Synchronization

/// What happened in a pipeline while somebody read from it, in order.
public struct DemandRecord: Sendable, Equatable {
  public struct Event: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
      /// The reader asks for an element of the result.
      case reading
      /// What the reader gets: a value, or nil if the result is shorter.
      case answered
      /// An element of a stage is asked for and not known.
      case missed
      /// A closure of the stage ran; as text, with its result.
      case ran(String)
      /// The element is known now.
      case computed
      /// The stage has no such element.
      case ended
      /// A known element was read.
      case hit
    }
    /// The stage, counted from the source.
    public var lane: Int
    public var kind: Kind
    public var position = 0
    public var value: Int?

    public init(lane: Int, kind: Kind, position: Int = 0, value: Int? = nil) {
      (self.lane, self.kind, self.position, self.value) = (lane, kind, position, value)
    }
  }

  public var pipeline: String
  /// The stages' names, the source first.
  public var lanes: [String]
  public var events: [Event]
  /// How many elements the source gave before it was stopped, if it was.
  public var cut: Int?
}

extension DemandRecord {
  /// Runs a pipeline, reads the result at the positions, one after the other, and tells what happened.
  ///
  /// The source ends after `limit` elements, so that a filter which nothing passes comes to an end.
  public init(of pipeline: Pipeline, reading positions: [Int], limit: Int) {
    let log = Log(limit: limit)
    var lanes = log.source(pipeline.source)
    for part in pipeline.operators {
      let lane = lanes.count
      let stream = log.apply(part, to: lanes[lane - 1].stream, lane: lane)
      lanes.append(Lane(name: part.description, stream: log.watch(stream, lane: lane)))
    }
    for position in positions {
      log.note(Event(lane: lanes.count, kind: .reading, position: position))
      let value = lanes[lanes.count - 1].stream[position]
      log.note(Event(lane: lanes.count, kind: .answered, position: position, value: value))
    }
    self.pipeline = pipeline.description
    self.lanes = lanes.map(\.name)
    cut = log.state.withLock { $0.isCut } ? limit : nil
    let known = lanes.map { $0.stream.known(limit: .max).elements }
    events = log.state.withLock { $0.events }.map { event in
      var event = event
      let isValue = event.kind == .computed || event.kind == .hit
      if isValue { event.value = known[event.lane][event.position] }
      return event
    }
  }
}

/// A stage: its name, and its stream, which is held so that each stage is stored.
private struct Lane {
  var name: String
  var stream: LazyStream<Int>
}

private final class Log: Sendable {
  struct State {
    var events: [DemandRecord.Event] = []
    var isCut = false
  }
  let state = Mutex(State())
  let limit: Int
  init(limit: Int) { self.limit = limit }

  func note(_ event: DemandRecord.Event) { state.withLock { $0.events.append(event) } }

  func ran(_ text: String, lane: Int) { note(.init(lane: lane, kind: .ran(text))) }

  func watch(_ stream: LazyStream<Int>, lane: Int) -> LazyStream<Int> {
    stream.watched { [self] demand in
      switch demand {
      case .asked(let position): note(.init(lane: lane, kind: .missed, position: position))
      case .computed(let position): note(.init(lane: lane, kind: .computed, position: position))
      case .ended(let position): note(.init(lane: lane, kind: .ended, position: position))
      case .read(let position): note(.init(lane: lane, kind: .hit, position: position))
      }
    }
  }

  // MARK: - Stages

  /// The source; one that is defined by itself has two lanes, the first for what it reads of itself.
  func source(_ source: Pipeline.Source) -> [Lane] {
    switch source {
    case .numbers(let first, let last):
      let numbers = counted { $0 + first <= last ?? .max ? first + $0 : nil }
      return [Lane(name: source.description, stream: watch(numbers, lane: 0))]
    case .list(let numbers):
      let stream = counted { $0 < numbers.count ? numbers[$0] : nil }
      return [Lane(name: source.description, stream: watch(stream, lane: 0))]
    case .fibonacci: return fibonacci()
    }
  }

  private func counted(_ element: @escaping @Sendable (Int) -> Int?) -> LazyStream<Int> {
    LazyStream.unfold(0) { [self] count in
      guard let next = element(count), isWithin(count) else { return nil }
      count += 1
      ran("next() = \(next)", lane: 0)
      return next
    }
  }

  private func fibonacci() -> [Lane] {
    let add = Function(kind: .add)
    let all = LazyStream.recursive { [self] all in
      let itself = watch(all, lane: 0)
      return [0, 1]
        + zip(itself, itself.tail).enumerated().prefix { [self] in isWithin($0.offset + 2) }
        .map { [self] in
          ran(add.call($0.element.0, $0.element.1), lane: 1)
          return add($0.element.0, $0.element.1)
        }
    }
    return [
      Lane(name: "itself", stream: all), Lane(name: "fibonacci", stream: watch(all, lane: 1)),
    ]
  }

  private func isWithin(_ count: Int) -> Bool {
    if count < limit { return true }
    state.withLock { $0.isCut = true }
    return false
  }

  func apply(
    _ part: Pipeline.Operator, to stream: LazyStream<Int>, lane: Int
  ) -> LazyStream<Int> {
    switch part {
    case .map(let function):
      stream.map { [self] number in
        ran(function.call(number, function.operand ?? number), lane: lane)
        return function(number)
      }
    case .scan(let function):
      stream.scan(function.kind == .multiply ? 1 : 0) { [self] result, number in
        ran(function.call(result, number), lane: lane)
        return function(result, number)
      }
    case .filter(let test): stream.filter(asking(test, lane: lane))
    case .prefixWhile(let test): stream.prefix(while: asking(test, lane: lane))
    case .dropWhile(let test): stream.drop(while: asking(test, lane: lane))
    case .prefix(let count): stream.prefix(count)
    case .removeDuplicates:
      stream.removeDuplicates { [self] last, number in
        ran("\(last) == \(number)? \(last == number ? "yes" : "no")", lane: lane)
        return last == number
      }
    }
  }

  private func asking(_ test: Test, lane: Int) -> @Sendable (Int) -> Bool {
    { [self] number in
      ran(test.call(number), lane: lane)
      return test(number)
    }
  }
}
