/// Some parts, and trees of those before and after them, whose heights differ by one at most (an AVL tree).
///
/// It never changes, so that queues can share it. Joins are those of Blelloch, Ferizovic and Sun, "Just Join for Parallel
/// Ordered Sets" (2016).
@usableFromInline final class PartTree<Element: Sendable> {
  @usableFromInline typealias Parts = [Concatenation<Element>.Part]
  private let before: PartTree?
  /// The next one last.
  private let parts: Parts
  private let after: PartTree?
  private let height: Int

  private init(_ before: PartTree?, _ parts: Parts, _ after: PartTree?) {
    (self.before, self.parts, self.after) = (before, parts, after)
    height = 1 + max(PartTree.height(before), PartTree.height(after))
  }

  private static func height(_ tree: PartTree?) -> Int { tree?.height ?? 0 }

  /// The parts that come first.
  var first: Parts { before?.first ?? parts }

  func removingFirst() -> (first: Parts, rest: PartTree?) {
    guard let (first, rest) = before?.removingFirst() else { return (parts, after) }
    return (first, PartTree.balanced(rest, parts, after))
  }

  /// Goes down the higher tree to where it is as high as the other one.
  static func join(_ before: PartTree?, _ parts: Parts, _ after: PartTree?) -> PartTree {
    if let before, before.height > height(after) + 1 {
      return balanced(before.before, before.parts, join(before.after, parts, after))
    }
    if let after, after.height > height(before) + 1 {
      return balanced(join(before, parts, after.before), after.parts, after.after)
    }
    return PartTree(before, parts, after)
  }

  /// The same for heights that differ by two at most.
  private static func balanced(
    _ before: PartTree?, _ parts: Parts, _ after: PartTree?
  ) -> PartTree {
    if let before, before.height > height(after) + 1 {
      guard let middle = before.after, middle.height > height(before.before) else {
        return PartTree(before.before, before.parts, PartTree(before.after, parts, after))
      }
      return PartTree(
        PartTree(before.before, before.parts, middle.before), middle.parts,
        PartTree(middle.after, parts, after))
    }
    if let after, after.height > height(before) + 1 {
      guard let middle = after.before, middle.height > height(after.after) else {
        return PartTree(PartTree(before, parts, after.before), after.parts, after.after)
      }
      return PartTree(
        PartTree(before, parts, middle.before), middle.parts,
        PartTree(middle.after, after.parts, after.after))
    }
    return PartTree(before, parts, after)
  }
}
