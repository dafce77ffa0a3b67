package import Runs
import SafeFiles

/// What is found at a path that a verification is to compare with.
///
/// A stream is read from a file that stays open as long as this value is kept.
package struct ReferencePlace: Sendable {
  /// What to compare with.
  package let reference: VerificationOptions.Reference
  private let stream: FileReader?

  /// Tells by what is there: a directory is a folder, a file that starts like an interchange stream
  /// is one, a pipe is one too, and anything else has to be a backup.
  package init(path: String) throws(MigrationError) {
    do throws(FileError) {
      let reader = try FileReader.open(path: path)
      switch try reader.state().kind {
      case .directory:
        reference = .folder(path: path)
        stream = nil
      case .regular:
        guard try Self.startsLikeStream(reader) else {
          reference = .backup(path: path)
          stream = nil
          return
        }
        let stream = try FileReader.open(path: path)
        reference = .stream(ByteSource(name: stream.path, descriptor: stream.descriptor))
        self.stream = stream
      default:
        reference = .stream(ByteSource(name: reader.path, descriptor: reader.descriptor))
        stream = reader
      }
    } catch {
      throw MigrationError(error)
    }
  }

  /// JSON starts with a brace, after a byte order mark if there is one; no archive does.
  private static func startsLikeStream(_ reader: FileReader) throws(FileError) -> Bool {
    var start = [UInt8](repeating: 0, count: 4)
    let count = try reader.read(into: &start)
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = start.starts(with: mark) ? start[3..<max(3, count)] : start[..<count]
    return text.first == UInt8(ascii: "{")
  }
}
