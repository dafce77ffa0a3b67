import Backups
import FolderDocuments
import FolderState
import Folders
import SafeFiles

/// A file as it was when it was read for a merge.
struct MergeFile {
  /// Where it lies, relative to the folder.
  var path: RelativePath
  /// The file as whatever replaces it must find it.
  var version: FileVersion
  /// Empty where only the hash of the file is wanted.
  var bytes: [UInt8]

  /// The largest file that is read.
  static let largestFile = DocumentLoader.largestDocument

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
    var bytes: [UInt8] = []
    version = try SteadyRead.perform { () throws(FileError) in
      guard keepsBytes else {
        // An image may be of any size.
        var hasher = ContentHasher()
        let (hash, state) = try hasher.hash(name, in: directory)
        return FileVersion(state: state, hash: hash)
      }
      let state = try directory.read(name, into: &bytes, limit: Self.largestFile)
      return FileVersion(state: state, hash: ContentHash(of: bytes))
    }
    self.bytes = bytes
  }

  /// Returns the file as quarantine takes it.
  func quarantined(_ identities: [Identity] = []) -> QuarantinedFile {
    QuarantinedFile(path: path, version: version, identities: identities)
  }

  /// Whether another file holds the same bytes.
  func isEqual(to other: MergeFile) -> Bool {
    version.state.size == other.version.state.size && version.hash == other.version.hash
  }
}
