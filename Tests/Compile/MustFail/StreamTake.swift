// Sequences know the words of nodes; the standard library's come first.
// expect: 'take' has been renamed to 'prefix(_:)'
import EasySequence

func start(_ stream: LazyStream<Int>) -> LazyStream<Int> { stream.take(2) }
