// What the compiler needs for a file without operators; subtracted from what Lines.swift needs.
import EasyReact

struct Person: Sendable, Equatable {
  var name = "", age = 0, isKnown = false
}

func people(_ a: MutableNode<Person>) -> AnyNode { a }
