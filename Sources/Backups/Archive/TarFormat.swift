import SafeFiles

/// Writes the headers of a pax archive, byte for byte the same for the same entry.
///
/// A header is one block: `[100 name][8 mode][8 uid][8 gid][12 size][12 mtime][8 checksum][1 type]
/// [100 link][6 magic][2 version][32 user][32 group][8][8][155 prefix][12]`. What does not fit in
/// its fields goes into an extended header before it. Times there are whole seconds; the manifest
/// has the nanoseconds, which would cost a kibibyte for each file here.
struct TarFormat {
  static let blockSize = 512
  /// An archive ends with two empty blocks.
  static let endLength = 2 * blockSize

  /// What a header says.
  struct Member {
    var path: ArraySlice<UInt8>
    var target: ArraySlice<UInt8> = []
    var kind: BackupEntry.Kind
    var mode: UInt16
    var owner: FileOwner
    var size: Int64
    var modified: FileTime
  }

  /// Returns how many bytes a member takes: headers, content, padding.
  static func length(of member: Member) -> Int {
    guard member.kind != .special else { return 0 }
    let extended = extendedRecords(for: member)
    let extendedLength = extended.isEmpty ? 0 : blockSize + padded(extended.count)
    return extendedLength + blockSize + padded(Int(member.size))
  }

  /// Returns the next multiple of the block size.
  static func padded(_ length: Int) -> Int { (length + blockSize - 1) / blockSize * blockSize }

  /// Appends the headers of a member.
  static func appendHeader(of member: Member, to bytes: inout [UInt8]) {
    let records = extendedRecords(for: member)
    if !records.isEmpty {
      let header = HeaderBlock(at: bytes.count)
      header.begin(in: &bytes)
      header.text("pax-header".utf8, at: 0, in: &bytes)
      header.octal(0o644, at: 100, width: 8, in: &bytes)
      header.octal(0, at: 108, width: 8, in: &bytes)
      header.octal(0, at: 116, width: 8, in: &bytes)
      header.octal(UInt64(records.count), at: 124, width: 12, in: &bytes)
      header.octal(0, at: 136, width: 12, in: &bytes)
      header.end(type: UInt8(ascii: "x"), in: &bytes)
      bytes.append(contentsOf: records)
      bytes.append(
        contentsOf: repeatElement(0, count: padded(records.count) - records.count))
    }
    let name = archiveName(of: member)
    let header = HeaderBlock(at: bytes.count)
    header.begin(in: &bytes)
    if let slash = prefixLength(of: name) {
      if slash > 0 { header.text(name.prefix(slash), at: 345, in: &bytes) }
      header.text(name.dropFirst(slash > 0 ? slash + 1 : 0), at: 0, in: &bytes)
    } else {
      header.text(name.suffix(100), at: 0, in: &bytes)
    }
    let limits = (owner: UInt64(0o7777777), number: UInt64(0o77777777777))
    header.octal(UInt64(member.mode), at: 100, width: 8, in: &bytes)
    header.octal(min(UInt64(member.owner.user), limits.owner), at: 108, width: 8, in: &bytes)
    header.octal(min(UInt64(member.owner.group), limits.owner), at: 116, width: 8, in: &bytes)
    header.octal(min(UInt64(member.size), limits.number), at: 124, width: 12, in: &bytes)
    let seconds = UInt64(max(member.modified.seconds, 0))
    header.octal(min(seconds, limits.number), at: 136, width: 12, in: &bytes)
    if member.kind == .link { header.text(member.target.prefix(100), at: 157, in: &bytes) }
    header.end(type: type(of: member.kind), in: &bytes)
  }

  /// The name in an archive: a directory's ends in a slash.
  static func archiveName(of member: Member) -> ArraySlice<UInt8> {
    member.kind == .directory ? member.path + [UInt8(ascii: "/")] : member.path
  }

  private static func type(of kind: BackupEntry.Kind) -> UInt8 {
    switch kind {
    case .directory: UInt8(ascii: "5")
    case .link: UInt8(ascii: "2")
    case .file, .special: UInt8(ascii: "0")
    }
  }

  /// How much of a name goes into the prefix field: 0 for none, nil if it does not fit at all.
  private static func prefixLength(of name: ArraySlice<UInt8>) -> Int? {
    if name.count <= 100 { return 0 }
    guard name.count <= 256 else { return nil }
    // The slash between prefix and name is not stored, and the name must not be empty.
    let bytes = Array(name)
    for slash in stride(from: min(155, bytes.count - 2), to: 0, by: -1)
    where bytes[slash] == UInt8(ascii: "/") {
      return bytes.count - slash - 1 <= 100 ? slash : nil
    }
    return nil
  }

  /// The records of an extended header: `LENGTH KEY=VALUE\n`, the length counting itself.
  private static func extendedRecords(for member: Member) -> [UInt8] {
    var values: [(StaticString, [UInt8])] = []
    let name = archiveName(of: member)
    if prefixLength(of: name) == nil { values.append(("path", Array(name))) }
    if member.target.count > 100 { values.append(("linkpath", Array(member.target))) }
    // The standard takes such names for UTF-8, and readers normalise them; these are bytes.
    if values.contains(where: { $0.1.contains { $0 >= 0x80 } }) {
      values.insert(("hdrcharset", Array("BINARY".utf8)), at: 0)
    }
    if member.size > 0o77777777777 { values.append(("size", digits(member.size))) }
    if member.owner.user > 0o7777777 {
      values.append(("uid", digits(Int64(member.owner.user))))
    }
    if member.owner.group > 0o7777777 {
      values.append(("gid", digits(Int64(member.owner.group))))
    }
    if !(0...0o77777777777).contains(member.modified.seconds) {
      values.append(("mtime", digits(member.modified.seconds)))
    }
    var bytes: [UInt8] = []
    for (key, value) in values {
      let rest = 1 + key.utf8CodeUnitCount + 1 + value.count + 1
      var length = rest + 1
      while String(length).utf8.count + rest != length { length += 1 }
      bytes.append(contentsOf: "\(length) \(key)=".utf8)
      bytes.append(contentsOf: value)
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  private static func digits(_ number: Int64) -> [UInt8] { Array(String(number).utf8) }
}

/// One header block being filled in at the end of an array.
private struct HeaderBlock {
  private let start: Int

  init(at start: Int) { self.start = start }

  func begin(in bytes: inout [UInt8]) {
    bytes.append(contentsOf: repeatElement(0, count: TarFormat.blockSize))
    // "ustar", zero, "00"
    text("ustar".utf8, at: 257, in: &bytes)
    text("00".utf8, at: 263, in: &bytes)
  }

  func text(_ text: some Sequence<UInt8>, at offset: Int, in bytes: inout [UInt8]) {
    var position = start + offset
    for byte in text {
      bytes[position] = byte
      position += 1
    }
  }

  /// Writes digits with leading zeros and a zero byte behind them.
  func octal(_ number: UInt64, at offset: Int, width: Int, in bytes: inout [UInt8]) {
    var rest = number
    for position in stride(from: start + offset + width - 2, through: start + offset, by: -1) {
      bytes[position] = UInt8(ascii: "0") + UInt8(rest & 7)
      rest >>= 3
    }
  }

  /// Fills in the type and the checksum, for which its own field counts as spaces.
  func end(type: UInt8, in bytes: inout [UInt8]) {
    bytes[start + 156] = type
    var sum = UInt64(8 * 0x20)
    for position in start..<start + TarFormat.blockSize { sum += UInt64(bytes[position]) }
    octal(sum, at: 148, width: 7, in: &bytes)
    bytes[start + 155] = UInt8(ascii: " ")
  }
}

/// Where everything lies in an uncompressed archive, known before a single file is read.
struct ArchiveLayout {
  /// The name of the first entry.
  static let manifestName: [UInt8] = Array("manifest.json".utf8)
  /// Small files are put together until a job writes about this much at once.
  static let jobSize = 1 << 18

  /// A run of entries that one job writes.
  struct Job: Sendable {
    var entries: Range<Int>
    var offset: Int64
    var length: Int
  }

  /// The header of the manifest.
  let manifestHeader: [UInt8]
  /// How long the manifest is.
  let manifestLength: Int
  /// The jobs, ascending.
  private(set) var jobs: [Job] = []
  /// How long the whole archive is.
  private(set) var length: Int64

  /// Lays out an archive; several threads count how long its manifest is.
  init(_ manifest: BackupManifest, threads: Int) {
    manifestLength = ManifestWriter.length(of: manifest, threads: threads)
    var header: [UInt8] = []
    TarFormat.appendHeader(
      of: TarFormat.Member(
        path: Self.manifestName[...], kind: .file, mode: 0o644, owner: .init(user: 0, group: 0),
        size: Int64(manifestLength), modified: .init(seconds: 0)), to: &header)
    manifestHeader = header
    length = Int64(header.count + TarFormat.padded(manifestLength))
    var job = Job(entries: 0..<0, offset: length, length: 0)
    for position in manifest.records.indices {
      let entryLength = TarFormat.length(of: manifest.member(position))
      if job.length > 0, job.length + entryLength > Self.jobSize {
        jobs.append(job)
        job = Job(entries: position..<position, offset: length, length: 0)
      }
      job.entries = job.entries.lowerBound..<position + 1
      job.length += entryLength
      length += Int64(entryLength)
    }
    if !job.entries.isEmpty { jobs.append(job) }
    length += Int64(TarFormat.endLength)
  }
}

extension BackupManifest {
  /// Returns what the header of an entry says.
  func member(_ position: Int) -> TarFormat.Member {
    let record = records[position]
    return TarFormat.Member(
      path: pool[record.path], target: pool[record.target], kind: record.kind, mode: record.mode,
      owner: record.owner, size: record.size, modified: record.modified)
  }
}
