// Sequences know the words of nodes; the standard library's come first.
// expect: 'pairwise()' has been renamed to 'adjacentPairs()'
import EasySequence

func pairs(_ stream: LazyStream<Int>) -> LazyStream<(Int, Int)> { stream.pairwise() }
