import Backups
import FolderDocuments
import FolderState
import Folders
import SafeFiles

/// A file as it was when it was read for a merge.
struct MergeFile {
  /// Where it lies, relative to the folder.
  var path: RelativePath
  /// Its state when its bytes were read.
  var state: FileState
  /// Empty where only the hash of the file is wanted.
  var bytes: [UInt8]
  /// The hash of everything in the file.
  var hash: ContentHash

  /// The largest file that is read.
  static let largestFile = DocumentLoader.largestDocument
  /// How often a file that changes while it is read is read again.
  private static let attempts = 3

  /// Reads a file of a folder.
  ///
  /// - Parameter keepsBytes: whether the bytes are wanted, or only their hash, for which a file is
  ///   never in memory as a whole.
  init(
    _ path: RelativePath, in folder: Directory, keepsBytes: Bool = true
  ) throws(FileError) {
    guard let parent = path.parent, let name = path.lastComponent else {
      throw .invalidPath(path: path.description)
    }
    let directory = try folder.openDirectory(parent)
    self.path = path
    bytes = []
    hash = .init(of: [])
    var attempt = 1
    while true {
      do throws(FileError) {
        if keepsBytes {
          state = try directory.read(name, into: &bytes, limit: Self.largestFile)
          hash = ContentHash(of: bytes)
        } else {
          // An image may be of any size.
          var hasher = ContentHasher()
          (hash, state) = try hasher.hash(name, in: directory)
        }
        return
      } catch {
        guard case .changedWhileRead = error, attempt < Self.attempts else { throw error }
        attempt += 1
      }
    }
  }

  /// The file as whatever replaces it must find it.
  var version: FileVersion { FileVersion(state: state, hash: hash) }

  /// Returns the file as quarantine takes it.
  func quarantined(_ identities: [Identity] = []) -> QuarantinedFile {
    QuarantinedFile(path: path, state: state, hash: hash, identities: identities)
  }

  /// Whether another file holds the same bytes.
  func isEqual(to other: MergeFile) -> Bool {
    state.size == other.state.size && hash == other.hash
  }
}
