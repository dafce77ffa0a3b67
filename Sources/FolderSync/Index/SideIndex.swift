import Automerge
import SafeFiles

/// What a folder has that both sides are to have: its documents by their heads, and the files beside
/// them by their bytes.
struct SideIndex: Equatable {
  /// What a document is at.
  struct Document: Equatable {
    /// Of all heads, ascending: two documents with one digest hold the same changes.
    var heads: HeadsDigest
    /// The size of the file, which may be another on each side; 0 if nobody looked.
    var byteCount: Int

    static func == (left: Document, right: Document) -> Bool { left.heads == right.heads }
  }

  /// What a file holds.
  struct File: Hashable {
    var hash: ContentHash
    var byteCount: Int
  }

  var documents = PathTable<Document>()
  var files = PathTable<File>()

  // MARK: On the wire

  /// Writes what is another than in `base`, which both sides know.
  func write(to writer: inout WireWriter, besides base: SideIndex) {
    Self.write(documents, besides: base.documents, to: &writer) { document, writer in
      writer.raw(document.heads.bytes)
      writer.number(document.byteCount)
    }
    Self.write(files, besides: base.files, to: &writer) { file, writer in
      writer.raw(file.hash.bytes)
      writer.number(file.byteCount)
    }
  }

  /// Reads an index that was written besides `base`.
  init(_ reader: inout WireReader, besides base: SideIndex) throws(WireDefect) {
    documents = try Self.read(&reader, besides: base.documents, unit: HeadsDigest.byteCount) {
      (reader) throws(WireDefect) in
      Document(
        heads: HeadsDigest(bytes: try reader.raw(HeadsDigest.byteCount)),
        byteCount: try reader.number())
    }
    files = try Self.read(&reader, besides: base.files, unit: 32) { (reader) throws(WireDefect) in
      File(hash: try ContentHash(wire: reader.raw(32)), byteCount: try reader.number())
    }
    // What is checked as a document would be written as it comes.
    var isBoth = false
    documents.forEachPair(with: files) { _, document, file in
      isBoth = isBoth || document != nil && file != nil
    }
    if isBoth { throw WireDefect("says of a path that it is a document and a file", 0) }
  }

  init() {}

  private static func write<Entry: Equatable>(
    _ entries: PathTable<Entry>, besides base: PathTable<Entry>, to writer: inout WireWriter,
    _ body: (Entry, inout WireWriter) -> Void
  ) {
    var changed: [(path: RelativePath, entry: Entry)] = []
    var gone: [RelativePath] = []
    entries.forEachPair(with: base) { path, entry, known in
      if let entry {
        if entry != known { changed.append((path, entry)) }
      } else {
        gone.append(path)
      }
    }
    writer.number(changed.count)
    for (path, entry) in changed {
      writer.data(path.bytes)
      body(entry, &writer)
    }
    writer.number(gone.count)
    for path in gone { writer.data(path.bytes) }
  }

  private static func read<Entry>(
    _ reader: inout WireReader, besides base: PathTable<Entry>, unit: Int,
    _ body: (inout WireReader) throws(WireDefect) -> Entry
  ) throws(WireDefect) -> PathTable<Entry> {
    // Nothing of what is gone.
    var news: [(path: RelativePath, value: Entry?)] = []
    for _ in 0..<(try reader.count(of: unit)) {
      news.append((try reader.path(), try body(&reader)))
    }
    for _ in 0..<(try reader.count(of: 1)) { news.append((try reader.path(), nil)) }
    if news.isEmpty { return base }
    let entries = base.mapValues(Optional.some).updated(with: PathTable(news))
    return PathTable(entries.compactMap { path, value in value.map { (path, $0) } })
  }
}

/// Half of the SHA-256 of the heads of a document, ascending.
struct HeadsDigest: Hashable {
  static let byteCount = 16

  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  init(of heads: HeadList) {
    bytes = Array(ContentHash(of: heads.bytes).bytes.prefix(Self.byteCount))
  }
}

/// The heads of a document, ascending, 32 bytes each: there may be as many as it has entities, and
/// mostly nobody looks at one of them.
struct HeadList: Equatable {
  let bytes: [UInt8]

  init(_ heads: [ChangeHash]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(heads.count * ChangeHash.byteCount)
    for hash in heads { hash.append(to: &bytes) }
    self.bytes = bytes
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  var hashes: [ChangeHash] {
    stride(from: 0, to: bytes.count, by: ChangeHash.byteCount).map {
      ChangeHash(bytes: bytes, at: $0)
    }
  }
}
