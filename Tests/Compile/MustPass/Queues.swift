// Each scheduler in each place, by its short name; and a queue keeps the names that others gave it.
import Dispatch
import EasyReact

extension DispatchQueue {
  var now: Int { 1 }
  func schedule(_ work: @escaping () -> Void) { work() }
}

func places(_ node: Node<Int>, _ queue: DispatchQueue) {
  _ = node.deliver(on: .queue(queue)).deliver(on: .main).deliver(on: .immediate)
    .deliver(on: .global())
    .debounce(.seconds(1), on: .global(qos: .utility)).delay(.seconds(1), on: .queue(.main))
  node.listen(on: .queue(queue)) { print($0) }.cancel()
  let schedulers: [any NodeScheduler] = [.queue(queue), .main, .global()]
  print(schedulers, queue.now + 1)
  queue.schedule { print("mine") }
}
