import Backups
import Folders
package import SafeFiles

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
    json.name("files")
    json.number(fileCount)
    json.endObject()
    endLine()
  }

  /// Adds the line of a file: its path relative to the folder, which it keeps in the run's
  /// directory, its size and hash, and the identities it holds.
  package mutating func append(_ file: QuarantinedFile) {
    json.beginObject()
    json.member("path", anyBytes: file.path.bytes[...])
    json.name("size")
    json.number(file.version.state.size)
    json.name("sha256")
    json.string(file.version.hash)
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
