/// The naive stream that one would write first: a cell an element, each stage stored. For comparison only.
final class Cons<Element> {
  private var thunk: (() -> (Element, Cons)?)?
  private var head: Element?
  /// A direct optional: with the link in an enum, freeing 100,000 cells overflows the stack.
  private var tail: Cons?

  init(_ thunk: @escaping () -> (Element, Cons)?) { self.thunk = thunk }

  var uncons: (Element, Cons)? {
    if let thunk {
      self.thunk = nil
      (head, tail) = thunk().map { ($0, $1) } ?? (nil, nil)
    }
    if let head, let tail { return (head, tail) }
    return nil
  }

  func map<Result>(_ transform: @escaping (Element) -> Result) -> Cons<Result> {
    Cons<Result> { self.uncons.map { (transform($0), $1.map(transform)) } }
  }

  func filter(_ isIncluded: @escaping (Element) -> Bool) -> Cons {
    Cons {
      var rest = self
      while let (element, tail) = rest.uncons {
        if isIncluded(element) { return (element, tail.filter(isIncluded)) }
        rest = tail
      }
      return nil
    }
  }

  func prefix(_ count: Int) -> Cons {
    Cons { count == 0 ? nil : self.uncons.map { ($0, $1.prefix(count - 1)) } }
  }

  static func counting(from start: Int) -> Cons<Int> {
    Cons<Int> { (start, counting(from: start + 1)) }
  }

  func sum() -> Int where Element == Int {
    var (rest, sum) = (self, 0)
    while let (element, tail) = rest.uncons {
      add(element, to: &sum)
      rest = tail
    }
    return sum
  }
}
