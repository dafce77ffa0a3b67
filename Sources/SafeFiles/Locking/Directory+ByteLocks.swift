#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Directory {
  /// Whether another process holds a lock on some bytes of a file, which need not be there; false if the
  /// file is not.
  ///
  /// These locks are others than those of folders: databases take them. What this process holds of them
  /// on the file is gone afterwards.
  package func isLockedElsewhere(
    _ name: FileName, bytes: Range<Int64>
  ) throws(FileError) -> Bool {
    guard try stateIfPresent(of: name)?.kind == .regular else { return false }
    let file = try openForReading(name)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(bytes.lowerBound)
    lock.l_len = off_t(bytes.upperBound - bytes.lowerBound)
    // SAFETY: the structure outlives the call, which only fills it.
    let result = unsafe fcntl(file.descriptor, F_GETLK, &lock)
    withExtendedLifetime(file) {}
    // Where there are no locks nobody holds one.
    return result == 0 && lock.l_type != Int16(F_UNLCK)
  }
}
