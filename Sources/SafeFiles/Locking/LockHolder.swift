/// A process that holds a lock, as far as the system tells.
package struct LockHolder: Hashable, Sendable, CustomStringConvertible {
  /// The number of the process.
  package let processNumber: Int32
  /// The name of its program, as the system shortens it; nil if the system does not say.
  package let program: String?

  package var description: String {
    let process = "process \(processNumber)"
    return program.map { "\($0) (\(process))" } ?? process
  }
}

#if os(Linux)
  import Diagnostics

  extension LockHolder {
    /// Finds who holds a lock on a whole file.
    ///
    /// Linux lists the locks of all processes in `/proc/locks` (proc_locks(5)), by the numbers of file
    /// system and file. Nil where it does not: for processes of another container, and on file systems
    /// whose files have other numbers there than `stat` says.
    package static func find(of file: FileState) -> LockHolder? {
      for line in contents(ofPath: "/proc/locks").split(separator: UInt8(ascii: "\n")) {
        if let number = process(of: line, if: file) {
          return LockHolder(processNumber: number, program: program(of: number))
        }
      }
      return nil
    }

    /// Takes the process from a line such as `1: FLOCK  ADVISORY  WRITE 4711 fd:01:131 0 EOF`, if it is
    /// about that file. Who waits for a lock has an arrow in the place of the kind.
    static func process(of line: ArraySlice<UInt8>, if file: FileState) -> Int32? {
      let words = line.split(separator: UInt8(ascii: " "))
      guard words.count >= 6, words[1].elementsEqual("FLOCK".utf8) else { return nil }
      let place = words[5].split(separator: UInt8(ascii: ":"))
      guard place.count == 3, number(place[0], radix: 16) == file.majorDeviceNumber,
        number(place[1], radix: 16) == file.minorDeviceNumber,
        number(place[2], radix: 10) == file.inode,
        let process = number(words[4], radix: 10), process > 0
      else { return nil }
      return Int32(exactly: process)
    }

    private static func program(of process: Int32) -> String? {
      let name = contents(ofPath: "/proc/\(process)/comm").prefix { $0 != UInt8(ascii: "\n") }
      return name.isEmpty ? nil : DisplayText.escaping(name)
    }

    private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> UInt64? {
      UInt64(String(decoding: digits, as: UTF8.self), radix: radix)
    }

    /// So many bytes of a list are looked at.
    private static let greatestList = 1 << 20

    /// Returns what a file of the system says, whose size is not known before; nothing if it says nothing.
    private static func contents(ofPath path: String) -> ArraySlice<UInt8> {
      var bytes = [UInt8](repeating: 0, count: 4096)
      var count = 0
      do throws(FileError) {
        let (directory, name) = try Directory.openParent(ofPath: path)
        let file = try directory.openForReading(name)
        while count < greatestList {
          if count == bytes.count { bytes += [UInt8](repeating: 0, count: count) }
          let read = try file.readSome(into: &bytes, at: count..<bytes.count)
          if read == 0 { break }
          count += read
        }
      } catch {
        // Who holds a lock is a word to people; the waiting goes on without it.
        return []
      }
      return bytes[..<count]
    }
  }

  extension FileState {
    // As gnu_dev_major and gnu_dev_minor of the C library take `st_dev` apart (makedev(3)).
    fileprivate var majorDeviceNumber: UInt64 { device >> 8 & 0xFFF | device >> 32 & ~0xFFF }
    fileprivate var minorDeviceNumber: UInt64 { device & 0xFF | device >> 12 & 0xFFFF_FF00 }
  }
#else
  extension LockHolder {
    /// Finds who holds a lock on a whole file: here nobody tells.
    package static func find(of file: FileState) -> LockHolder? { nil }
  }
#endif

/// A wait for a lock that somebody else has.
package struct LockWait: Hashable, Sendable {
  /// The locked file, in display form.
  package let path: String
  /// Who has it; nil if the system does not say.
  package let holder: LockHolder?
  /// After so many seconds the wait ends.
  package let secondsLeft: Double
}
