// Contract 15.1: of a mutable node it can be set, of another one it cannot.
// expect: cannot assign to property: 'value' is a get-only property
import EasyReact

@MainActor func set(_ node: Node<Int>) { node.observed.value = 1 }
