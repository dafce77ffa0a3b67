/// One name in a directory, with what the listing says it is.
package struct DirectoryEntry: Hashable, Sendable {
  /// The name.
  package let name: FileName
  /// What it is; never looked at through a link.
  package let kind: FileKind

  /// Creates an entry.
  package init(name: FileName, kind: FileKind) {
    self.name = name
    self.kind = kind
  }
}
