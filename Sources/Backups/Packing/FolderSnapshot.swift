import SafeFiles

/// What a folder holds at one moment: a manifest whose hashes are still open, and what is needed to
/// see later that nothing moved.
struct FolderSnapshot: Sendable {
  /// The entries in the order of an archive.
  var manifest: BackupManifest
  /// The identity of each entry, by its number.
  private var identities: [FileIdentity] = []
  private let folder: Directory

  /// Lists a folder: every directory once, every entry inspected once, nothing read.
  init(of folder: Directory, summary: BackupSummary, context: BackupContext) throws(BackupError) {
    self.folder = folder
    manifest = BackupManifest(summary)
    let tree = try FolderTree(folder, context: context)
    manifest.records.reserveCapacity(tree.count)
    identities.reserveCapacity(tree.count)
    try tree.visit { (path, target, entry) throws(BackupError) in
      guard manifest.pool.count < BackupManifest.longestPool else {
        throw .tooLarge(path: folder.path, problem: BackupManifest.poolProblem)
      }
      manifest.append(
        path: path, target: target, kind: entry.kind, mode: entry.mode, owner: entry.owner,
        size: entry.size, modified: entry.modified)
      identities.append(entry.identity)
    }
  }

  /// Throws `folderChanged` if anything was added, removed, replaced or written since.
  ///
  /// Times of directories do not count: everything in them is compared itself, and the app taking
  /// its lock changes the time of the folder.
  func requireUnchanged(context: BackupContext) throws(BackupError) {
    let tree = try FolderTree(folder, context: context)
    var position = 0
    try tree.visit { (path, target, entry) throws(BackupError) in
      guard position < manifest.count, isUnchanged(position, path, target, entry) else {
        throw .folderChanged(path: RelativePath(path)?.description ?? folder.path)
      }
      position += 1
    }
    guard position == manifest.count else {
      throw .folderChanged(path: manifest.pathText(position))
    }
  }

  private func isUnchanged(
    _ position: Int, _ path: [UInt8], _ target: ArraySlice<UInt8>, _ entry: FolderTree.Entry
  ) -> Bool {
    let record = manifest.records[position]
    return record.kind == entry.kind && record.size == entry.size
      && (record.modified == entry.modified || record.kind == .directory)
      && identities[position] == entry.identity
      && manifest.pool[record.path].elementsEqual(path)
      && manifest.pool[record.target].elementsEqual(target)
  }
}
