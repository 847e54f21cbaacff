// Compiled with C++ interoperability, linked with the library, and run. What is inlined here calls CEasyReact, whose
// functions and thread-local word must then have C's names.
import EasyReact

let a = MutableNode(1), b = MutableNode(10)
let sum = a.combine(b).map { $0 + $1 }
// Unsafe: one thread.
nonisolated(unsafe) var heard: [Int] = []
let listening = sum.listen { heard.append($0) }
batch {
  a.value = 2
  b.value = 20
}
precondition(heard == [11, 22])
