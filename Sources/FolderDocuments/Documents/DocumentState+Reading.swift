import Automerge
package import SafeFiles

extension DocumentState {
  /// Loads the document at a path of a folder; nil if there is none, or none that loads.
  ///
  /// What keeps a document from being read is told where it is verified.
  package init?(at path: RelativePath, in folder: Directory) {
    do {
      try self.init(loading: folder.contents(of: path, limit: DocumentLoader.largestDocument))
    } catch {
      return nil
    }
  }
}
