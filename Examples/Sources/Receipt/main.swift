// The twelve lines of the README's first screen. `--dot` prints their graph for Graphviz instead.
import EasyReact

let price = MutableNode(4).named("price")
let count = MutableNode(3).named("count")
let total = price.combine(count).named("both").map { $0 * $1 }.named("total")
let text = total.map { "total: \($0)" }.named("text")

if CommandLine.arguments.contains("--dot") {
  print(price.dot(), terminator: "")
} else {
  let listening = text.listen { print($0) }  // total: 12
  price.value = 5  // total: 15
  batch {
    price.value = 10
    count.value = 10
  }  // total: 100, once
  listening.cancel()
}
