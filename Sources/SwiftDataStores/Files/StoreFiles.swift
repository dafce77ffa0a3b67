package import SafeFiles

/// The files of one store: `X`, `X-wal`, `X-shm`, and the hidden folder `.NAME_SUPPORT`, with `NAME` for
/// `X` without its extension.
package struct StoreFiles: Sendable {
  /// The directory they are in.
  package let directory: Directory
  /// The name of the database.
  package let name: FileName
  /// The path that messages show.
  package let path: String

  /// Names the files of the store with this database.
  package init(in directory: Directory, name: FileName, path: String) {
    self.directory = directory
    self.name = name
    self.path = path
  }

  /// The log of what is not in the database yet.
  package var logName: FileName? { suffixed("-wal") }
  /// The index of that log, which processes share; it holds nothing of its own.
  package var indexName: FileName? { suffixed("-shm") }
  /// What undoes an unfinished transaction, where there is no log.
  package var journalName: FileName? { suffixed("-journal") }

  /// The hidden folder of what is too large for the database.
  package var supportName: FileName? { Self.supportName(ofStoreNamed: name) }

  private static func supportName(ofStoreNamed name: FileName) -> FileName? {
    let dot = name.bytes.lastIndex(of: UInt8(ascii: ".")) ?? name.bytes.count
    // A name that only begins with a dot has no extension.
    let stem = name.bytes[..<(dot == 0 ? name.bytes.count : dot)]
    return FileName([UInt8(ascii: ".")] + stem + Array("_SUPPORT".utf8))
  }

  /// Where the files of values that are too large for a store with a name lie, in its directory.
  package static func externalFolder(ofStoreNamed name: FileName) -> RelativePath? {
    supportName(ofStoreNamed: name).map { RelativePath($0).appending(ExternalReference.folder) }
  }

  private func suffixed(_ suffix: String) -> FileName? { FileName(name.bytes + Array(suffix.utf8)) }
}
