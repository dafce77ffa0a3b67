import Backups
import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles

/// What the manifests of backups and of the quarantine list, without names: a line for each file.
struct AnonymousManifests {
  private var names: Pseudonyms
  /// The lines, as many as a ticket has of each manifest.
  private(set) var lines: [ReportObject] = []

  /// So many backups are looked into, the newest ones, and so many files of each manifest are listed.
  private static let mostBackups = 3
  private static let mostFiles = 2_000

  init(_ names: Pseudonyms) { self.names = names }

  /// Adds what an overview knows of; a manifest that cannot be read is a line that says so.
  mutating func add(
    of overview: FolderOverview, in folder: Directory, context: RunContext
  ) throws(MigrationError) {
    for archive in overview.backups?.archives.prefix(Self.mostBackups) ?? [] {
      if context.isInterrupted() { throw .interrupted }
      let name = names.name(ofBackupAt: archive.path)
      do throws(BackupError) {
        let path = String(decoding: archive.absolutePath, as: UTF8.self)
        add(try BackupArchive(path: path, operations: context.operations).manifest(), called: name)
      } catch {
        addUnread(name)
      }
    }
    for entry in overview.quarantine?.entries ?? [] where !entry.isSetAside {
      if context.isInterrupted() { throw .interrupted }
      let name = names.name(of: entry.run)
      do throws(FileError) {
        try add(run: entry.run, of: folder, called: name)
      } catch {
        addUnread(name)
      }
    }
  }

  private mutating func add(_ manifest: BackupManifest, called name: String) {
    for position in 0..<min(manifest.count, Self.mostFiles) {
      let entry = manifest[position]
      var line = line(of: name, about: entry.path)
      line.add("kind", entry.kind.rawValue)
      line.add("byteCount", Int(clamping: entry.size))
      line.add("modified", UTCText.long(entry.modified))
      lines.append(line)
    }
    if manifest.count > Self.mostFiles { addRest(manifest.count - Self.mostFiles, name) }
  }

  private mutating func add(
    run: String, of folder: Directory, called name: String
  ) throws(FileError) {
    guard let bytes = DisplayText.bytes(shownAs: run), let run = FileName(bytes),
      var reader = try QuarantineManifestReader.open(ofRun: run, in: folder)
    else { return }
    var count = 0
    while let entry = try reader.next() {
      count += 1
      if count > Self.mostFiles { continue }
      var line = line(of: name, about: entry.path)
      line.add("entities", entry.identities.count)
      line.add("leavesRest", entry.rest != nil)
      lines.append(line)
    }
    if count > Self.mostFiles { addRest(count - Self.mostFiles, name) }
  }

  private mutating func line(of manifest: String, about path: RelativePath) -> ReportObject {
    var line = ReportObject()
    line.add("manifest", manifest)
    line.add("path", names.name(of: path.description))
    return line
  }

  private mutating func addRest(_ count: Int, _ manifest: String) {
    var line = ReportObject()
    line.add("manifest", manifest)
    line.add("leftOut", count)
    lines.append(line)
  }

  private mutating func addUnread(_ manifest: String) {
    var line = ReportObject()
    line.add("manifest", manifest)
    line.add("problem", "it cannot be read")
    lines.append(line)
  }
}
