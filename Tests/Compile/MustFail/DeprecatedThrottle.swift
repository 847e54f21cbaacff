// The original's throttle is what the field calls debounce; warnings are errors here.
// expect: 'throttle(_:on:file:line:)' is deprecated: It is debounce; a rate limit is throttleFirst or throttleLatest.
import EasyReact

func quiet(_ node: Node<Int>) -> Node<Int> { node.throttle(.seconds(1), on: .main) }
