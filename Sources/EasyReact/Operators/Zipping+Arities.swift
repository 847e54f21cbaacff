// As for `combine`: up to eight nodes are spelled out, so their tuples are made in the client's module. What makes them
// stands in each: with a builder that keeps the queues' steps until all are there, what takes from all queues is a call
// that is not specialised, and a zip of three costs 7.6 % more instructions.

extension Node {
  /// The same for three nodes.
  @inlinable
  public final func zip<B: Sendable, C: Sendable>(
    _ b: Node<B>, _ c: Node<C>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C)> {
    let group = ZipGroup()
    let first = ZipQueue<Value>(group)
    let queueB = ZipQueue<B>(group)
    let queueC = ZipQueue<C>(group)
    let pop: @Sendable () -> (Value, B, C) = {
      (first.pop(), queueB.pop(), queueC.pop())
    }
    return makeZip(SourceLocation(file, line), group) { connect in
      connect(self, zipStep(first, group, pop))
      connect(b, zipStep(queueB, group, pop))
      connect(c, zipStep(queueC, group, pop))
    }
  }

  /// The same for four nodes.
  @inlinable
  public final func zip<B: Sendable, C: Sendable, D: Sendable>(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D)> {
    let group = ZipGroup()
    let first = ZipQueue<Value>(group)
    let queueB = ZipQueue<B>(group)
    let queueC = ZipQueue<C>(group)
    let queueD = ZipQueue<D>(group)
    let pop: @Sendable () -> (Value, B, C, D) = {
      (first.pop(), queueB.pop(), queueC.pop(), queueD.pop())
    }
    return makeZip(SourceLocation(file, line), group) { connect in
      connect(self, zipStep(first, group, pop))
      connect(b, zipStep(queueB, group, pop))
      connect(c, zipStep(queueC, group, pop))
      connect(d, zipStep(queueD, group, pop))
    }
  }

  /// The same for five nodes.
  @inlinable
  public final func zip<B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E)> {
    let group = ZipGroup()
    let first = ZipQueue<Value>(group)
    let queueB = ZipQueue<B>(group)
    let queueC = ZipQueue<C>(group)
    let queueD = ZipQueue<D>(group)
    let queueE = ZipQueue<E>(group)
    let pop: @Sendable () -> (Value, B, C, D, E) = {
      (first.pop(), queueB.pop(), queueC.pop(), queueD.pop(), queueE.pop())
    }
    return makeZip(SourceLocation(file, line), group) { connect in
      connect(self, zipStep(first, group, pop))
      connect(b, zipStep(queueB, group, pop))
      connect(c, zipStep(queueC, group, pop))
      connect(d, zipStep(queueD, group, pop))
      connect(e, zipStep(queueE, group, pop))
    }
  }

  /// The same for six nodes.
  @inlinable
  public final func zip<B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>, _ f: Node<F>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E, F)> {
    let group = ZipGroup()
    let first = ZipQueue<Value>(group)
    let queueB = ZipQueue<B>(group)
    let queueC = ZipQueue<C>(group)
    let queueD = ZipQueue<D>(group)
    let queueE = ZipQueue<E>(group)
    let queueF = ZipQueue<F>(group)
    let pop: @Sendable () -> (Value, B, C, D, E, F) = {
      (first.pop(), queueB.pop(), queueC.pop(), queueD.pop(), queueE.pop(), queueF.pop())
    }
    return makeZip(SourceLocation(file, line), group) { connect in
      connect(self, zipStep(first, group, pop))
      connect(b, zipStep(queueB, group, pop))
      connect(c, zipStep(queueC, group, pop))
      connect(d, zipStep(queueD, group, pop))
      connect(e, zipStep(queueE, group, pop))
      connect(f, zipStep(queueF, group, pop))
    }
  }

  /// The same for seven nodes.
  @inlinable
  public final func zip<
    B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable
  >(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>, _ f: Node<F>, _ g: Node<G>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E, F, G)> {
    let group = ZipGroup()
    let first = ZipQueue<Value>(group)
    let queueB = ZipQueue<B>(group)
    let queueC = ZipQueue<C>(group)
    let queueD = ZipQueue<D>(group)
    let queueE = ZipQueue<E>(group)
    let queueF = ZipQueue<F>(group)
    let queueG = ZipQueue<G>(group)
    let pop: @Sendable () -> (Value, B, C, D, E, F, G) = {
      (
        first.pop(), queueB.pop(), queueC.pop(), queueD.pop(), queueE.pop(), queueF.pop(),
        queueG.pop()
      )
    }
    return makeZip(SourceLocation(file, line), group) { connect in
      connect(self, zipStep(first, group, pop))
      connect(b, zipStep(queueB, group, pop))
      connect(c, zipStep(queueC, group, pop))
      connect(d, zipStep(queueD, group, pop))
      connect(e, zipStep(queueE, group, pop))
      connect(f, zipStep(queueF, group, pop))
      connect(g, zipStep(queueG, group, pop))
    }
  }

  /// The same for eight nodes.
  @inlinable
  public final func zip<
    B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable
  >(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>, _ f: Node<F>, _ g: Node<G>,
    _ h: Node<H>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E, F, G, H)> {
    let group = ZipGroup()
    let first = ZipQueue<Value>(group)
    let queueB = ZipQueue<B>(group)
    let queueC = ZipQueue<C>(group)
    let queueD = ZipQueue<D>(group)
    let queueE = ZipQueue<E>(group)
    let queueF = ZipQueue<F>(group)
    let queueG = ZipQueue<G>(group)
    let queueH = ZipQueue<H>(group)
    let pop: @Sendable () -> (Value, B, C, D, E, F, G, H) = {
      (
        first.pop(), queueB.pop(), queueC.pop(), queueD.pop(), queueE.pop(), queueF.pop(),
        queueG.pop(), queueH.pop()
      )
    }
    return makeZip(SourceLocation(file, line), group) { connect in
      connect(self, zipStep(first, group, pop))
      connect(b, zipStep(queueB, group, pop))
      connect(c, zipStep(queueC, group, pop))
      connect(d, zipStep(queueD, group, pop))
      connect(e, zipStep(queueE, group, pop))
      connect(f, zipStep(queueF, group, pop))
      connect(g, zipStep(queueG, group, pop))
      connect(h, zipStep(queueH, group, pop))
    }
  }
}
