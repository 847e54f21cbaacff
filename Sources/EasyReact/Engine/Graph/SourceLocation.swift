/// Where something was made.
@usableFromInline struct SourceLocation: @unchecked Sendable {
  // Unchecked: the address of a literal's bytes, which are never freed.
  @usableFromInline let start: UnsafePointer<UInt8>
  @usableFromInline let count: UInt32
  @usableFromInline let line: UInt32
  @inlinable init(_ file: StaticString, _ line: UInt) {
    start = file.utf8Start
    count = UInt32(truncatingIfNeeded: file.utf8CodeUnitCount)
    self.line = UInt32(truncatingIfNeeded: line)
  }

  var file: String {
    String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }
}
