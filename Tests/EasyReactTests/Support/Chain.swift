import EasyReact

/// The end of a chain of maps.
func chain(_ length: Int, from start: Node<Int>) -> Node<Int> {
  (0..<length).reduce(start) { end, _ in end.map { $0 } }
}
