import Folders
import SafeFiles

extension RelativePath {
  /// Whether the name is that of a document.
  package var isDocument: Bool {
    bytes.suffix(FolderNames.documentExtension.utf8.count)
      .elementsEqual(FolderNames.documentExtension.utf8)
  }
}
