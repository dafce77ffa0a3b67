#if canImport(Glibc)
  import CLinux
  import Glibc
#endif

/// How memory is handed out while the engine is measured.
enum Allocator {
  /// Has large buffers be used again, as they are in a program that never asked for anything else;
  /// the commands give theirs back to the system at once.
  static func keepLargeBuffers() {
    #if canImport(Glibc)
      _ = mallopt(M_MMAP_THRESHOLD, 32 << 20)
      _ = mallopt(M_TRIM_THRESHOLD, 64 << 20)
    #endif
  }
}
