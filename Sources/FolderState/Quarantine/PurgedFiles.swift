import Folders
package import SafeFiles

/// The backup because of which the JSON of a run was purged.
///
/// Nothing else in the folder tells afterwards why there is none that documents could be compared with. It
/// is noted in our state before the first file is unlinked; only the last purge matters.
package struct PurgedFiles: Hashable, Sendable {
  /// The absolute path of the backup.
  package let backup: String
  /// The size of its file.
  package let byteCount: Int64

  private static let members: (backup: StaticString, size: StaticString) = ("backup", "backupSize")

  /// Creates what is to be noted.
  package init(heldBy backup: String, byteCount: Int64) {
    self.backup = backup
    self.byteCount = byteCount
  }

  /// Notes that the JSON of a run is about to be purged; of what else was moved nothing is noted.
  package func note(for run: Quarantine.Run, of folder: Directory) throws(FileError) {
    let quarantine = try folder.openDirectory(Quarantine.path)
    guard let manifest = QuarantineManifest.name(of: run.name),
      try quarantine.stateIfPresent(of: manifest) != nil,
      try QuarantineManifestReader(manifest, in: quarantine).kind == .legacy
    else { return }
    let line = line
    try folder.openDirectory(RelativePath(FolderNames.state))
      .publishLines(as: FolderNames.purged) { write throws(FileError) in try write(line) }
  }

  /// Returns what was noted last; nil if no JSON of the folder was purged, or nobody can read it.
  package static func last(of folder: Directory) throws(FileError) -> PurgedFiles? {
    // What cannot be read excuses nothing.
    guard let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)),
      let line = try? state.contents(of: FolderNames.purged, limit: Self.largest)
    else { return nil }
    return PurgedFiles(line)
  }

  /// A path, and some bytes around it.
  private static let largest = 1 << 16

  private var line: [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.name("schema")
    json.string("automerge-migrate/purged")
    json.name("version")
    json.number(1)
    json.name(Self.members.backup)
    json.string(backup)
    json.name(Self.members.size)
    json.number(byteCount)
    json.endObject()
    return json.bytes
  }

  private init?(_ line: [UInt8]) {
    var tape = JSONTape()
    do throws(JSONDefect) { try tape.parse(line[...]) } catch { return nil }
    guard tape.kind(of: 0) == .object, let path = tape.string(Self.members.backup.description),
      let size = tape.member(Self.members.size.description, of: 0),
      tape.kind(of: size) == .number, case .int(let byteCount) = tape.number(at: size)
    else { return nil }
    backup = String(decoding: path, as: UTF8.self)
    self.byteCount = byteCount
  }
}
