// Sequences know the words of nodes; the standard library's come first.
// expect: 'skip' has been renamed to 'dropFirst(_:)'
import EasySequence

func rest(_ stream: LazyStream<Int>) -> LazyStream<Int> { stream.skip(2) }
