#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The names of files that are being written: `.NAME.RANDOM.tmp.nosync`.
///
/// The dot hides them from people, `.nosync` from iCloud; the random part tells two runs apart.
package enum TemporaryName {
  static let suffix: StaticString = ".tmp.nosync"
  static let randomDigits = 16

  /// Returns a new temporary name for `name`, cut between UTF-8 scalars where it would be too long.
  static func make(for name: FileName) -> FileName {
    make(for: name, number: Entropy.number())
  }

  /// Returns the number whose temporary name for `name` this is; nil if it is none.
  static func number(of temporary: FileName, for name: FileName) -> UInt64? {
    guard matches(temporary) else { return nil }
    let digits = temporary.bytes.dropLast(suffix.utf8CodeUnitCount).suffix(randomDigits)
    let number = digits.reversed().reduce(0 as UInt64) { $0 << 4 | UInt64(HexDigits.value(of: $1)) }
    return make(for: name, number: number) == temporary ? number : nil
  }

  /// Returns the temporary name for `name` whose digits are those of a number, the lowest first.
  static func make(for name: FileName, number: UInt64) -> FileName {
    let added = randomDigits + suffix.utf8CodeUnitCount + 2
    let kept = name.prefix(FileName.longest - added)
    var bytes: [UInt8] = []
    // Thousands of these may wait for their files: each takes no more than it is long.
    bytes.reserveCapacity(kept.count + added)
    bytes.append(UInt8(ascii: "."))
    bytes += kept
    bytes.append(UInt8(ascii: "."))
    for digit in 0..<randomDigits {
      bytes.append(HexDigits.digit(UInt8(truncatingIfNeeded: number >> (4 * digit) & 15)))
    }
    bytes += suffix.description.utf8
    return FileName(trusted: bytes)
  }

  /// Returns whether a name has exactly the form `make(for:)` gives.
  package static func matches(_ name: FileName) -> Bool {
    let bytes = name.bytes
    let tail = randomDigits + suffix.utf8CodeUnitCount + 1
    guard bytes.first == UInt8(ascii: "."), bytes.count > tail, name.hasSuffix(suffix),
      bytes[bytes.count - tail] == UInt8(ascii: ".")
    else { return false }
    let random = bytes[(bytes.count - tail + 1)...].prefix(randomDigits)
    return random.allSatisfy(isDigit)
  }

  /// Returns the name that a file with a temporary name is to get, cut where it was too long; nil if
  /// the name is none that `make(for:)` gives.
  static func target(of name: FileName) -> FileName? {
    guard matches(name) else { return nil }
    return FileName(
      Array(name.bytes.dropFirst().dropLast(randomDigits + suffix.utf8CodeUnitCount + 1)))
  }

  /// Returns whether a byte is a digit of the random part.
  static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}

extension Directory {
  /// Removes what interrupted runs left in this directory; returns what somebody else wrote into the
  /// place of a file just before they replaced it, and now lies beside it.
  ///
  /// Called under the lock of the folder. What a living run without that lock is still writing is
  /// locked and stays.
  @discardableResult
  package func sweepTemporaries() throws(FileError) -> [DisplacedFile] {
    var displaced: [DisplacedFile] = []
    try sweep { entry throws(FileError) in
      guard let swap = SwapName(entry.name) else {
        guard entry.kind == .regular, TemporaryName.matches(entry.name) else { return false }
        return try removeTemporary(entry.name)
      }
      guard !isInUse(swap.name), !isInUse(swap.target) else { return false }
      do throws(SystemCallError) {
        if try FileSwap(directory: self, name: swap).finish() == .displaced {
          displaced.append(DisplacedFile(name: swap.name, originalName: swap.target))
          return false
        }
        return true
      } catch {
        throw FileError(error, .rename, path(of: swap.name))
      }
    }
    return displaced
  }

  /// Removes what interrupted runs left of files that were to have one of these names, and nothing
  /// else.
  ///
  /// For directories that others may write to, whose lock nobody holds: what a living run is still
  /// writing is locked and stays.
  package func sweepTemporaries(where isOurs: (FileName) -> Bool) throws(FileError) {
    try sweep { entry throws(FileError) in
      guard entry.kind == .regular, let name = TemporaryName.target(of: entry.name), isOurs(name)
      else { return false }
      return try removeTemporary(entry.name)
    }
  }

  /// Removes what interrupted runs left of files that were to be called `name`; see
  /// `sweepTemporaries(where:)`.
  package func sweepTemporaries(for name: FileName) throws(FileError) {
    try sweepTemporaries { $0 == name }
  }

  /// Removes what interrupted runs left of files that were being written in this directory.
  ///
  /// For directories in which no living run has unlocked ones, as the caller knows.
  package func sweepUnpublished() throws(FileError) {
    try sweepTemporaries { _ in true }
  }

  /// Shows `body` every entry and makes it last if it changed anything, as it answers.
  private func sweep(
    _ body: (DirectoryEntry) throws(FileError) -> Bool
  ) throws(FileError) {
    var isChanged = false
    for entry in try entries() {
      do throws(FileError) {
        if try body(entry) { isChanged = true }
      } catch {
        // Somebody else swept it.
        guard case .missing = error else { throw error }
      }
    }
    if isChanged { try synchronize() }
  }

  private func removeTemporary(_ name: FileName) throws(FileError) -> Bool {
    guard try openForReading(name).tryLock() else { return false }
    try unlink(name, flags: 0)
    return true
  }

  /// Whether a living run has a file staged under this name.
  private func isInUse(_ name: FileName) -> Bool {
    // What cannot be opened is none of ours.
    guard let file = try? openForReading(name) else { return false }
    return file.isLocked()
  }
}
