import EasyReact
import Foundation

/// A catalogue of birds over HTTP, on a free port of this machine: `GET /sw` answers those with “sw”, a line
/// each.
///
/// It is slow where much is found, as real ones are: what has fewer than three letters waits until something
/// longer has been answered. So answers overtake each other.
final class Server: Sendable {
  let port: UInt16
  let asked = MutableNode<[String]>([]), answered = MutableNode<[String]>([])

  private let listener: Int32
  private let turnstile = DispatchSemaphore(value: 0)
  private let birds = ["Barn owl", "Barn swallow", "Chimney swift", "Common swift", "Snowy owl"]

  /// Nil where this machine gives no port; `errno` says why.
  init?() {
    #if os(Linux)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let isListening = withUnsafeMutablePointer(to: &address) { [listener] address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    if !isListening { return nil }
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        Thread.detachNewThread { [self] in serve(client) }
      }
    }
  }

  private func serve(_ client: Int32) {
    defer { close(client) }
    var request = [UInt8](repeating: 0, count: 4096)
    let length = max(0, recv(client, &request, request.count, 0))
    let words = String(decoding: request[..<length], as: UTF8.self).split(separator: " ")
    guard words.count > 1 else { return }
    let text = String(words[1].dropFirst())
    asked.update { $0.append(text) }

    if text.count < 3 { turnstile.wait() }
    turnstile.signal()  // whoever waits is let through, and lets the next one through
    let found = birds.filter { $0.lowercased().contains(text) }.joined(separator: "\n")
    let status = text == "dodo" ? "410 Gone" : "200 OK"
    let answer =
      "HTTP/1.1 \(status)\r\nContent-Length: \(found.utf8.count)\r\nConnection: close\r\n\r\n\(found)"
    _ = send(client, answer, answer.utf8.count, 0)
    answered.update { $0.append(text) }
  }
}
