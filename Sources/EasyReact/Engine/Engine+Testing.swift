import Dispatch

/// Waits until no region is with a background queue any more: when the threads of a test have ended, the graph is then at
/// rest, but for what waits on schedulers. False: it took longer.
package func waitForBackgroundWork(seconds: Int = 60) -> Bool {
  handOvers.wait(timeout: .now() + .seconds(seconds)) == .success
}
