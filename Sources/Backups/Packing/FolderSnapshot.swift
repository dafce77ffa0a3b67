package import SafeFiles

/// What a folder holds at one moment: a manifest whose hashes are still open, and what is needed to
/// see later that nothing moved.
package struct FolderSnapshot: Sendable {
  /// The entries in the order of an archive.
  package internal(set) var manifest: BackupManifest
  /// The identity of each entry, by its number.
  var identities: [Identity] = []

  struct Identity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
  }

  private let folder: Directory

  /// Lists a folder: every directory once, every entry inspected once, nothing read.
  package static func take(
    of folder: Directory, summary: BackupSummary, context: BackupContext
  ) throws(BackupError) -> FolderSnapshot {
    let tree = try FolderTree.list(folder, context: context)
    var snapshot = FolderSnapshot(folder: folder, summary: summary)
    snapshot.append(tree, below: .folder)
    return snapshot
  }

  private init(folder: Directory, summary: BackupSummary) {
    self.folder = folder
    manifest = BackupManifest(summary)
  }

  /// Throws `folderChanged` if anything was added, removed, replaced or written since.
  package func requireUnchanged(context: BackupContext) throws(BackupError) {
    let now = try FolderTree.list(folder, context: context)
    var later = FolderSnapshot(folder: folder, summary: manifest.summary.withoutCounts)
    later.append(now, below: .folder)
    let shared = min(manifest.count, later.manifest.count)
    for position in 0..<shared where !isEqual(later, position) {
      throw .folderChanged(path: manifest.pathText(position))
    }
    if manifest.count != later.manifest.count {
      let longer = manifest.count > shared ? manifest : later.manifest
      throw .folderChanged(path: longer.pathText(shared))
    }
  }

  private func isEqual(_ other: FolderSnapshot, _ position: Int) -> Bool {
    let (left, right) = (manifest.records[position], other.manifest.records[position])
    return left.kind == right.kind && left.size == right.size
      && (left.modified == right.modified || left.kind == .directory)
      && identities[position] == other.identities[position]
      && manifest.pool[left.path] == other.manifest.pool[right.path]
      && manifest.pool[left.target] == other.manifest.pool[right.target]
  }

  private mutating func append(_ tree: [FolderTree.Node], below parent: RelativePath) {
    for node in tree {
      let path = parent.appending(node.name)
      manifest.append(
        path: path.bytes, target: node.target, kind: node.kind, mode: node.state.mode,
        owner: node.state.owner, size: node.kind == .file ? node.state.size : 0,
        modified: node.state.modified)
      identities.append(Identity(device: node.state.device, inode: node.state.inode))
      append(node.children, below: path)
    }
  }
}
