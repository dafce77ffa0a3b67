package import SafeFiles

/// A tree of files as it may lie on a disk after the power failed.
package struct StoredTree: Hashable, Sendable {
  /// One file, directory or link.
  package struct Entry: Hashable, Sendable {
    /// Its path below the root.
    package var path: RelativePath
    /// What it is.
    package var kind: FileKind
    /// The bytes of a file, or the target of a link.
    package var content: [UInt8]
    var mode: UInt16
    var modified: FileTime?
  }

  /// What there is, a directory before what it holds.
  package var entries: [Entry] = []

  /// Writes everything into an empty directory.
  package func write(into root: Directory) throws(FileError) {
    for entry in entries {
      guard let (parent, name) = try root.openParent(of: entry.path) else { continue }
      switch entry.kind {
      case .directory: try parent.makeDirectory(name)
      case .symbolicLink:
        try parent.createSymbolicLink(
          name, target: entry.content, modified: entry.modified ?? WallClock.now(), owner: nil)
      default:
        let file = try parent.createFile(name)
        try file.write(entry.content)
        try file.setAttributes(
          mode: entry.mode, modified: entry.modified ?? WallClock.now(), owner: nil)
      }
    }
    // Last, and the innermost first: creating something in a directory changes its time.
    for entry in entries.reversed() where entry.kind == .directory {
      try root.openDirectory(entry.path).setAttributes(
        mode: entry.mode, modified: entry.modified ?? WallClock.now(), owner: nil)
    }
  }
}
