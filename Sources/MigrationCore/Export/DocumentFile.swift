import Automerge
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// A document that is exported by itself, wherever it lies.
struct DocumentFile {
  let directory: Directory
  let name: FileName
  let document: DocumentState
  private let path: String

  /// Reads and verifies the document at a path.
  init(_ path: String, context: RunContext) throws(MigrationError) {
    self.path = path
    (directory, name) = try FolderAccess.openParent(ofPath: path, context: context)
    var bytes: [UInt8] = []
    do {
      try directory.read(name, into: &bytes, limit: DocumentLoader.largestDocument)
    } catch {
      throw MigrationError(error)
    }
    guard !bytes.isEmpty else {
      throw .damagedDocument(path: path, offset: 0, problem: "is empty, expected a document")
    }
    do {
      document = try DocumentState(loading: bytes)
    } catch {
      throw .damagedDocument(path: path, offset: error.offset, problem: error.problem)
    }
  }

  /// The name without its extension.
  var stem: [UInt8] {
    var stem = name.bytes
    if let dot = stem.lastIndex(of: UInt8(ascii: ".")), dot > 0 { stem.removeSubrange(dot...) }
    return stem
  }

  /// Returns what its entities are, which its path tells.
  func group(as kinds: EntityKinds) throws(MigrationError) -> EntityGroup {
    if let group = kinds.documentGroup(ofPathEnd: Array(path.utf8)) { return group }
    let names = kinds.all.flatMap { kinds[$0]?.home?.document.templates ?? [] }.map(\.description)
    throw .unknownDocument(path: path, expected: names)
  }
}
