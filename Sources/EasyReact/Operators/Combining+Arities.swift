// A parameter pack's types are looked up each time it is used. Up to eight nodes are spelled out, so
// their reads are specialised in the client's module.

extension Node {
  /// The same for three nodes.
  @inlinable
  public final func combine<B: Sendable, C: Sendable>(
    _ b: Node<B>, _ c: Node<C>,
    mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C)> {
    makeJoin([self, b, c], mode, SourceLocation(file, line)) { upstreams in
      guard let a = upstreams[0].readStored(Value.self),
        let b = upstreams[1].readStored(B.self),
        let c = upstreams[2].readStored(C.self)
      else { return nil }
      return (a, b, c)
    }
  }

  /// The same for four nodes.
  @inlinable
  public final func combine<B: Sendable, C: Sendable, D: Sendable>(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>,
    mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D)> {
    makeJoin([self, b, c, d], mode, SourceLocation(file, line)) { upstreams in
      guard let a = upstreams[0].readStored(Value.self),
        let b = upstreams[1].readStored(B.self),
        let c = upstreams[2].readStored(C.self),
        let d = upstreams[3].readStored(D.self)
      else { return nil }
      return (a, b, c, d)
    }
  }

  /// The same for five nodes.
  @inlinable
  public final func combine<B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>,
    mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E)> {
    makeJoin([self, b, c, d, e], mode, SourceLocation(file, line)) { upstreams in
      guard let a = upstreams[0].readStored(Value.self),
        let b = upstreams[1].readStored(B.self),
        let c = upstreams[2].readStored(C.self),
        let d = upstreams[3].readStored(D.self),
        let e = upstreams[4].readStored(E.self)
      else { return nil }
      return (a, b, c, d, e)
    }
  }

  /// The same for six nodes.
  @inlinable
  public final func combine<B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>, _ f: Node<F>,
    mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E, F)> {
    makeJoin([self, b, c, d, e, f], mode, SourceLocation(file, line)) { upstreams in
      guard let a = upstreams[0].readStored(Value.self),
        let b = upstreams[1].readStored(B.self),
        let c = upstreams[2].readStored(C.self),
        let d = upstreams[3].readStored(D.self),
        let e = upstreams[4].readStored(E.self),
        let f = upstreams[5].readStored(F.self)
      else { return nil }
      return (a, b, c, d, e, f)
    }
  }

  /// The same for seven nodes.
  @inlinable
  public final func combine<
    B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable
  >(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>, _ f: Node<F>, _ g: Node<G>,
    mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E, F, G)> {
    makeJoin([self, b, c, d, e, f, g], mode, SourceLocation(file, line)) { upstreams in
      guard let a = upstreams[0].readStored(Value.self),
        let b = upstreams[1].readStored(B.self),
        let c = upstreams[2].readStored(C.self),
        let d = upstreams[3].readStored(D.self),
        let e = upstreams[4].readStored(E.self),
        let f = upstreams[5].readStored(F.self),
        let g = upstreams[6].readStored(G.self)
      else { return nil }
      return (a, b, c, d, e, f, g)
    }
  }

  /// The same for eight nodes.
  @inlinable
  public final func combine<
    B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable
  >(
    _ b: Node<B>, _ c: Node<C>, _ d: Node<D>, _ e: Node<E>, _ f: Node<F>, _ g: Node<G>,
    _ h: Node<H>,
    mode: CombineMode = .latest, file: StaticString = #fileID, line: UInt = #line
  ) -> Node<(Value, B, C, D, E, F, G, H)> {
    makeJoin([self, b, c, d, e, f, g, h], mode, SourceLocation(file, line)) { upstreams in
      guard let a = upstreams[0].readStored(Value.self),
        let b = upstreams[1].readStored(B.self),
        let c = upstreams[2].readStored(C.self),
        let d = upstreams[3].readStored(D.self),
        let e = upstreams[4].readStored(E.self),
        let f = upstreams[5].readStored(F.self),
        let g = upstreams[6].readStored(G.self),
        let h = upstreams[7].readStored(H.self)
      else { return nil }
      return (a, b, c, d, e, f, g, h)
    }
  }
}
