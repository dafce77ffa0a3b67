import Diagnostics
import SafeFiles

/// A folder's entries with their states, listed level by level, the directories of a level in
/// parallel.
///
/// Each directory's names share one array: a folder of 100,000 files takes about 11 MB.
struct FolderTree: Sendable {
  /// One entry of a directory.
  struct Entry: Sendable {
    fileprivate var nameStart: UInt32
    fileprivate var nameLength: UInt32
    fileprivate var targetLength: UInt32
    var kind: BackupEntry.Kind
    var mode: UInt16
    var owner: FileOwner
    var size: Int64
    var modified: FileTime
    var identity: FileIdentity
  }

  /// What is in a directory.
  struct Listing: Sendable {
    var path: RelativePath
    /// Names, each followed by the target if it is a link.
    fileprivate var pool: [UInt8] = []
    fileprivate(set) var entries: [Entry] = []
  }

  /// How deep directories may lie; a path of names of one letter would reach it after 512 bytes.
  private static let deepestLevel = 256

  private var levels: [[Listing]] = []

  /// How many entries there are.
  var count: Int { levels.reduce(0) { $0 + $1.reduce(0) { $0 + $1.entries.count } } }

  /// How long the paths of all entries are together, with the targets of links.
  var pathLength: Int {
    levels.reduce(0) { length, level in
      level.reduce(length) { $0 + $1.entries.count * ($1.path.bytes.count + 1) + $1.pool.count }
    }
  }

  /// Lists what of a folder belongs in a backup.
  init(
    _ folder: Directory, _ standIns: StandIns, _ scope: BackupScope, context: BackupContext
  ) throws(BackupError) {
    var open: [RelativePath] = [.folder]
    while !open.isEmpty {
      guard levels.count < Self.deepestLevel else {
        throw .tooLarge(
          path: open[0].description,
          problem: "directories lie deeper than \(Self.deepestLevel.counted("level"))")
      }
      let paths = open
      let found = Collected<Listing>(count: paths.count)
      try ParallelJobs.run(paths.count, threads: context.workerCount, makeState: { () }) {
        (job, _) throws(BackupError) in
        if context.isInterrupted() { throw .interrupted }
        found.set(job, try Self.list(paths[job], in: folder, standIns, scope))
      }
      levels.append(found.values)
      open = levels[levels.count - 1].flatMap { listing in
        listing.entries.filter { $0.kind == .directory }.compactMap { entry in
          FileName(Array(listing.name(entry))).map(listing.path.appending)
        }
      }
    }
  }

  /// Hands over every entry in the order of an archive, with its path and the target of a link; none is
  /// here any more then.
  mutating func take(
    _ body: (_ path: [UInt8], _ target: ArraySlice<UInt8>, Entry) throws(BackupError) -> Void
  ) throws(BackupError) {
    // The directories of a level are in the order in which the level above names them.
    var next = [Int](repeating: 0, count: levels.count + 1)
    var path: [UInt8] = []
    try take(level: 0, &next, &path, body)
  }

  private mutating func take(
    level: Int, _ next: inout [Int], _ path: inout [UInt8],
    _ body: (_ path: [UInt8], _ target: ArraySlice<UInt8>, Entry) throws(BackupError) -> Void
  ) throws(BackupError) {
    guard level < levels.count, next[level] < levels[level].count else { return }
    let listing = levels[level][next[level]]
    levels[level][next[level]] = Listing(path: listing.path)
    next[level] += 1
    let length = path.count
    for entry in listing.entries {
      if length > 0 { path.append(UInt8(ascii: "/")) }
      path.append(contentsOf: listing.name(entry))
      try body(path, listing.target(entry), entry)
      if entry.kind == .directory { try take(level: level + 1, &next, &path, body) }
      path.removeLast(path.count - length)
    }
  }

  /// Lists what of a directory belongs in a backup, in the order of an archive.
  static func list(
    _ path: RelativePath, in folder: Directory, _ standIns: StandIns, _ scope: BackupScope
  ) throws(BackupError) -> Listing {
    do throws(FileError) {
      let directory = try folder.openDirectory(path)
      var listing = Listing(path: path)
      let entries = inArchiveOrder(try directory.entries())
      listing.entries.reserveCapacity(entries.count)
      for entry in entries {
        if path.isFolder, scope.isExcluded(entry.name) { continue }
        let state = try directory.state(of: entry.name)
        let target =
          state.kind == .symbolicLink ? try directory.target(ofLink: entry.name) : []
        guard (state.kind == .directory) == (entry.kind == .directory) else {
          throw .changedWhileRead(path: directory.path(of: entry.name))
        }
        guard !standIns.isEmpty, let place = standIns.place(of: path.appending(entry.name).bytes)
        else {
          listing.append(entry.name, target, state)
          continue
        }
        guard let place else { continue }
        guard let content = try folder.stateIfPresent(of: place), content.kind == .regular else {
          throw .changedWhileRead(path: folder.path + "/\(place)")
        }
        listing.append(entry.name, target, state, content: content)
      }
      return listing
    } catch {
      // What was listed and is gone, or is something else now, was moved meanwhile.
      switch error {
      case .missing(let place), .wrongKind(let place, _, _), .changedWhileRead(let place):
        throw .folderChanged(path: place)
      default: throw .file(error)
      }
    }
  }

  /// Names alone are sorted already; a directory counts as if a slash followed its name.
  private static func inArchiveOrder(_ entries: [DirectoryEntry]) -> [DirectoryEntry] {
    guard entries.contains(where: { $0.kind == .directory }) else { return entries }
    let keyed = entries.map { entry in
      (entry, entry.kind == .directory ? entry.name.bytes + [UInt8(ascii: "/")] : entry.name.bytes)
    }
    return keyed.sorted { ByteOrder.precedes($0.1, $1.1) }.map(\.0)
  }
}

extension FolderTree.Listing {
  fileprivate func name(_ entry: FolderTree.Entry) -> ArraySlice<UInt8> {
    pool[Int(entry.nameStart)..<Int(entry.nameStart + entry.nameLength)]
  }

  func target(_ entry: FolderTree.Entry) -> ArraySlice<UInt8> {
    let start = Int(entry.nameStart + entry.nameLength)
    return pool[start..<start + Int(entry.targetLength)]
  }

  /// Whether an entry has a path, of which everything but the name is that of the directory.
  func isPath(_ path: ArraySlice<UInt8>, of entry: FolderTree.Entry) -> Bool {
    let length = self.path.isFolder ? 0 : self.path.bytes.count + 1
    return path.dropFirst(length).elementsEqual(name(entry))
  }

  /// The path of an entry in display form.
  func path(of entry: FolderTree.Entry) -> String {
    FileName(Array(name(entry))).map { path.appending($0).description } ?? path.description
  }

  /// - Parameter content: the file whose bytes it has, if that is another one.
  fileprivate mutating func append(
    _ name: FileName, _ target: [UInt8], _ state: FileState, content: FileState? = nil
  ) {
    let content = content ?? state
    let kind: BackupEntry.Kind =
      switch state.kind {
      case .regular: .file
      case .directory: .directory
      case .symbolicLink: .link
      default: .special
      }
    entries.append(
      FolderTree.Entry(
        nameStart: UInt32(truncatingIfNeeded: pool.count),
        nameLength: UInt32(truncatingIfNeeded: name.bytes.count),
        targetLength: UInt32(truncatingIfNeeded: target.count), kind: kind, mode: state.mode,
        owner: state.owner, size: kind == .file ? content.size : 0, modified: content.modified,
        identity: FileIdentity(device: content.device, inode: content.inode)))
    pool.append(contentsOf: name.bytes)
    pool.append(contentsOf: target)
  }
}
