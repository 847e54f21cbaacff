import EasyReact

/// What the till prints on. It is to print every receipt.
final class Printer: Sendable {
  let lines = MutableNode<String>()
  func print(_ receipt: String) { lines.value = receipt }
}

/// A shop in which three things do not happen. Nothing is wrong with the library: each has its reason.
final class Shop: Sendable {
  let price = MutableNode(4).named("price")
  let count = MutableNode(0).named("count")
  let discount = MutableNode<Int>().named("discount")
  let stock = MutableNode(20).named("stock")

  /// 1. It never says anything.
  let total: Node<Int>
  /// 2. Nothing is ever ordered.
  let orders: Node<String>
  /// 3. No receipt is printed.
  let receipt: Node<String>

  init() {
    total = price.combine(count, discount).named("price, count, discount")
      .map { price, count, discount in price * count - discount }.named("total")
    orders = stock.filter { $0 < 5 }.named("stock is low").map { "order \(20 - $0) pieces" }.named(
      "orders")
    receipt = count.map { "\($0) pieces" }.named("receipt")
    // The printer is gone when this is over, and its listener with it.
    let printer = Printer()
    receipt.listen(by: printer) { printer, text in printer.print(text) }
  }

  func sell(_ pieces: Int) {
    batch {
      count.update { $0 += pieces }
      stock.update { $0 -= pieces }
    }
  }
}
