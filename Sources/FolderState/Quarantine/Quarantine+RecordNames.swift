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

  /// The longest line that is read while other threads read others. A file may hold so many records that its
  /// line is longer; then one thread reads them all.
  private static let longestLineOfPart = 1 << 20

  /// Returns the names that records in quarantine had as files: of several the one of the latest run, and
  /// that of a conflict copy only where there is no other.
  ///
  /// The manifest of a run tells them at once; without it every file is read, and what cannot be
  /// looked at is noted.
  package static func recordNames(
    of folder: Directory, rules: EntityRules, threads: Int, noting findings: inout [Finding]
  ) throws(MigrationError) -> NameTable {
    var names = NameTable()
    for run in try runs(of: folder, noting: &findings).reversed() {
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

  /// Adds the names that a manifest tells; false, and none, unless all of it can be read and it has a line
  /// for each of its files. Otherwise these tell their names, too.
  private static func addNames(
    ofManifest run: Run, in quarantine: Directory, threads: Int, to names: inout NameTable
  ) -> Bool {
    guard let name = QuarantineManifest.name(of: run.name) else { return false }
    do throws(FileError) {
      let reader = try QuarantineManifestReader(name, in: quarantine)
      let parts = try reader.parts(of: manifestPart)
      guard let first = parts.first, let last = parts.last else { return false }
      let reading = addNames(
        parts, of: reader, threads, longestLine: longestLineOfPart, to: &names)
      guard case .lineTooLong = reading else { return reading == .whole }
      let all = [first.lowerBound..<last.upperBound]
      return .whole
        == addNames(
          all, of: reader, 1, longestLine: QuarantineManifestReader.longestLine, to: &names)
    } catch {
      return false
    }
  }

  private static func addNames(
    _ parts: [Range<Int>], of reader: QuarantineManifestReader, _ threads: Int, longestLine: Int,
    to names: inout NameTable
  ) -> QuarantineManifestReader.PartReading {
    let end = parts.last?.upperBound ?? 0
    let tables = Mutex<[NameTable?]>(parts.map { _ in nil })
    let fileCount = Atomic(0)
    let failure = Mutex<QuarantineManifestReader.PartReading?>(nil)
    ParallelJobs.runWhile(parts.count, threads: threads, makeState: {}) { (part, _) in
      var table = NameTable()
      let reading = reader.forEachPlace(in: parts[part], upTo: end, longestLine: longestLine) {
        (path, identities) in
        fileCount.add(1, ordering: .relaxed)
        // Of legacy files the tags file is the one that holds anything but a record.
        guard path.bytes != FolderNames.tagsFile.bytes, let name = path.lastComponent?.bytes,
          NameText.hasSuffix(name.span, ignoringCaseOf: FolderNames.legacyExtension),
          let identity = identities.first
        else { return }
        let isCopy = reader.kind == .copies || ConflictCopyName.isLikely(name.span)
        table.add(identity, stem(of: name), isCopy: isCopy)
      }
      guard case .whole = reading else {
        failure.withLock { $0 = reading }
        return false
      }
      tables.withLock { $0[part] = table }
      return true
    }
    if let failure = failure.withLock({ $0 }) { return failure }
    guard fileCount.load(ordering: .relaxed) == reader.fileCount else { return .damaged }
    for part in parts.indices {
      if let table = tables.withLock({ $0[part].take() }) { names.append(table) }
    }
    return .whole
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
      for var finding in reader.batch.findings where finding.severity == .error {
        finding.path = "\(run.path)/\(finding.path)"
        findings.append(finding)
      }
      let isCopy = ConflictCopyName.isLikely(inventory.name(of: file).bytes.span)
      for entity in reader.batch.entities {
        names.add(entity.identity, inventory.stem(of: file), isCopy: isCopy)
      }
    }
  }

  /// A name without its extension.
  private static func stem(of name: [UInt8]) -> ArraySlice<UInt8> {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return name[...]
    }
    return name[..<dot]
  }
}
