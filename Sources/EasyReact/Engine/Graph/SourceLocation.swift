/// Where something was made.
@usableFromInline struct SourceLocation: @unchecked Sendable {
  // Unchecked: the address of a literal's bytes, which are never freed. A zero ends them.
  @usableFromInline let start: UnsafePointer<UInt8>
  @usableFromInline let line: UInt32
  @inlinable init(_ file: StaticString, _ line: UInt) {
    start = file.utf8Start
    self.line = UInt32(truncatingIfNeeded: line)
  }

  var file: String { String(cString: start) }
}
