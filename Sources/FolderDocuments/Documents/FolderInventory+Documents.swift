package import Folders
import SafeFiles

extension FolderInventory {
  /// The groups that have legacy files, tags first, then months in order.
  package var legacyGroups: [EntityGroup] {
    (tagsFile == nil ? [] : [.tags]) + recordGroups.map { EntityGroup(month: $0.month) }
  }

  /// Returns the legacy files of a group, ascending by path.
  package func legacyFiles(of group: EntityGroup) -> [Int] {
    guard let month = group.month else { return tagsFile.map { [$0] } ?? [] }
    return recordGroups.first { $0.month == month }
      .map { recordFiles[$0.range].map(Int.init) } ?? []
  }

  /// Returns the kind of entity a document holds by its place, nil if its place does not tell.
  package func entityKind(ofDocument file: Int) -> EntityKind? {
    if directoryPath(directory(of: file)).isFolder {
      return nameBytes(of: file).starts(with: "tags".utf8) ? .tag : nil
    }
    return .record
  }

  /// Whether two documents are copies of one, or one is a copy of the other, by their names: so
  /// `merge-conflicts` looks at them together.
  package func areCopies(_ file: Int, _ other: Int) -> Bool {
    (copies[file] != nil || copies[other] != nil) && basePath(of: file) == basePath(of: other)
  }
}
