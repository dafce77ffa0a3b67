package import Diagnostics
package import FolderDocuments
package import Folders
package import Runs
package import SafeFiles

extension Quarantine {
  /// Returns the names that records in quarantine had as files.
  ///
  /// The manifest of a run tells them at once; without it every file is read, and what cannot be
  /// looked at is noted.
  package static func recordNames(
    of folder: Directory, rules: EntityRules, noting findings: inout [Finding]
  ) throws(MigrationError) -> NameTable {
    var names = NameTable()
    for run in try runs(of: folder, noting: &findings) {
      let quarantine = try MigrationError.wrapping { () throws(FileError) in
        try folder.openDirectory(path)
      }
      if !addNames(ofManifest: run, in: quarantine, to: &names) {
        try addNames(ofFiles: run, rules: rules, to: &names, noting: &findings)
      }
    }
    names.sort()
    return names
  }

  private static func addNames(
    ofManifest run: Run, in quarantine: Directory, to names: inout NameTable
  ) -> Bool {
    guard let manifest = QuarantineManifest.name(of: run.name) else { return false }
    var count = 0
    do {
      var reader = try QuarantineManifestReader(manifest, in: quarantine)
      while let entry = try reader.next() {
        count += 1
        // Of legacy files the tags file is the one that holds anything but a record.
        guard entry.path.bytes != FolderNames.tagsFile.bytes,
          entry.path.bytes.suffix(FolderNames.legacyExtension.utf8.count)
            .elementsEqual(FolderNames.legacyExtension.utf8),
          let identity = entry.identities.first
        else { continue }
        names.add(identity, stem(of: entry.path.bytes))
      }
    } catch {
      // Whatever is wrong with it, the files themselves tell the names, too.
      return false
    }
    return count > 0
  }

  private static func addNames(
    ofFiles run: Run, rules: EntityRules, to names: inout NameTable,
    noting findings: inout [Finding]
  ) throws(MigrationError) {
    let inventory = try inventory(of: run, noting: &findings)
    var reader = LegacyReader(run.directory, inventory, rules: rules)
    for file in inventory.recordFiles {
      reader.read(Int(file))
      for entity in reader.batch.entities {
        names.add(entity.identity, inventory.stem(of: Int(file)))
      }
    }
  }

  /// The last name of a path, without its extension.
  private static func stem(of path: [UInt8]) -> ArraySlice<UInt8> {
    let name = path.split(separator: UInt8(ascii: "/")).last ?? []
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return name
    }
    return name[..<dot]
  }
}
