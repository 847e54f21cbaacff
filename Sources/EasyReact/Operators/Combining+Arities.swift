// A parameter pack's types are looked up each time it is used. Up to eight nodes are spelled out, so
// their reads are specialised in the client's module.

extension Node {
  /// The same of three nodes.
  @inlinable
  public final func combine<B: Sendable, C: Sendable>(
    _ b: Node<B>, _ c: Node<C>,
    as mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C)> {
    makeJoin([self, b, c], mode, Site(file, line)) { cores in
      guard let a = readStored(cores[0], Value.self),
        let b = readStored(cores[1], B.self),
        let c = readStored(cores[2], C.self)
      else { return nil }
      return (a, b, c)
    }
  }

  /// The same of four nodes.
  @inlinable
  public final func combine<B: Sendable, C: Sendable, D: Sendable>(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>,
    as mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D)> {
    makeJoin([self, b, c, d], mode, Site(file, line)) { cores in
      guard let a = readStored(cores[0], Value.self),
        let b = readStored(cores[1], B.self),
        let c = readStored(cores[2], C.self),
        let d = readStored(cores[3], D.self)
      else { return nil }
      return (a, b, c, d)
    }
  }

  /// The same of five nodes.
  @inlinable
  public final func combine<B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>,
    as mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E)> {
    makeJoin([self, b, c, d, e], mode, Site(file, line)) { cores in
      guard let a = readStored(cores[0], Value.self),
        let b = readStored(cores[1], B.self),
        let c = readStored(cores[2], C.self),
        let d = readStored(cores[3], D.self),
        let e = readStored(cores[4], E.self)
      else { return nil }
      return (a, b, c, d, e)
    }
  }

  /// The same of six nodes.
  @inlinable
  public final func combine<B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>, _ f: Node<F>,
    as mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E, F)> {
    makeJoin([self, b, c, d, e, f], mode, Site(file, line)) { cores in
      guard let a = readStored(cores[0], Value.self),
        let b = readStored(cores[1], B.self),
        let c = readStored(cores[2], C.self),
        let d = readStored(cores[3], D.self),
        let e = readStored(cores[4], E.self),
        let f = readStored(cores[5], F.self)
      else { return nil }
      return (a, b, c, d, e, f)
    }
  }

  /// The same of seven nodes.
  @inlinable
  public final func combine<
    B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable
  >(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>, _ f: Node<F>, _ g: Node<G>,
    as mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E, F, G)> {
    makeJoin([self, b, c, d, e, f, g], mode, Site(file, line)) { cores in
      guard let a = readStored(cores[0], Value.self),
        let b = readStored(cores[1], B.self),
        let c = readStored(cores[2], C.self),
        let d = readStored(cores[3], D.self),
        let e = readStored(cores[4], E.self),
        let f = readStored(cores[5], F.self),
        let g = readStored(cores[6], G.self)
      else { return nil }
      return (a, b, c, d, e, f, g)
    }
  }

  /// The same of eight nodes.
  @inlinable
  public final func combine<
    B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable
  >(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>, _ f: Node<F>, _ g: Node<G>,
    _ h: Node<H>,
    as mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E, F, G, H)> {
    makeJoin([self, b, c, d, e, f, g, h], mode, Site(file, line)) { cores in
      guard let a = readStored(cores[0], Value.self),
        let b = readStored(cores[1], B.self),
        let c = readStored(cores[2], C.self),
        let d = readStored(cores[3], D.self),
        let e = readStored(cores[4], E.self),
        let f = readStored(cores[5], F.self),
        let g = readStored(cores[6], G.self),
        let h = readStored(cores[7], H.self)
      else { return nil }
      return (a, b, c, d, e, f, g, h)
    }
  }
}
