#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// What a `FileLog` asks of the system where it has a name of its own for it, or a test has a drive of its own.

/// Waits until the drive has what was written.
@Sendable func systemFlush(_ descriptor: Int32) -> Bool {
  #if canImport(Darwin)
  // `fsync` leaves it in the drive's own cache there. If that cannot be emptied, `fsync` is what there is.
  if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
  #endif
  return fsync(descriptor) == 0
}

func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

@Sendable func systemRead(
  _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t
) -> Int { pread(descriptor, bytes, count, offset) }
