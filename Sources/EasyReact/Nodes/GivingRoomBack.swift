// `shrinkIfSparse` of the engine, for the library's other modules.

extension Dictionary {
  package mutating func giveRoomBack() { shrinkIfSparse() }
}

extension Array {
  package mutating func giveRoomBack() { shrinkIfSparse() }
}
