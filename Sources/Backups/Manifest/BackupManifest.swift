package import Folders
package import SafeFiles

/// What a backup holds: one entry for each path, in the order of the archive.
///
/// The order is ascending by the bytes of the paths, directories taken with a `/` at their end, so
/// that each directory comes right before what is in it. Paths share one array: 100,000 entries
/// take about 12 MB.
package struct BackupManifest: Sendable {
  struct Record: Sendable {
    fileprivate var start: UInt32
    fileprivate var pathLength: UInt32
    fileprivate var targetLength: UInt32
    var kind: BackupEntry.Kind
    var mode: UInt16
    var owner: FileOwner
    var size: Int64
    var modified: FileTime
    var hash: ContentHash

    /// Where its path is in the pool.
    var path: Range<Int> { Int(start)..<Int(start) + Int(pathLength) }

    /// Where the target of a link is in the pool.
    var target: Range<Int> {
      let end = Int(start) + Int(pathLength)
      return end..<end + Int(targetLength)
    }
  }

  /// How long all paths together may be; they are addressed with 32 bits.
  static let longestPool = 1 << 31
  static let poolProblem = "all paths together are too long"

  /// What the first line says.
  package internal(set) var summary: BackupSummary
  /// The hash of its whole text, once that was read or written.
  package internal(set) var hash = ContentHash.zero
  /// Paths and link targets, one after another.
  var pool: [UInt8] = []
  var records: [Record] = []

  init(_ summary: BackupSummary) { self.summary = summary }

  /// How many entries there are.
  package var count: Int { records.count }

  /// Returns an entry by its number.
  package subscript(position: Int) -> BackupEntry {
    let record = records[position]
    return BackupEntry(
      path: path(position), kind: record.kind, size: record.size, mode: record.mode,
      owner: record.owner, modified: record.modified,
      hash: record.kind == .file ? record.hash : nil,
      target: record.kind == .link ? Array(pool[record.target]) : nil)
  }

  /// Returns the entry at a path; takes a binary search.
  package func entry(at path: RelativePath) -> BackupEntry? {
    position(of: path).map { self[$0] }
  }

  /// Returns the number of the entry at a path.
  package func position(of path: RelativePath) -> Int? {
    position(of: path.bytes, isDirectory: false) ?? position(of: path.bytes, isDirectory: true)
  }

  func path(_ position: Int) -> RelativePath {
    RelativePath(Array(pool[records[position].path])) ?? .folder
  }

  func pathText(_ position: Int) -> String { path(position).description }

  /// Makes room for entries, and for their paths and targets.
  mutating func reserve(_ count: Int, pool length: Int) {
    records.reserveCapacity(count)
    pool.reserveCapacity(min(length, Self.longestPool))
  }

  /// Gives back the room that no path is in.
  mutating func trim() {
    guard pool.capacity - pool.count > pool.count / 8 else { return }
    var exact: [UInt8] = []
    exact.reserveCapacity(pool.count)
    exact.append(contentsOf: pool)
    pool = exact
  }

  /// Appends an entry; the caller keeps the order.
  mutating func append(
    path: [UInt8], target: ArraySlice<UInt8> = [], kind: BackupEntry.Kind, mode: UInt16,
    owner: FileOwner, size: Int64, modified: FileTime, hash: ContentHash = .zero
  ) {
    let start = pool.count
    pool.append(contentsOf: path)
    pool.append(contentsOf: target)
    records.append(
      Record(
        start: UInt32(truncatingIfNeeded: start),
        pathLength: UInt32(truncatingIfNeeded: path.count),
        targetLength: UInt32(truncatingIfNeeded: target.count), kind: kind, mode: mode,
        owner: owner,
        size: size, modified: modified, hash: hash))
    summary.count(kind, size: size)
    // Of other profiles this says who lists the folder: a manifest alone does not know its kinds.
    if kind == .file, !summary.holdsLegacyFiles, summary.scope.profile == nil {
      summary.holdsLegacyFiles = Self.isLegacyFile(path[...])
    }
  }

  /// Returns whether a file of the backup holds entities as an app wrote them that has some kinds.
  ///
  /// The summary says that by the profile that the backup was made with; this looks at each name.
  package func holdsLegacyFiles(of kinds: EntityKinds) -> Bool {
    records.contains { record in
      record.kind == .file && kinds.content(ofPath: Array(pool[record.path]))?.isDocument == false
    }
  }

  /// Whether this may be of an app that nobody told a command of: it holds JSON, and nothing that is
  /// where the built-in profile has data.
  package var mayHoldForeignJSON: Bool {
    var holdsJSON = false
    for record in records {
      let path = pool[record.path]
      if path.starts(with: "tags".utf8) || path.starts(with: "records".utf8) { return false }
      if record.kind == .file, path.suffix(5).elementsEqual(".json".utf8) { holdsJSON = true }
    }
    return holdsJSON
  }

  /// Looks for an entry; entries are sorted by their paths, with a slash behind that of a directory.
  private func position(of path: [UInt8], isDirectory: Bool) -> Int? {
    var (low, high) = (0, records.count)
    while low < high {
      let middle = (low + high) / 2
      let isBefore = precedes(middle, path, isDirectory: isDirectory)
      if isBefore { low = middle + 1 } else { high = middle }
    }
    guard low < records.count else { return nil }
    let record = records[low]
    let isFound =
      (record.kind == .directory) == isDirectory && pool[record.path].elementsEqual(path)
    return isFound ? low : nil
  }

  /// Whether the key of an entry comes before that of a path.
  private func precedes(_ position: Int, _ path: [UInt8], isDirectory: Bool) -> Bool {
    let record = records[position]
    let (bytes, start) = (pool.span, record.path.lowerBound)
    let common = min(record.path.count, path.count)
    for index in 0..<common where bytes[start + index] != path[index] {
      return bytes[start + index] < path[index]
    }
    // What comes next on either side: behind a directory a slash, as in the path of what is in it.
    let slash = UInt8(ascii: "/")
    let own: UInt8? =
      common < record.path.count
      ? bytes[start + common] : record.kind == .directory ? slash : nil
    let other: UInt8? = common < path.count ? path[common] : isDirectory ? slash : nil
    guard let own, let other else { return other != nil }
    return own != other ? own < other : record.path.count < path.count
  }

  /// `tags.json`, or a `.json` file in `records` or in a conflict copy of it such as `records 2`.
  private static func isLegacyFile(_ path: ArraySlice<UInt8>) -> Bool {
    if path.elementsEqual("tags.json".utf8) { return true }
    guard path.starts(with: "records".utf8), path.suffix(5).elementsEqual(".json".utf8),
      let slash = path.firstIndex(of: UInt8(ascii: "/"))
    else { return false }
    let first = path[(path.startIndex + 7)..<slash]
    return first.isEmpty || first.first == UInt8(ascii: " ")
  }
}

extension BackupSummary {
  /// The same backup before any entry was counted.
  var withoutCounts: BackupSummary {
    BackupSummary(
      folderName: folderName, origin: origin, created: created, folderNumber: folderNumber,
      scope: scope, store: store, steps: steps)
  }

  mutating func count(_ kind: BackupEntry.Kind, size: Int64) {
    switch kind {
    case .file:
      fileCount += 1
      byteCount += size
    case .directory: directoryCount += 1
    case .link: linkCount += 1
    case .special: specialCount += 1
    }
  }
}

/// One entry of a backup, as its manifest describes it.
package struct BackupEntry: Hashable, Sendable {
  /// What an entry is.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A regular file; its bytes are in the archive. Each name of a hard-linked file is one of its own.
    case file
    /// A directory.
    case directory
    /// A symbolic link; where it points is kept as it is, and never followed.
    case link
    /// A named pipe, socket or device: listed here, not archived, not restored.
    case special

    private static let all = allCases

    /// Takes its name as a manifest has it.
    init?(text: ArraySlice<UInt8>) {
      guard let kind = Self.all.first(where: { text.elementsEqual($0.rawValue.utf8) }) else {
        return nil
      }
      self = kind
    }
  }

  /// The place relative to the folder.
  package var path: RelativePath
  /// What it is.
  package var kind: Kind
  /// The number of bytes of a file, else 0.
  package var size: Int64
  /// The permission bits.
  package var mode: UInt16
  /// The numeric user and group.
  package var owner: FileOwner
  /// The modification time.
  package var modified: FileTime
  /// The SHA-256 of a file's bytes.
  package var hash: ContentHash?
  /// Where a link points, as bytes.
  package var target: [UInt8]?
}

/// A step of a plan over JSON files, as it is noted of them.
package struct NotedStep: Hashable, Sendable {
  /// The step.
  package let step: SchemaRecord.Step
  /// Whether it was undone, and not done.
  package let isUndone: Bool

  /// Notes a step.
  package init(_ step: SchemaRecord.Step, isUndone: Bool = false) {
    (self.step, self.isUndone) = (step, isUndone)
  }
}

/// What the first line of a manifest says about a whole backup.
package struct BackupSummary: Hashable, Sendable {
  /// The name of the folder.
  package var folderName: String
  /// The absolute path of the folder at that time; it is only told.
  package var origin: String
  /// When the backup was begun, as `2026-01-06T12:00:00Z`.
  package var created: String
  /// How many regular files it holds.
  package var fileCount = 0
  /// How many directories.
  package var directoryCount = 0
  /// How many symbolic links.
  package var linkCount = 0
  /// How many entries are listed but not archived, because they are no files.
  package var specialCount = 0
  /// The bytes of all files together.
  package var byteCount: Int64 = 0
  /// Whether files that hold entities as the app wrote them are in it, by the profile it was made with:
  /// `tags.json` or a `.json` file below a records directory if none was told.
  package var holdsLegacyFiles = false

  /// The number of the folder, see `FolderIdentifier`; nil in old backups, and in those of folders
  /// that nothing could be written to.
  package var folderNumber: String?
  /// What was left out, and by which profile.
  package var scope = BackupScope.minuta
  /// The store that it is a backup of; nil for a folder.
  package var store: StoreSummary?
  /// The steps of plans that were done over the JSON files in it, or undone. What documents say is in them.
  package var steps: [NotedStep] = []

  /// The number of lines with entries.
  package var entryCount: Int { fileCount + directoryCount + linkCount + specialCount }
}
