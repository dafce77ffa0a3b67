import Folders
import SafeFiles

extension FolderInventory {
  /// Returns the kind of entity a document holds by its place, nil if its place does not tell.
  func entityKind(ofDocument file: Int) -> EntityKind? {
    if directoryPath(directory(of: file)).isFolder {
      return nameBytes(of: file).starts(with: "tags".utf8) ? .tag : nil
    }
    return .record
  }
}
