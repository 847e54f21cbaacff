/// Computes the elements of one stream, in order.
///
/// It is called by one thread at a time: under the claim of the chunk that it belongs to, or by the one cursor that has
/// taken it over.
@usableFromInline final class Engine<Element: Sendable> {
  /// Writes the next element into the slot; false at the end, after which it is not called again.
  ///
  /// A slot and not a result, so that the closure has one calling convention, specialised or not.
  @usableFromInline let body: (UnsafeMutablePointer<Element>) -> Bool
  /// What is left to be walked, if this engine concatenates; ``Concatenation`` flattens nested ones by it.
  @usableFromInline let concatenation: Concatenation<Element>?

  @inlinable @inline(__always) init(_ next: @escaping () -> Element?) {
    concatenation = nil
    body = { slot in
      guard let element = next() else { return false }
      slot.initialize(to: element)
      return true
    }
  }

  /// The same without a closure around the closure, for the operators that are used most.
  @inlinable init(body: @escaping (UnsafeMutablePointer<Element>) -> Bool) {
    concatenation = nil
    self.body = body
  }

  @inlinable init(_ concatenation: Concatenation<Element>) {
    self.concatenation = concatenation
    body = { slot in
      guard let element = concatenation.next() else { return false }
      slot.initialize(to: element)
      return true
    }
  }

  /// Not inlined, because `self` is borrowed here, so that the closure is called without being retained.
  @inlinable @inline(never) func pull(_ slot: UnsafeMutablePointer<Element>) -> Bool { body(slot) }
}

/// State of an engine. It is reached by one thread at a time, as its engine is, so accesses are not checked.
@usableFromInline final class Box<Value> {
  @exclusivity(unchecked) @usableFromInline var value: Value
  @inlinable init(_ value: Value) { self.value = value }
}
