import Backups
import Folders
import SafeFiles

/// A file as it was when it was read for a merge.
struct MergeFile {
  /// Where it lies, relative to the folder.
  var path: RelativePath
  /// Its state when its bytes were read.
  var state: FileState
  var bytes: [UInt8]

  /// The largest file that is read.
  static let largestFile = DocumentLoader.largestDocument
  /// How often a file that changes while it is read is read again.
  private static let attempts = 3

  /// Reads a file of a folder.
  init(_ path: RelativePath, in folder: Directory) throws(FileError) {
    guard let parent = path.parent, let name = path.lastComponent else {
      throw .invalidPath(path: path.description)
    }
    let directory = try folder.openDirectory(parent)
    self.path = path
    bytes = []
    var attempt = 1
    while true {
      do throws(FileError) {
        state = try directory.read(name, into: &bytes, limit: Self.largestFile)
        return
      } catch {
        guard case .changedWhileRead = error, attempt < Self.attempts else { throw error }
        attempt += 1
      }
    }
  }

  /// Returns the file as quarantine takes it.
  func quarantined(_ identities: [Identity] = []) -> QuarantinedFile {
    QuarantinedFile(
      path: path, state: state, hash: ContentHash(of: bytes), identities: identities)
  }
}
