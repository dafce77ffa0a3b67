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

  /// Whether two documents of one group are copies of one document by their names: `01 2.automerge`
  /// is one of `01.automerge`.
  func areCopies(_ file: Int, _ other: Int) -> Bool {
    let isRecord = nominalClass(of: file) == .recordDocument
    guard isRecord == (nominalClass(of: other) == .recordDocument) else { return false }
    let (one, two) = (stem(of: file), stem(of: other))
    return one.starts(with: two) || two.starts(with: one)
  }
}
