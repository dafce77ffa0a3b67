package import Diagnostics
package import FolderDocuments
package import Folders
package import Runs
package import SafeFiles
import Synchronization

extension Quarantine {
  /// How many bytes of a manifest one thread reads at a time; in tests less than a line.
  #if INTERNAL_CHECKS
    private static let manifestPart = 1 << 7
  #else
    private static let manifestPart = 1 << 18
  #endif

  /// Returns the names that records in quarantine had as files.
  ///
  /// The manifest of a run tells them at once; without it every file is read, and what cannot be
  /// looked at is noted.
  package static func recordNames(
    of folder: Directory, rules: EntityRules, threads: Int, noting findings: inout [Finding]
  ) throws(MigrationError) -> NameTable {
    var names = NameTable()
    for run in try runs(of: folder, noting: &findings) {
      let quarantine = try MigrationError.wrapping { () throws(FileError) in
        try folder.openDirectory(path)
      }
      if !addNames(ofManifest: run, in: quarantine, threads: threads, to: &names) {
        try addNames(ofFiles: run, rules: rules, to: &names, noting: &findings)
      }
    }
    names.index()
    return names
  }

  /// Adds the names that a manifest tells; false, and none, unless all of it can be read and it names a
  /// file. Whatever is wrong with it, the files themselves tell the names, too.
  private static func addNames(
    ofManifest run: Run, in quarantine: Directory, threads: Int, to names: inout NameTable
  ) -> Bool {
    guard let name = QuarantineManifest.name(of: run.name) else { return false }
    let (reader, parts): (QuarantineManifestReader, [Range<Int>])
    do throws(FileError) {
      reader = try QuarantineManifestReader(name, in: quarantine)
      parts = try reader.parts(of: manifestPart)
    } catch {
      return false
    }
    let tables = Mutex<[NameTable?]>(parts.map { _ in nil })
    let fileCount = Atomic(0)
    ParallelJobs.runWhile(parts.count, threads: threads, makeState: {}) { (part, _) in
      var table = NameTable()
      let isWhole = reader.forEachPlace(in: parts[part], upTo: parts[parts.count - 1].upperBound) {
        (path, identities) in
        fileCount.add(1, ordering: .relaxed)
        // Of legacy files the tags file is the one that holds anything but a record.
        guard path.bytes != FolderNames.tagsFile.bytes,
          path.bytes.suffix(FolderNames.legacyExtension.utf8.count)
            .elementsEqual(FolderNames.legacyExtension.utf8),
          let identity = identities.first
        else { return }
        table.add(identity, stem(of: path.bytes))
      }
      if isWhole { tables.withLock { $0[part] = table } }
      return isWhole
    }
    guard fileCount.load(ordering: .relaxed) > 0,
      tables.withLock({ tables in tables.allSatisfy { $0 != nil } })
    else { return false }
    for part in parts.indices {
      if let table = tables.withLock({ $0[part].take() }) { names.append(table) }
    }
    return true
  }

  private static func addNames(
    ofFiles run: Run, rules: EntityRules, to names: inout NameTable,
    noting findings: inout [Finding]
  ) throws(MigrationError) {
    let inventory = try inventory(of: run, noting: &findings)
    var reader = LegacyReader(run.directory, inventory, rules: rules)
    // Only where a file is one entity its name is the entity's.
    let groups = inventory.legacyGroups.filter { inventory.kinds.isOneEntity(fileOf: $0.kind) }
    for file in groups.flatMap(inventory.legacyFiles) {
      reader.read(file)
      for entity in reader.batch.entities {
        names.add(entity.identity, inventory.stem(of: file))
      }
    }
  }

  /// The last name of a path, without its extension.
  private static func stem(of path: [UInt8]) -> ArraySlice<UInt8> {
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let name = path[(slash.map { $0 + 1 } ?? 0)...]
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return name
    }
    return name[..<dot]
  }
}
