import Folders
import Runs
import SafeFiles

/// A stream that is read as often as it has to be: what comes from a pipe is kept in a file without a name.
final class RepeatedStream {
  private let name: String
  private let file: FileReader
  private var spool: ByteSpool
  private var pieces: [Range<Int>] = []
  private var isComplete = false
  /// Whether it will be read again.
  var isKept = true
  /// How many bytes were read of the source.
  private(set) var byteCount = 0

  /// So many bytes are read at once.
  private static let pieceByteCount = 1 << 18

  init(_ source: SchemaOptions.Source, _ context: RunContext) throws(MigrationError) {
    switch source {
    case .stream(let stream):
      name = stream.name
      file = FileReader(borrowing: stream.descriptor, path: stream.name)
    case .file(let path):
      name = path
      do throws(FileError) {
        file = try FileReader.open(path: path)
      } catch {
        throw MigrationError(error)
      }
    }
    spool = ByteSpool(in: context.temporaryDirectory, operations: context.operations)
  }

  /// Returns a reader of the stream from its beginning; once it was read to its end, of what was kept.
  func reader(of kinds: EntityKinds) throws(MigrationError) -> InterchangeReader {
    do throws(FolderError) {
      if isComplete {
        var next = 0
        return try InterchangeReader(
          { [spool, pieces] () throws(FolderError) in
            guard next < pieces.count else { return [] }
            defer { next += 1 }
            var bytes: [UInt8] = []
            do throws(FileError) {
              try spool.read(pieces[next], into: &bytes)
            } catch {
              throw .file(error)
            }
            return bytes
          }, name: name, of: kinds, namesPlaces: false)
      }
      return try InterchangeReader(
        { () throws(FolderError) in try self.next() }, name: name, of: kinds,
        namesPlaces: false)
    } catch {
      throw MigrationError(error)
    }
  }

  private func next() throws(FolderError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.pieceByteCount)
    do throws(FileError) {
      let count = try file.readSome(into: &bytes, at: 0..<bytes.count)
      bytes.removeLast(bytes.count - count)
      byteCount += count
      if count == 0 { isComplete = true }
      if isKept, count > 0 { pieces.append(try spool.append(bytes[...])) }
    } catch {
      throw .file(error)
    }
    return bytes
  }
}
