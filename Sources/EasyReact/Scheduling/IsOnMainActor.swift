import CEasyReact
import Dispatch

private let mainQueueKey: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

/// On Linux threads of the pool may serve the main queue.
func isOnMainActor() -> Bool {
  easyreact_is_main_thread() || DispatchQueue.getSpecific(key: mainQueueKey) == true
}
