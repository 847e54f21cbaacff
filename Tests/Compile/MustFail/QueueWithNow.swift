// Nothing of ours can be used on a queue.
// expect: is unavailable: write .queue(queue)
import Dispatch
import EasyReact

func later(_ queue: DispatchQueue) { queue.schedule { print("later") } }
