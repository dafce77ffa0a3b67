import Diagnostics
import SafeFiles

/// What a folder holds at one moment: a manifest whose hashes are still open, and what is needed to
/// see later that nothing moved.
struct FolderSnapshot: Sendable {
  /// The entries in the order of an archive.
  var manifest: BackupManifest
  /// The identity of each entry, by its number.
  private var identities: [FileIdentity] = []
  private let folder: Directory
  /// What stands for some of the files.
  let standIns: StandIns

  /// From how many entries on several threads look at them again: fewer are seen before one has begun.
  private static let leastSharedCount = 2048

  /// Lists a folder: every directory once, every entry inspected once, nothing read.
  init(
    of folder: Directory, _ standIns: StandIns = StandIns(), summary: BackupSummary,
    context: BackupContext
  ) throws(BackupError) {
    (self.folder, self.standIns) = (folder, standIns)
    manifest = BackupManifest(summary)
    var tree = try FolderTree(folder, standIns, summary.scope, context: context)
    manifest.reserve(tree.count, pool: tree.pathLength)
    identities.reserveCapacity(tree.count)
    try tree.take { (path, target, entry) throws(BackupError) in
      guard manifest.pool.count < BackupManifest.longestPool else {
        throw .tooLarge(path: folder.path, problem: BackupManifest.poolProblem)
      }
      manifest.append(
        path: path, target: target, kind: entry.kind, mode: entry.mode, owner: entry.owner,
        size: entry.size, modified: entry.modified)
      identities.append(entry.identity)
    }
    FreedMemory.giveBack()
  }

  /// Throws `folderChanged` if anything was added, removed, replaced or written since.
  ///
  /// Each directory is listed again and compared with what the manifest has of it, several at once. Times
  /// of directories do not count: everything in them is compared itself, and the app taking its lock
  /// changes the time of the folder.
  func requireUnchanged(context: BackupContext) throws(BackupError) {
    let directories = manifest.directories()
    let threads = manifest.count < Self.leastSharedCount ? 1 : context.workerCount
    try ParallelJobs.run(directories.count, threads: threads, makeState: { () }) {
      (job, _) throws(BackupError) in
      if context.isInterrupted() { throw .interrupted }
      try requireUnchanged(directories, job)
    }
  }

  private func requireUnchanged(
    _ directories: [BackupManifest.DirectoryEntries], _ number: Int
  ) throws(BackupError) {
    let directory = directories[number]
    let path = directory.entry.map(manifest.path) ?? .folder
    let listing = try FolderTree.list(path, in: folder, standIns, manifest.summary.scope)
    var position = directory.entries.lowerBound
    // Directories are in the order of their entries, so that those in this one come behind it.
    var next = number + 1
    for entry in listing.entries {
      guard position < directory.entries.upperBound, isUnchanged(position, listing, entry) else {
        throw .folderChanged(path: listing.path(of: entry))
      }
      if entry.kind == .directory {
        while directories[next].entry != position { next += 1 }
        position = directories[next].entries.upperBound
      } else {
        position += 1
      }
    }
    guard position == directory.entries.upperBound else {
      throw .folderChanged(path: manifest.pathText(position))
    }
  }

  /// Compares an entry with one of the manifest that is in the same directory.
  private func isUnchanged(
    _ position: Int, _ listing: FolderTree.Listing, _ entry: FolderTree.Entry
  ) -> Bool {
    let record = manifest.records[position]
    return record.kind == entry.kind && record.size == entry.size
      && (record.modified == entry.modified || record.kind == .directory)
      && identities[position] == entry.identity
      && listing.isPath(manifest.pool[record.path], of: entry)
      && manifest.pool[record.target].elementsEqual(listing.target(entry))
  }
}

/// Which file an entry is, whatever its name and content.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
}

extension BackupManifest {
  /// Which entries are in a directory, and in those below it.
  struct DirectoryEntries: Sendable {
    /// The number of its own entry; nil for the folder.
    var entry: Int?
    /// They come right behind it.
    var entries: Range<Int>
  }

  /// The folder and all directories in it, in the order of their entries.
  func directories() -> [DirectoryEntries] {
    var all = [DirectoryEntries(entry: nil, entries: 0..<count)]
    // Those that contain what comes next, outermost first.
    var open: [Int] = []
    func close(before position: Int) {
      while let last = open.last, let entry = all[last].entry,
        position == count || !isInside(position, entry)
      {
        all[last].entries = entry + 1..<position
        open.removeLast()
      }
    }
    for position in records.indices {
      close(before: position)
      guard records[position].kind == .directory else { continue }
      open.append(all.count)
      all.append(DirectoryEntries(entry: position, entries: position + 1..<position + 1))
    }
    close(before: count)
    return all
  }

  private func isInside(_ position: Int, _ directory: Int) -> Bool {
    let (path, parent) = (pool[records[position].path], pool[records[directory].path])
    return path.count > parent.count && path[path.startIndex + parent.count] == UInt8(ascii: "/")
      && path.starts(with: parent)
  }
}
