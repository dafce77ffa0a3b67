import Backups
package import Folders
package import SafeFiles

/// A file that is to move to quarantine, as it was when it was read.
package struct QuarantinedFile: Sendable {
  /// Where it is, relative to the folder; it keeps this path in the directory of the run.
  package var path: RelativePath
  /// What was read; it moves only while it still is that.
  package var version: FileVersion
  private let content: HeldContent

  package init(path: RelativePath, version: FileVersion, content: HeldContent) {
    self.path = path
    self.version = version
    self.content = content
  }

  package init(
    path: RelativePath, version: FileVersion, rest: ContentHash? = nil, identities: [Identity]
  ) {
    self.init(path: path, version: version, content: HeldContent(identities, rest: rest))
  }

  /// The hash of what stays in its place when its entities are out of it; nil if it leaves whole.
  package var rest: ContentHash? { content.rest }

  /// The identities it holds, as far as somebody may look for them.
  package var identities: [Identity] { content.identities }
}

/// What a run moved to quarantine, one JSON line for each file behind a first line about the run.
///
/// It is published before the first file moves, so it may name files that never moved: what lies in
/// the run's directory decides, the manifest only tells more about it.
package struct QuarantineManifest {
  /// What follows the name of a run in that of its manifest.
  package static let suffix: StaticString = ".jsonl"

  /// What a run moved out of the way; the raw value is a member of the first line.
  package enum Kind: String, CaseIterable {
    /// JSON that documents hold.
    case legacy
    /// Whole old months.
    case months
    /// Conflict copies that were merged.
    case copies
    /// Documents of one layout, whose records are in documents of the other.
    case layout
    /// What another program wrote while a file was replaced.
    case displaced

    /// The kind that a first line without that member tells by the command of the run, as those of
    /// earlier versions do; nil for one that tells none that matters.
    package init?(ofCommand command: String) {
      guard command.hasPrefix("cleanup-legacy --months-before ") else { return nil }
      self = .months
    }
  }

  /// The member of the first line that says which kind it is.
  static let kindMember: StaticString = "kind"

  /// The member of the first line that says how many lines of files there were.
  static let filesMember: StaticString = "files"

  private static let schema = "automerge-migrate/quarantine"

  private var json = JSONWriter()

  /// Returns the name of the manifest of a run, which lies beside the run's directory.
  package static func name(of run: FileName) -> FileName? {
    FileName(run.bytes + Array(suffix.description.utf8))
  }

  /// Returns the name of the run that a manifest is of; nil for the name of anything else.
  package static func run(ofManifest name: FileName) -> FileName? {
    guard name.hasSuffix(suffix), !name.hasSuffix(PurgedMonths.suffix) else { return nil }
    return FileName(name.bytes.dropLast(suffix.utf8CodeUnitCount))
  }

  // MARK: A purge at work

  /// The member of the first line that says that a purge has begun to unlink files of the run.
  static let purgeMember = "purging"
  private static let mark = Array(#","purging":true}"#.utf8)

  /// Returns a first line with that mark.
  static func marked(_ line: [UInt8]) -> [UInt8] {
    line.last == UInt8(ascii: "}") ? line.dropLast() + mark : line
  }

  /// Returns a first line without that mark.
  static func unmarked(_ line: [UInt8]) -> [UInt8] {
    line.suffix(mark.count).elementsEqual(mark)
      ? line.dropLast(mark.count) + [UInt8(ascii: "}")] : line
  }

  // MARK: Writing

  /// Begins a manifest: its first line is in the buffer.
  package init(time: String, command: String, kind: Kind, fileCount: Int) {
    json.beginObject()
    json.name("schema")
    json.string(Self.schema)
    json.name("version")
    json.number(1)
    json.name("time")
    json.string(time)
    json.name("command")
    json.string(command)
    json.name(Self.kindMember)
    json.string(kind.rawValue)
    json.name(Self.filesMember)
    json.number(fileCount)
    json.endObject()
    endLine()
  }

  /// Adds the line of a file: its path relative to the folder, which it keeps in the run's
  /// directory, its size and hash, the hash of what stays in its place, and the identities it holds.
  package mutating func append(_ file: QuarantinedFile) {
    json.beginObject()
    json.member("path", anyBytes: file.path.bytes[...])
    json.name("size")
    json.number(file.version.state.size)
    json.name("sha256")
    json.string(file.version.hash)
    if let rest = file.rest {
      json.name("rest")
      json.string(rest)
    }
    json.name("ids")
    json.beginArray()
    for identity in file.identities { json.string(identity) }
    json.endArray()
    json.endObject()
    endLine()
  }

  /// Returns what was written since the last call.
  mutating func takeBytes() -> [UInt8] {
    defer { json.removeAll() }
    return json.bytes
  }

  private mutating func endLine() {
    json.bytes.append(UInt8(ascii: "\n"))
    json.restart()
  }
}

extension Directory {
  /// Publishes a file of the lines that `body` hands over, each with a line feed behind it.
  func publishLines(
    as name: FileName,
    _ body: ((_ line: [UInt8]) throws(FileError) -> Void) throws(FileError) -> Void
  ) throws(FileError) {
    let file = try stageFile(as: name)
    do throws(FileError) {
      var buffer: [UInt8] = []
      try body { line throws(FileError) in
        buffer += line
        buffer.append(UInt8(ascii: "\n"))
        guard buffer.count >= 1 << 16 else { return }
        try file.write(buffer)
        buffer.removeAll(keepingCapacity: true)
      }
      if !buffer.isEmpty { try file.write(buffer) }
      try StagedFile.publish([file.finish()])
    } catch {
      file.discard()
      throw error
    }
  }
}

/// Reads a manifest of the quarantine line by line.
///
/// A manifest is published whole, so a line that makes no sense is damage: nobody knows what it said.
package struct QuarantineManifestReader {
  /// A file as its line tells of it.
  package struct Entry {
    package var path: RelativePath
    package var identities: [Identity]
    /// The hash of its bytes, nil if the line does not tell.
    package var hash: ContentHash?
    /// The hash of what stays in its place, nil if it left whole.
    package var rest: ContentHash?
  }

  /// The longest line that is read: identities of one file, 39 bytes each.
  static let longestLine = 1 << 26

  /// What the run moved; nil if the first line does not tell.
  package let kind: QuarantineManifest.Kind?

  /// How many files the run was to move; nil if the first line does not tell. Those that left its directory
  /// since have no lines any more.
  let fileCount: Int?

  /// Whether a purge has begun to unlink files of the run, and has not ended since.
  package let isBeingPurged: Bool

  /// The line that was read last, without its line feed.
  package private(set) var line: [UInt8] = []

  private let file: FileReader
  private var lines: StreamLines
  private var tape = JSONTape()

  /// Opens the manifest of a run in the quarantine of a folder; nil if it has none.
  package static func open(
    ofRun run: FileName, in folder: Directory
  ) throws(FileError) -> QuarantineManifestReader? {
    guard let name = QuarantineManifest.name(of: run),
      let quarantine = try folder.openDirectoryIfPresent(Quarantine.path),
      try quarantine.stateIfPresent(of: name) != nil
    else { return nil }
    return try QuarantineManifestReader(name, in: quarantine)
  }

  /// Opens a manifest and reads its first line.
  package init(_ name: FileName, in quarantine: Directory) throws(FileError) {
    file = try quarantine.openForReading(name)
    lines = StreamLines(file, longestLine: Self.longestLine)
    guard try Self.read(&lines, &line, &tape, of: file.path) else {
      throw .damagedLine(path: file.path, line: 1)
    }
    if let kind = tape.string(QuarantineManifest.kindMember.description) {
      self.kind = QuarantineManifest.Kind(rawValue: String(decoding: kind, as: UTF8.self))
    } else {
      kind = tape.string("command").flatMap {
        QuarantineManifest.Kind(ofCommand: String(decoding: $0, as: UTF8.self))
      }
    }
    if let count = tape.member(QuarantineManifest.filesMember.description, of: 0),
      tape.kind(of: count) == .number, case .int(let number) = tape.number(at: count)
    {
      fileCount = Int(number)
    } else {
      fileCount = nil
    }
    if let mark = tape.member(QuarantineManifest.purgeMember, of: 0) {
      isBeingPurged = tape.kind(of: mark) == .true
    } else {
      isBeingPurged = false
    }
  }

  /// Returns the next file that leaves something in its place, nil at the end. Other lines are not even
  /// looked at.
  mutating func nextWithRest() throws(FileError) -> Entry? {
    while try Self.read(&lines, &line, of: file.path) {
      guard line.holds(Self.restMember) else { continue }
      try Self.parse(line, &tape, number: lines.number, of: file.path)
      return try entry()
    }
    return nil
  }

  private static let restMember = Array(#""rest""#.utf8)

  /// Returns the next file, nil at the end.
  package mutating func next() throws(FileError) -> Entry? {
    guard try Self.read(&lines, &line, &tape, of: file.path) else { return nil }
    return try entry()
  }

  /// Cuts what stands behind the line that was read last into parts for several threads: of so many bytes,
  /// and larger ones where there would be thousands.
  func parts(of byteCount: Int) throws(FileError) -> [Range<Int>] {
    let (start, length) = (lines.nextOffset, Int(clamping: try file.state().size))
    guard start < length else { return [] }
    let size = max(byteCount, (length - start) / Self.mostParts + 1)
    return (0...(length - start - 1) / size).map { part in
      let first = start + part * size
      return first..<(length - first <= size ? length : first + size)
    }
  }

  private static let mostParts = 1 << 12

  /// Whether the lines of a part could be read.
  enum PartReading {
    case whole
    /// A line is longer than was allowed.
    case lineTooLong
    /// Something cannot be read, or is damaged.
    case damaged
  }

  /// Shows the place of each file whose line begins in such a part, and the identities it holds.
  ///
  /// - Parameters:
  ///   - end: where the last part ends.
  ///   - longestLine: the longest line that is read.
  func forEachPlace(
    in part: Range<Int>, upTo end: Int, longestLine: Int,
    _ body: (_ path: RelativePath, _ identities: [Identity]) -> Void
  ) -> PartReading {
    var (line, tape): ([UInt8], JSONTape) = ([], JSONTape())
    do {
      var lines = try StreamLines(
        file, beginningIn: part, of: end, longestLine: longestLine)
      while try lines.read(into: &line) {
        try Self.parse(line, &tape, number: lines.number, of: file.path)
        let place = try Self.place(on: tape, line: lines.number, of: file.path)
        body(place.path, place.identities)
      }
      return .whole
    } catch FolderError.damagedStream {
      // Of lines a stream only knows that one is too long.
      return .lineTooLong
    } catch {
      return .damaged
    }
  }

  private func entry() throws(FileError) -> Entry {
    let (path, identities) = try Self.place(on: tape, line: lines.number, of: file.path)
    return Entry(
      path: path, identities: identities, hash: hash("sha256"), rest: hash("rest"))
  }

  private static func place(
    on tape: JSONTape, line: Int, of manifest: String
  ) throws(FileError) -> (path: RelativePath, identities: [Identity]) {
    guard let path = tape.anyBytes("path").flatMap({ RelativePath($0) }),
      let ids = tape.member("ids", of: 0), tape.kind(of: ids) == .array
    else { throw .damagedLine(path: manifest, line: line) }
    var identities: [Identity] = []
    var element = ids + 1
    while element < tape.node(after: ids) {
      guard tape.kind(of: element) == .string, let identity = tape.identity(at: element) else {
        throw .damagedLine(path: manifest, line: line)
      }
      identities.append(identity)
      element = tape.node(after: element)
    }
    return (path, identities)
  }

  /// Puts the next line onto the tape; false at the end.
  private static func read(
    _ lines: inout StreamLines, _ line: inout [UInt8], _ tape: inout JSONTape, of path: String
  ) throws(FileError) -> Bool {
    guard try read(&lines, &line, of: path) else { return false }
    try parse(line, &tape, number: lines.number, of: path)
    return true
  }

  private static func read(
    _ lines: inout StreamLines, _ line: inout [UInt8], of path: String
  ) throws(FileError) -> Bool {
    do throws(FolderError) {
      return try lines.read(into: &line)
    } catch {
      guard case .file(let error) = error else {
        // Of lines a stream only knows that one is too long.
        throw .tooLarge(
          path: path, size: Int64(longestLine) + 1, limit: Int64(longestLine))
      }
      throw error
    }
  }

  private static func parse(
    _ line: [UInt8], _ tape: inout JSONTape, number: Int, of path: String
  ) throws(FileError) {
    do throws(JSONDefect) { try tape.parse(line[...]) } catch {
      throw .damagedLine(path: path, line: number)
    }
    guard tape.kind(of: 0) == .object else { throw .damagedLine(path: path, line: number) }
  }

  private func hash(_ member: String) -> ContentHash? {
    tape.string(member).flatMap { ContentHash(hexDigits: $0) }
  }
}

extension [UInt8] {
  /// Whether a word stands somewhere in the bytes.
  fileprivate func holds(_ word: [UInt8]) -> Bool {
    guard let first = word.first, count >= word.count else { return false }
    let (bytes, word) = (span, word.span)
    for start in 0...(bytes.count - word.count) where bytes[start] == first {
      var length = 1
      while length < word.count, bytes[start + length] == word[length] { length += 1 }
      if length == word.count { return true }
    }
    return false
  }
}
