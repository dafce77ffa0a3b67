package import SafeFiles

/// What belongs in a backup of a store, in a private directory that goes with the last reference: the
/// store with its log folded in, under its own name, the hidden folder beside it, and in `original` the
/// files as they were.
package final class StoreContent {
  /// The store that the content is of.
  package let store: Store
  /// The entities whose rows were taken out of it, and how many those were.
  package let leftOut: [(entity: String, rowCount: Int64)]
  /// Tables that are no entity's and whose rows were taken out, and how many those were.
  package let leftOutTables: [(table: String, rowCount: Int64)]
  /// The directory that holds it.
  package var directory: Directory { store.copy.place.directory }

  init(
    of store: Store, named name: FileName? = nil,
    leftOut: RowRemoval.Removed = RowRemoval.Removed()
  ) throws(FileError) {
    self.store = store
    (self.leftOut, leftOutTables) = (leftOut.entities, leftOut.tables)
    let original = try store.files.directory.state(of: store.files.name)
    let name = name ?? store.files.name
    try directory.renameOwn(StoreCopy.database, to: name)
    // Folding has changed the copy; equal stores are to give equal backups.
    try directory.setModified(original.modified, of: name)
    let files = StoreFiles(in: directory, name: name, path: store.files.path)
    if let old = store.copy.support, let new = files.supportName, old != new {
      try directory.renameOwn(old, to: new)
    }
  }
}
