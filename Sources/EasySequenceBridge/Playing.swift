import EasyReact
import EasySequence
import Synchronization

extension LazyStream {
  /// Sets a node to each element, one after the other, before it returns. The stream must end.
  ///
  ///     LazyStream(1...3).play(into: node)      // the listeners of node hear 1, 2, 3
  ///
  /// An element that has been played is not kept, unless somebody holds the stream from some point before it: so a
  /// file of any length can be played without a variable for the stream of its lines.
  /// Known as `signalWithScheduler:` with the immediate scheduler in ReactiveCocoa.
  public consuming func play(into node: MutableNode<Element>) {
    forEach { node.value = $0 }
  }

  /// Sets a node to one element for each piece of work on a scheduler, as long as somebody listens.
  ///
  ///     let playing = LazyStream(1...).map(expensive).play(into: node, on: .queue(queue))
  ///     playing.cancel()
  ///
  /// Before each element it looks whether the node still exists and whether it, or a node downstream of it, has a
  /// listener; if not, it ends and computes no more. So listen first, then play. For a lens, its own listeners count, not those of its
  /// whole; for a shared node, those of this process. The scheduler does other work
  /// between two elements. The node is not kept, nor are the elements that have been played.
  /// Known as `signalWithScheduler:` in ReactiveCocoa.
  @discardableResult
  public func play(into node: MutableNode<Element>, on scheduler: some NodeScheduler) -> Playing<
    Element
  > {
    let playing = Playing(self, node, scheduler)
    playing.continue()
    return playing
  }
}

/// A stream that is played into a node. Dropping it changes nothing; `cancel()` ends it.
public final class Playing<Element: Sendable>: Cancelable {
  private struct State {
    /// What is left; nil when it is over. Computed outside of the lock.
    var rest: LazyStream<Element>?
    /// Whether a piece of work plays an element just now.
    var isPlaying = false
    /// Whether the next piece came meanwhile: inside of this one, if the scheduler works at once.
    var isDue = false
  }

  private let state: Mutex<State>
  private weak let node: MutableNode<Element>?
  private let scheduler: any NodeScheduler

  init(_ stream: LazyStream<Element>, _ node: MutableNode<Element>, _ scheduler: any NodeScheduler)
  {
    state = Mutex(State(rest: stream))
    self.node = node
    self.scheduler = scheduler
  }

  /// Whether it has ended: by the stream's end, by `cancel()`, or because nobody listened.
  public var isOver: Bool { state.withLock { $0.rest == nil } }

  /// Ends it. An element that another thread is computing just now is not told any more; one that it is telling just now is.
  public func cancel() {
    let dropped = state.withLock { state in
      defer { state.rest = nil }
      return state.rest
    }
    _ = consume dropped  // what it captured is destroyed outside of the lock
  }

  func `continue`() { scheduler.schedule { self.play() } }

  /// Plays an element, and those whose turn comes before it is done: a scheduler that works at once must not make the
  /// stack as deep as the stream is long.
  private func play() {
    let mayPlay = state.withLock { state in
      state.isDue = state.isPlaying
      defer { state.isPlaying = true }
      return !state.isPlaying
    }
    guard mayPlay else { return }
    repeat { step() } while mustGoOn()
  }

  private func mustGoOn() -> Bool {
    state.withLock { state in
      defer { state.isDue = false }
      state.isPlaying = state.isDue
      return state.isDue
    }
  }

  private func step() {
    guard let node, isHeard(node), let stream = state.withLock({ $0.rest }),
      let (element, tail) = stream.uncons()
    else { return cancel() }
    let (goesOn, played) = state.withLock { state in
      let played = state.rest
      if played != nil { state.rest = tail }
      return (played != nil, played)
    }
    _ = consume played  // likewise
    if !goesOn { return }
    node.value = element
    `continue`()
  }
}

/// Whether a node or one downstream of it has a listener. O(n) in those nodes.
private func isHeard(_ node: AnyNode) -> Bool {
  var seen: Set<ObjectIdentifier> = [ObjectIdentifier(node)]
  var toSee = [node]
  while let next = toSee.popLast() {
    if next.hasListener { return true }
    for node in next.downstreamNodes where seen.insert(ObjectIdentifier(node)).inserted {
      toSee.append(node)
    }
  }
  return false
}
