import Automerge
package import Folders
package import SafeFiles

/// Reads a manifest of the quarantine line by line.
///
/// A manifest is a help, not a source of truth: lines that make no sense are skipped.
package struct QuarantineManifestReader {
  /// A file as its line tells of it.
  package struct Entry {
    package var path: RelativePath
    package var identities: [Identity]
    /// The hash of its bytes, nil if the line does not tell.
    package var hash: ContentHash?
  }

  /// The longest line that is read: identities of one file, 39 bytes each.
  private static let longestLine = 1 << 26

  /// What the run moved; nil if the first line does not tell.
  package let kind: QuarantineManifest.Kind?

  /// Whether a purge has begun to unlink files of the run, and has not ended since.
  package let isBeingPurged: Bool

  /// The line that was read last, without its line feed.
  package private(set) var line: [UInt8] = []

  private let filePath: String
  private var lines: StreamLines
  private var tape = JSONTape()

  /// Opens a manifest and reads its first line.
  package init(_ name: FileName, in quarantine: Directory) throws(FileError) {
    let file = try quarantine.openForReading(name)
    filePath = file.path
    lines = StreamLines(file, longestLine: Self.longestLine)
    guard try Self.read(&lines, &line, &tape, of: filePath) else {
      kind = nil
      isBeingPurged = false
      return
    }
    if let kind = tape.string(QuarantineManifest.kindMember.description) {
      self.kind = QuarantineManifest.Kind(rawValue: String(decoding: kind, as: UTF8.self))
    } else {
      kind = tape.string("command").flatMap {
        QuarantineManifest.Kind(ofCommand: String(decoding: $0, as: UTF8.self))
      }
    }
    if let mark = tape.member(QuarantineManifest.purgeMember, of: 0) {
      isBeingPurged = tape.kind(of: mark) == .true
    } else {
      isBeingPurged = false
    }
  }

  /// Returns the next file, nil at the end.
  package mutating func next() throws(FileError) -> Entry? {
    while try Self.read(&lines, &line, &tape, of: filePath) {
      guard let path = path(), let ids = tape.member("ids", of: 0), tape.kind(of: ids) == .array
      else { continue }
      var identities: [Identity] = []
      var element = ids + 1
      while element < tape.node(after: ids) {
        if tape.kind(of: element) == .string, let identity = tape.identity(at: element) {
          identities.append(identity)
        }
        element = tape.node(after: element)
      }
      return Entry(path: path, identities: identities, hash: hash())
    }
    return nil
  }

  /// Puts the next line that is an object onto the tape; false at the end.
  private static func read(
    _ lines: inout StreamLines, _ line: inout [UInt8], _ tape: inout JSONTape, of path: String
  ) throws(FileError) -> Bool {
    do throws(FolderError) {
      while try lines.read(into: &line) {
        // An unreadable line is skipped, as said above.
        if (try? tape.parse(line[...])) != nil, tape.kind(of: 0) == .object { return true }
      }
      return false
    } catch {
      guard case .file(let error) = error else {
        // Of lines a stream only knows that one is too long.
        throw .tooLarge(
          path: path, size: Int64(longestLine) + 1, limit: Int64(longestLine))
      }
      throw error
    }
  }

  private func hash() -> ContentHash? {
    tape.string("sha256").flatMap { ContentHash(hexDigits: $0) }
  }

  private func path() -> RelativePath? {
    if let path = tape.string("path") { return RelativePath(Array(path)) }
    return tape.string("pathBytes").flatMap {
      [UInt8](hexDigits: String(decoding: $0, as: UTF8.self))
    }
    .flatMap { RelativePath($0) }
  }
}

extension JSONTape {
  /// The text of a string member of the object that was parsed.
  fileprivate func string(_ name: String) -> ArraySlice<UInt8>? {
    guard let node = member(name, of: 0), kind(of: node) == .string else { return nil }
    return text[range(of: node)]
  }
}
