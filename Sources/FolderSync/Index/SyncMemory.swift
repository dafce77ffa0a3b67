import Automerge
import Folders
import SafeFiles

/// What a side remembers of another: what both had when they met last.
///
/// It saves bytes and reading and nothing else, so it may be lost, on one side or on both. Two sides
/// use it only if they remember the same.
struct SyncMemory {
  /// A document, as both had it.
  struct Document {
    let heads: HeadList
    let digest: HeadsDigest

    init(_ heads: HeadList) {
      self.heads = heads
      digest = HeadsDigest(of: heads)
    }
  }

  /// By which a file of this side is known again that nobody has touched since.
  struct Stamp: Hashable {
    var byteCount: Int64
    var modified: FileTime
    /// Whoever edits a file and sets its time back changes this one.
    var changed: FileTime
    var inode: UInt64
    var device: UInt64

    init(_ state: FileState) {
      (byteCount, modified, changed) = (state.size, state.modified, state.changed)
      (inode, device) = (state.inode, state.device)
    }

    fileprivate init(
      byteCount: Int64, modified: FileTime, changed: FileTime, inode: UInt64, device: UInt64
    ) {
      (self.byteCount, self.modified, self.changed) = (byteCount, modified, changed)
      (self.inode, self.device) = (inode, device)
    }
  }

  var documents = PathTable<Document>()
  var files = PathTable<SideIndex.File>()
  /// Of files that were, here, what both had.
  var stamps = PathTable<Stamp>()

  init() {}

  /// What both had, as an index.
  var index: SideIndex {
    var index = SideIndex()
    index.documents = documents.mapValues {
      SideIndex.Document(heads: $0.digest, byteCount: 0)
    }
    index.files = files
    return index
  }

  // MARK: Bytes

  private static let magic = Array("AMSYNCED".utf8) + [2]
  /// Every record has a document of about that many heads at most, of 32 bytes each.
  static let largestFile = 512 << 20

  /// As a file: what is remembered, and its SHA-256 behind it.
  var encoded: [UInt8] {
    var writer = WireWriter()
    writer.raw(Self.magic)
    writer.number(documents.count)
    for (path, document) in documents {
      writer.data(path.bytes)
      writer.data(document.heads.bytes)
    }
    writer.number(files.count)
    for (path, file) in files {
      writer.data(path.bytes)
      writer.raw(file.hash.bytes)
      writer.number(file.byteCount)
    }
    writer.number(stamps.count)
    for (path, stamp) in stamps {
      writer.data(path.bytes)
      writer.word(UInt64(bitPattern: stamp.byteCount))
      for time in [stamp.modified, stamp.changed] {
        writer.word(UInt64(bitPattern: time.seconds))
        writer.word(UInt64(UInt32(bitPattern: time.nanoseconds)))
      }
      writer.word(stamp.inode)
      writer.word(stamp.device)
    }
    return writer.bytes + ContentHash(of: writer.bytes).bytes
  }

  /// Reads a file; throws if it is not one that was written whole.
  init(_ bytes: [UInt8]) throws(WireDefect) {
    let end = bytes.count - 32
    guard end > 0, ContentHash(bytes: Array(bytes[end...])) == ContentHash(of: bytes, 0..<end)
    else {
      throw WireDefect("is not what was written", 0)
    }
    var reader = WireReader(Array(bytes[..<end]))
    guard try reader.raw(Self.magic.count) == Self.magic else {
      throw WireDefect("is of another version", 0)
    }
    documents = try Self.table(&reader, unit: 2) { (reader) throws(WireDefect) in
      let heads = try reader.data()
      guard heads.count.isMultiple(of: ChangeHash.byteCount) else {
        throw WireDefect("holds a part of a hash", 0)
      }
      return Document(HeadList(bytes: heads))
    }
    files = try Self.table(&reader, unit: 33) { (reader) throws(WireDefect) in
      SideIndex.File(hash: try ContentHash(wire: reader.raw(32)), byteCount: try reader.number())
    }
    stamps = try Self.table(&reader, unit: 57) { (reader) throws(WireDefect) in
      Stamp(
        byteCount: Int64(bitPattern: try reader.word()), modified: try FileTime(&reader),
        changed: try FileTime(&reader), inode: try reader.word(), device: try reader.word())
    }
    try reader.requireEnd()
  }

  private static func table<Value>(
    _ reader: inout WireReader, unit: Int, _ body: (inout WireReader) throws(WireDefect) -> Value
  ) throws(WireDefect) -> PathTable<Value> {
    var entries: [(path: RelativePath, value: Value)] = []
    for _ in 0..<(try reader.count(of: unit)) {
      entries.append((try reader.path(), try body(&reader)))
    }
    return PathTable(entries)
  }
}

extension FileTime {
  fileprivate init(_ reader: inout WireReader) throws(WireDefect) {
    self.init(
      seconds: Int64(bitPattern: try reader.word()),
      nanoseconds: Int32(truncatingIfNeeded: try reader.word()))
  }
}

/// Where a folder keeps what it remembers of others, and what tells it from them.
///
/// Whoever cannot write there syncs all the same, and reads more the next time.
struct SyncMemories {
  /// Who this folder is to others.
  let identity: FolderIdentity
  private let folder: Directory

  /// So many others are remembered.
  private static let limit = 32
  private static let identityName: FileName = "identity"
  private static let path = RelativePath(FolderNames.state).appending(FolderNames.sync)

  /// Looks who a folder is; a copy of one is another, and so is one that was never synced.
  init(of folder: Directory) throws(FileError) {
    self.folder = folder
    let inode = try folder.state().inode
    var reader = WireReader(Self.contents(of: Self.identityName, in: folder, limit: 1024) ?? [])
    // What is no identity is as good as none.
    if let own = try? reader.raw(FolderIdentity.byteCount), (try? reader.word()) == inode {
      identity = FolderIdentity(bytes: own)
    } else {
      identity = .random()
    }
  }

  private static func contents(
    of name: FileName, in folder: Directory, limit: Int
  ) -> [UInt8]? {
    // What cannot be read is as good as lost, which costs bytes and time alone.
    (try? folder.contentsIfPresent(of: path.appending(name), limit: limit)) ?? nil
  }

  /// Returns what is remembered of another folder; nothing if that is lost.
  func memory(of peer: FolderIdentity) -> SyncMemory {
    guard let name = peer.name,
      let bytes = Self.contents(of: name, in: folder, limit: SyncMemory.largestFile),
      // One that was damaged is lost.
      let memory = try? SyncMemory(bytes)
    else { return SyncMemory() }
    return memory
  }

  /// Keeps what both have now.
  func keep(_ memory: SyncMemory, of peer: FolderIdentity) {
    guard let name = peer.name, peer != identity else { return }
    do throws(FileError) {
      let directory = try folder.createDirectory(Self.path)
      try directory.sweepTemporaries { _ in true }
      var own = WireWriter()
      own.raw(identity.bytes)
      own.word(try folder.state().inode)
      if try directory.contentsIfPresent(of: RelativePath(Self.identityName), limit: 1024)
        != own.bytes
      {
        try directory.publish(own.bytes, as: Self.identityName)
      }
      let bytes = memory.encoded
      if try directory.contentsIfPresent(of: RelativePath(name), limit: SyncMemory.largestFile)
        != bytes
      {
        try directory.publish(bytes, as: name)
        try forgetOldest(in: directory)
      }
    } catch {
      // The next sync reads more than it had to, and finds the same.
    }
  }

  private func forgetOldest(in directory: Directory) throws(FileError) {
    var memories: [(name: FileName, state: FileState)] = []
    for entry in try directory.entries()
    where entry.name != Self.identityName && !entry.name.hasPrefix(".") {
      memories.append((entry.name, try directory.state(of: entry.name)))
    }
    guard memories.count > Self.limit else { return }
    memories.sort { $1.state.modified < $0.state.modified }
    for (name, state) in memories[Self.limit...] {
      try directory.removeFile(name, ifUnchangedSince: state)
    }
  }
}
