import DequeModule
import EasyReact

// What waits is looked at, and changed where it waits.

extension Queue: RandomAccessCollection, MutableCollection {
  @usableFromInline package var startIndex: Int { items.startIndex }
  @usableFromInline package var endIndex: Int { items.endIndex }
  @usableFromInline package subscript(place: Int) -> Element {
    get { items[place] }
    _modify { yield &items[place] }
  }
}
