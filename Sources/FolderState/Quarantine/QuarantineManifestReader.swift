package import Folders
package import SafeFiles

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
      throw .damagedLine(path: filePath, line: 1)
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
    guard try Self.read(&lines, &line, &tape, of: filePath) else { return nil }
    guard let path = tape.anyBytes("path").flatMap({ RelativePath($0) }),
      let ids = tape.member("ids", of: 0), tape.kind(of: ids) == .array
    else { throw .damagedLine(path: filePath, line: lines.number) }
    var identities: [Identity] = []
    var element = ids + 1
    while element < tape.node(after: ids) {
      guard tape.kind(of: element) == .string, let identity = tape.identity(at: element) else {
        throw .damagedLine(path: filePath, line: lines.number)
      }
      identities.append(identity)
      element = tape.node(after: element)
    }
    return Entry(path: path, identities: identities, hash: hash())
  }

  /// Puts the next line onto the tape; false at the end.
  private static func read(
    _ lines: inout StreamLines, _ line: inout [UInt8], _ tape: inout JSONTape, of path: String
  ) throws(FileError) -> Bool {
    do throws(FolderError) {
      guard try lines.read(into: &line) else { return false }
    } catch {
      guard case .file(let error) = error else {
        // Of lines a stream only knows that one is too long.
        throw .tooLarge(
          path: path, size: Int64(longestLine) + 1, limit: Int64(longestLine))
      }
      throw error
    }
    do throws(JSONDefect) { try tape.parse(line[...]) } catch {
      throw .damagedLine(path: path, line: lines.number)
    }
    guard tape.kind(of: 0) == .object else { throw .damagedLine(path: path, line: lines.number) }
    return true
  }

  private func hash() -> ContentHash? {
    tape.string("sha256").flatMap { ContentHash(hexDigits: $0) }
  }
}
