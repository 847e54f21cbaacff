import EasyReact
import Observation

/// Draws what it reads, and draws again when that changes, as a SwiftUI view does.
@MainActor final class Screen {
  private let box: SearchBox
  /// What was drawn last.
  private let frame = MutableNode("")

  init(_ box: SearchBox) {
    self.box = box
    draw()
  }

  private func draw() {
    frame.value = withObservationTracking {
      "[\(box.text.observed.current)] \(box.shown.observed.current)"
    } onChange: {
      Task { @MainActor [weak self] in self?.draw() }  // told before the change
    }
    print(frame.current)
  }

  /// Types a text, key by key.
  func type(_ text: String) {
    for end in text.indices { box.text.observed.current = String(text[...end]) }
  }

  /// Returns when the answer to a text is drawn.
  func showsAnswer(to text: String) async throws {
    _ = try await frame.first { $0.hasPrefix("[\(text)]") && !$0.hasSuffix("…") }
  }
}
