import Backups
import Diagnostics
import Folders
import SafeFiles

// Setting whole old months aside: their documents, their images and what JSON is left of them.
//
// A month moves whole or not at all. Its JSON goes first and its documents after it, so that a run
// that dies in between never leaves JSON of which nobody knows any more that it was imported.
extension CleanUpRun {
  /// The files of a month that are to move, and why it stays if it does.
  private struct OldMonth {
    var legacyFiles: [QuarantinedFile] = []
    var documents: [QuarantinedFile] = []
    var images: [QuarantinedFile] = []
    /// Its documents by their numbers in the inventory.
    var documentNumbers: Set<UInt32> = []
    var obstacles: [(path: String, reason: String, next: String)] = []

    var files: [QuarantinedFile] { legacyFiles + documents + images }

    mutating func stays(_ path: RelativePath, because reason: String, _ next: String) {
      obstacles.append((path.description, reason, next))
    }
  }

  /// Moves the months before `first` that are proven to be whole in documents and in the backup.
  mutating func setAside(
    before first: Month, in folder: Directory, backup: VerifiedBackup?, writing: WritingRun?
  ) throws(MigrationError) {
    let inventory = try FolderAccess.inventory(of: folder)
    let rules = EntityRules(numericDates: options.numericDates.map { NumericDates($0) })
    let references = try VerificationReferences.inPlace(folder, inventory, rules: rules)
    var verification = VerificationRun(
      folder, inventory, against: references, listsProvenFiles: true, context: context)
    let result = try verification.run()

    var months = try collect(before: first, in: folder, inventory, result, backup)
    while noteStayingFiles(of: result, inventory, in: &months) {}
    for (month, content) in months.sorted(by: { $0.key < $1.key }) {
      for obstacle in content.obstacles {
        report.findings.append(
          Finding(
            .kept, .error, path: obstacle.path,
            message: "\(month) stays whole: \(obstacle.reason)", next: obstacle.next))
      }
      if !content.obstacles.isEmpty { note(month, content, .kept) }
    }
    try move(months.filter(\.value.obstacles.isEmpty), before: first, in: folder, writing)
  }

  // MARK: Collecting

  private mutating func collect(
    before first: Month, in folder: Directory, _ inventory: FolderInventory,
    _ result: VerificationRun.Result, _ backup: VerifiedBackup?
  ) throws(MigrationError) -> [Month: OldMonth] {
    var months: [Month: OldMonth] = [:]
    let proven = Dictionary(
      result.provenFiles.map { ($0.file, $0) }, uniquingKeysWith: { first, _ in first })
    var errors: [String: Finding] = [:]
    for finding in result.report.findings where finding.severity == .error {
      errors[finding.path] = errors[finding.path] ?? finding
    }
    let copies = inventory.likelyCopies()
    var unlisted: [RelativePath] = []
    var buffer: [UInt8] = []
    for file in inventory.indices {
      let nominal = inventory.nominalClass(of: file)
      let path = inventory.path(of: file)
      if nominal == .directory { unlisted.append(path) }
      guard nominal.isData || nominal == .image || nominal == .conflictCopy,
        let month = inventory.month(of: file) ?? inventory.entityGroup(ofDocument: file)?.month,
        month < first
      else { continue }
      if context.isInterrupted() { throw .interrupted }
      if copies.contains(file) {
        months[month, default: OldMonth()].stays(
          path, because: "it has a conflict copy", "merge it with merge-conflicts, then run again")
      } else if inventory.fileClass(of: file) != nominal {
        months[month, default: OldMonth()].stays(
          path, because: "it is not a file that can be read here",
          "download the folder, or see verify-counts, then run again")
      } else if let error = errors[path.description] {
        months[month, default: OldMonth()].stays(path, because: error.message, "see verify-counts")
      } else if nominal.isLegacy {
        guard let candidate = proven[file] else {
          months[month, default: OldMonth()].stays(
            path, because: "not everything in it is proven to be in a document",
            "see verify-counts")
          continue
        }
        months[month, default: OldMonth()].legacyFiles.append(
          QuarantinedFile(candidate, of: inventory))
      } else {
        let read: QuarantinedFile
        do throws(FileError) {
          read = try Self.read(path, in: folder, &buffer)
        } catch {
          months[month, default: OldMonth()].stays(
            path, because: error.diagnostic.problem, error.diagnostic.remedy ?? "run again")
          continue
        }
        if nominal == .image {
          months[month, default: OldMonth()].images.append(read)
        } else {
          months[month, default: OldMonth()].documents.append(read)
          months[month, default: OldMonth()].documentNumbers.insert(UInt32(file))
        }
      }
    }
    for month in months.keys {
      for path in unlisted {
        months[month]?.stays(
          path, because: "what lies there is not known", "change its permissions, or download it")
      }
      guard let backup else { continue }
      for file in months[month]?.files ?? [] {
        guard let reason = Self.reason(toKeep: file, backup) else { continue }
        months[month]?.stays(file.path, because: reason, "make a new backup with pack-backup")
      }
    }
    return months
  }

  /// Keeps months whose documents are all that knows of JSON that stays: an import would take that
  /// for new.
  ///
  /// A month that stays keeps its own JSON here, for which another month may have to stay: so this is
  /// asked until it finds no more. Returns whether it found any.
  private func noteStayingFiles(
    of result: VerificationRun.Result, _ inventory: FolderInventory,
    in months: inout [Month: OldMonth]
  ) -> Bool {
    let moving = Set(
      months.values.lazy.filter(\.obstacles.isEmpty).flatMap(\.legacyFiles).map(\.path))
    let elsewhere = result.deferredFiles.filter { !moving.contains(inventory.path(of: $0.file)) }
    guard !elsewhere.isEmpty else { return false }
    var isFound = false
    var holders: [Identity: Set<UInt32>] = [:]
    for entity in result.documentEntities {
      holders[entity.identity, default: []].insert(entity.file)
    }
    for (file, identities) in elsewhere {
      for identity in identities {
        guard let documents = holders[identity] else { continue }
        for (month, content) in months
        where content.obstacles.isEmpty && documents.isSubset(of: content.documentNumbers) {
          isFound = true
          months[month]?.stays(
            inventory.path(of: file),
            because: "its documents hold what this file of another "
              + "month was imported to", "clean it up first with cleanup-legacy")
        }
      }
    }
    return isFound
  }

  private static func read(
    _ path: RelativePath, in folder: Directory, _ buffer: inout [UInt8]
  ) throws(FileError) -> QuarantinedFile {
    guard let (directory, name) = try folder.openParent(of: path) else {
      throw .invalidPath(path: path.description)
    }
    let state = try directory.read(name, into: &buffer)
    return QuarantinedFile(
      path: path, state: state, hash: ContentHash(of: buffer), identities: [])
  }

  // MARK: Moving

  private mutating func move(
    _ months: [Month: OldMonth], before first: Month, in folder: Directory, _ writing: WritingRun?
  ) throws(MigrationError) {
    let months = months.sorted { $0.key < $1.key }
    guard let writing, !months.isEmpty else {
      for (month, content) in months { note(month, content, .moved) }
      return
    }
    writing.beginWriting()
    var mover = try QuarantineMover(folder, begun: clock.begin)
    try mover.publishManifest(
      months.flatMap(\.value.files), command: Quarantine.monthsCommand(before: first))
    report.quarantine = mover.run.path.description
    report.undo = Quarantine.bringBackCommand(mover.run.name, folder: options.folder)
    for (index, (month, content)) in months.enumerated() {
      if context.isInterrupted() {
        try mover.finish()
        throw .interrupted
      }
      var isWhole = true
      for file in content.files where try !Self.isUnchanged(file, in: folder) { isWhole = false }
      for files in [content.legacyFiles, content.documents, content.images] {
        for file in files {
          guard isWhole else { break }
          isWhole = try mover.move(file.path, ifUnchangedSince: file.state)
        }
        // What went first must be gone first, whatever the power does.
        try mover.finish()
      }
      if isWhole { note(month, content, .moved) } else { noteChange(of: month, content) }
      context.reportProgress?(RunProgress(.moving, completed: index + 1, total: months.count))
    }
  }

  private static func isUnchanged(
    _ file: QuarantinedFile, in folder: Directory
  ) throws(MigrationError) -> Bool {
    try MigrationError.wrapping { () throws(FileError) in
      try folder.stateIfPresent(of: file.path)?.isUnchanged(since: file.state) ?? false
    }
  }

  private mutating func noteChange(of month: Month, _ content: OldMonth) {
    report.findings.append(
      Finding(
        .kept, .error, message: "\(month) changed while this command ran",
        next: "run the same command again"))
    note(month, content, .kept)
  }

  private mutating func note(
    _ month: Month, _ content: OldMonth, _ outcome: CleanUpReport.File.Outcome
  ) {
    let files = content.files.map { file in
      CleanUpReport.File(
        path: file.path.description, outcome: outcome, byteCount: Int(clamping: file.state.size))
    }
    report.files += files
    report.months.append(
      CleanUpReport.Month(
        month: month.description, outcome: outcome, fileCount: files.count,
        byteCount: files.reduce(0) { $0 + $1.byteCount }))
  }
}
