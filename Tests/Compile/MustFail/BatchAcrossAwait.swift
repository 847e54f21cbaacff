// Contract 14.7: a batch does not span an await: what it stages belongs to a thread, and a task may change threads.
// expect: cannot pass function of type '() async -> ()' to parameter expecting synchronous function type
import EasyReact

func save(_ a: MutableNode<Int>, _ load: @Sendable () async -> Int) async {
  batch {
    a.value = 1
    a.value = await load()
  }
}
