import EasyReact
import EasySequence
import Synchronization

extension LazyStream {
  /// Sets a node to each element, one after the other, before it returns. The stream must end.
  ///
  ///     LazyStream(1...3).play(into: node)      // the listeners of node hear 1, 2, 3
  ///
  /// Known as `signalWithScheduler:` with the immediate scheduler in ReactiveCocoa.
  public func play(into node: MutableNode<Element>) {
    for element in self { node.value = element }
  }

  /// Sets a node to one element for each piece of work on a scheduler, as long as somebody listens.
  ///
  ///     let playing = LazyStream(1...).map(expensive).play(into: node, on: queue)
  ///     playing.cancel()
  ///
  /// Before each element it looks whether the node still exists and whether it, or a node downstream of it, has a
  /// listener; if not, it ends and computes no more. So listen first, then play. The scheduler does other work
  /// between two elements. The node is not kept, nor are the elements that have been played.
  /// Known as `signalWithScheduler:` in ReactiveCocoa.
  @discardableResult
  public func play(into node: MutableNode<Element>, on scheduler: some Scheduler) -> Playing<
    Element
  > {
    let playing = Playing(self, node, scheduler)
    playing.goOn()
    return playing
  }
}

/// A stream that is played into a node. Dropping it changes nothing; `cancel()` ends it.
public final class Playing<Element: Sendable>: Cancelable {
  /// What is left; nil when it is over. Protected by its mutex, computed outside of it.
  private let rest: Mutex<LazyStream<Element>?>
  private weak let node: MutableNode<Element>?
  private let scheduler: any Scheduler

  init(_ stream: LazyStream<Element>, _ node: MutableNode<Element>, _ scheduler: any Scheduler) {
    rest = Mutex(stream)
    self.node = node
    self.scheduler = scheduler
  }

  /// Whether it has ended: by the stream's end, by `cancel()`, or because nobody listened.
  public var isOver: Bool { rest.withLock { $0 == nil } }

  /// Ends it. An element that another thread computes just now is not told any more.
  public func cancel() {
    let dropped = rest.withLock { rest in
      defer { rest = nil }
      return rest
    }
    _ = consume dropped  // what it captured is destroyed outside of the lock
  }

  func goOn() { scheduler.schedule { self.step() } }

  private func step() {
    guard let node, isHeard(node), let stream = rest.withLock({ $0 }),
      let (element, tail) = stream.uncons()
    else { return cancel() }
    let goesOn = rest.withLock { rest in
      if rest == nil { return false }
      rest = tail
      return true
    }
    if !goesOn { return }
    node.value = element
    goOn()
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
