// With EASYREACT_LINT in the environment an example is recorded, and says at its end what is wrong with its graphs, on standard
// error. `Scripts/check-examples.sh --lint` compares that with `Expected/Lint.txt`. An example is linked with it, and does not know.
import CLintAtEnd
import EasyReactInspection
import Foundation

private let recorder = GraphRecorder()

@_cdecl("lint_begin")
public func lintBegin() { recorder.start() }

@_cdecl("lint_end")
public func lintEnd() {
  // One runs at a time: the example may have its own.
  let recorder = GraphRecorder.current ?? recorder
  let nodes = recorder.records(after: .max).nodes.filter { $0.gone == nil }.count
  let lines = recorder.lint().map { "  \($0)\n" }
  FileHandle.standardError.write(
    Data("\(nodes > 0 ? "linted" : "no node lives")\n\(lines.joined())".utf8))
}
