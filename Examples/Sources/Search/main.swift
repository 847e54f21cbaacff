// A search field: what is typed is looked up on a server when the typing pauses, and no old answer is ever shown.
// The guide “From a view to an actor and back” builds it, and tests it without waiting.
import EasyReact
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct BadStatus: Error, CustomStringConvertible {
  let code: Int
  var description: String { "status \(code)" }
}

signal(SIGPIPE, SIG_IGN)  // a question that was cancelled hangs up on the server
setenv("no_proxy", "127.0.0.1", 1)
guard let server = Server() else {
  FileHandle.standardError.write(Data("no port: \(String(cString: strerror(errno)))\n".utf8))
  exit(1)
}

let catalogue = Catalogue { [port = server.port] text in
  guard let address = URL(string: "http://127.0.0.1:\(port)/\(text)") else { return [] }
  let (data, response) = try await URLSession.shared.data(from: address)
  let status = (response as? HTTPURLResponse)?.statusCode ?? 0
  if status != 200 { throw BadStatus(code: status) }
  return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
}
let box = SearchBox(in: catalogue, on: .global())
let screen = Screen(box)

screen.type("sw")
_ = try await server.asked.first { $0.contains("sw") }
screen.type("swift")  // cancels the first question, which the server answers after the second
try await screen.showsAnswer(to: "swift")
_ = try await server.answered.first { $0.contains("sw") }

for text in ["owl", "dodo", "emu", "swift"] {
  screen.type(text)
  try await screen.showsAnswer(to: text)
}
print("“swift” was asked \(server.asked.current.count { $0 == "swift" }) time")
