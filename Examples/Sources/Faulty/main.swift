// A shop with three faults, which its page explains; see the README.
//
//     swift run --package-path Examples Faulty --inspect      and open the address that it prints
import Dispatch
import EasyReact
import EasyReactInspection
import EasyReactInspector

let recorder = GraphRecorder()
recorder.start()
let shop = Shop()
let listenings = [shop.total.listen { print("total:", $0) }, shop.orders.listen { print($0) }]
for pieces in [1, 2, 3] { shop.sell(pieces) }

if CommandLine.arguments.contains("--inspect") {
  try Inspector.start(recorder: recorder, allowsChanges: true, title: "Faulty shop")
  dispatchMain()
}
// The same, as text.
for node in [shop.total, shop.orders, shop.receipt] as [AnyNode] {
  let answers = recorder.whyNot(node).answers
  let ends = answers.flatMap(\.ends).map(\.text)
  let reason =
    ends.isEmpty ? "it was told, and \(node.listenerCount) listen" : ends.joined(separator: "; ")
  print("\(node.name ?? "?"): \(reason)")
}
withExtendedLifetime(listenings) {}
