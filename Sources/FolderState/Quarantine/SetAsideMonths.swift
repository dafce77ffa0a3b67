import Automerge
package import Diagnostics
import FolderDocuments
package import Folders
package import Runs
package import SafeFiles

extension Quarantine {
  /// A run that set whole old months aside.
  package struct RunOfMonths {
    /// Its name.
    package var name: FileName
    /// The path of its directory, relative to the folder.
    package var path: RelativePath
    /// What is left of the run's files; nil if that is nothing.
    package var directory: Directory?
    /// Whether the manifest is that of what a purge has unlinked.
    package var isPurged: Bool
    /// The path of its manifest, relative to the folder.
    var manifestPath: RelativePath
    /// The manifest, of which the first line is read, or why it or the run's directory cannot be:
    /// then nobody knows which months the run set aside.
    package var manifest: Result<QuarantineManifestReader, FileError>
  }

  /// Returns the runs that set months aside, and what was purged of them, in the order of their
  /// names. Without its manifest a run counts as any other.
  package static func runsOfMonths(of folder: Directory) throws(MigrationError) -> [RunOfMonths] {
    try MigrationError.wrapping { () throws(FileError) in
      guard let quarantine = try folder.openDirectoryIfPresent(path) else { return [] }
      var runs: [RunOfMonths] = []
      for entry in try quarantine.entries() {
        if let run = try runOfMonths(withManifest: entry.name, in: quarantine) { runs.append(run) }
      }
      return runs
    }
  }

  private static func runOfMonths(
    withManifest manifest: FileName, in quarantine: Directory
  ) throws(FileError) -> RunOfMonths? {
    let isPurged = manifest.hasSuffix(PurgedMonths.suffix)
    let suffix = isPurged ? PurgedMonths.suffix : QuarantineManifest.suffix
    guard manifest.hasSuffix(suffix),
      let name = FileName(manifest.bytes.dropLast(suffix.utf8CodeUnitCount))
    else { return nil }
    var reader = Result { () throws(FileError) in
      try QuarantineManifestReader(manifest, in: quarantine)
    }
    if case .success(let reader) = reader, reader.kind != .months { return nil }
    var directory: Directory?
    do throws(FileError) {
      directory = try quarantine.openDirectoryIfPresent(RelativePath(name))
      // A manifest without its run was published, and then nothing moved, or everything moved back.
      guard isPurged || directory != nil else { return nil }
    } catch {
      // Nobody knows what is left of the run.
      reader = .failure(error)
    }
    return RunOfMonths(
      name: name, path: path.appending(name), directory: directory, isPurged: isPurged,
      manifestPath: path.appending(manifest), manifest: reader)
  }
}

/// The old months of a folder that were set aside whole, and every identity their documents hold.
///
/// The manifests of the runs tell, and the lists of what was purged. What a user changed or deleted
/// in such a document must not come back as it was before.
package struct SetAsideMonths: Sendable {
  /// A document that was set aside.
  package struct Document: Sendable {
    package var path: RelativePath
    /// What brings it back, for people.
    package var remedy: String
    /// The same as a command; nil for what is only in a backup, which nobody has named.
    package var command: NextCommand?
    /// Whether it still is in quarantine, and not only in a backup.
    package var isInQuarantine: Bool
  }

  /// What to tell about them, one for each run, and one for each document that is back as another.
  package private(set) var findings: [Finding] = []

  private var documents: [Document] = []
  private var documentsByPath: [RelativePath: Int] = [:]
  /// Of each attached file a document of its run, if that was asked for.
  private var attachedFiles: [RelativePath: Document]?
  /// Of each entity the document that holds it, by its kind.
  private var entities: [EntityKind: [Identity: Int]] = [:]
  private let kinds: EntityKinds

  /// None.
  package init() { kinds = .minuta }

  /// Reads the manifests of the runs that set months aside.
  ///
  /// - Parameter includesAttachedFiles: whether it is to be known of attached files, too.
  package init(
    of folder: Directory, includesAttachedFiles: Bool = false, context: RunContext
  ) throws(MigrationError) {
    kinds = context.kinds
    attachedFiles = includesAttachedFiles ? [:] : nil
    for run in try Quarantine.runsOfMonths(of: folder) {
      if context.isInterrupted() { throw .interrupted }
      try add(run, of: folder)
    }
  }

  /// Returns the document that holds an entity, nil if no month that was set aside does.
  package func document(holding identity: Identity, _ kind: EntityKind) -> Document? {
    entities[kind]?[identity].map { documents[$0] }
  }

  /// Whether a month that was set aside holds an entity, of whatever kind.
  package func holds(_ identity: Identity) -> Bool {
    entities.values.contains { $0[identity] != nil }
  }

  /// Returns the document that had a path, nil if none had that is set aside.
  package func document(at path: RelativePath) -> Document? {
    documentsByPath[path].map { documents[$0] }
  }

  /// Returns what was set aside at the path of an attached file; nil if nothing was.
  package func attachedFile(at path: RelativePath) -> Document? { attachedFiles?[path] }

  // MARK: Reading

  private mutating func add(
    _ run: Quarantine.RunOfMonths, of folder: Directory
  ) throws(MigrationError) {
    var awayCount = 0
    do throws(FileError) {
      var reader = try run.manifest.get()
      while let entry = try reader.next() {
        let isDocument = entry.path.isDocument
        guard isDocument || attachedFiles != nil else { continue }
        // What lies where nobody can look may be there: then it counts as set aside.
        let isInRun =
          run.directory.map { isFile(entry.path, in: $0, at: run.path) ?? !run.isPurged } ?? false
        // A manifest names what was to move, the list of a purge what was to go.
        guard isInRun != run.isPurged else { continue }
        let document = document(entry.path, of: run, in: folder)
        guard isDocument else {
          attachedFiles?[entry.path] = document
          continue
        }
        add(document, holding: entry.identities)
        if isFile(entry.path, in: folder, at: .folder) != true {
          awayCount += 1
        } else if document.isInQuarantine {
          noteReturn(of: document, run, in: folder)
        }
      }
    } catch {
      noteUnreadable(run, error)
      awayCount = try addDocuments(of: run, in: folder)
    }
    guard awayCount > 0 else { return }
    findings.append(
      Finding(
        .setAside, .info, path: run.path.description,
        message: awayCount.counted(
          "document of old months was set aside", "documents of old months were set aside")
          + (run.isPurged ? " and purged" : "") + ", and not compared"))
  }

  /// Returns whether a path is that of a file, nil if nobody can tell; then that is noted.
  private mutating func isFile(
    _ path: RelativePath, in directory: Directory, at place: RelativePath
  ) -> Bool? {
    do throws(FileError) {
      return try Quarantine.isFile(path, in: directory)
    } catch {
      let finding = Finding.unlisted(place.appending(path.parent ?? .folder), because: error)
      if !findings.contains(finding) { findings.append(finding) }
      return nil
    }
  }

  /// Adds what the documents in a run hold themselves; returns how many there are.
  private mutating func addDocuments(
    of run: Quarantine.RunOfMonths, in folder: Directory
  ) throws(MigrationError) -> Int {
    guard let directory = run.directory, !run.isPurged else { return 0 }
    let inventory = try Quarantine.inventory(
      of: Quarantine.Run(name: run.name, path: run.path, directory: directory), as: kinds,
      noting: &findings)
    for file in inventory.indices where inventory.fileClass(of: file) == .image {
      let document = document(inventory.path(of: file), of: run, in: folder)
      attachedFiles?[document.path] = document
    }
    var loader = DocumentLoader(directory, inventory)
    var count = 0
    for file in inventory.documents.map(Int.init)
    where kinds.hasMonths(inventory.kind(of: file)) {
      // One that does not load tells nothing, and the manifest is an error already.
      guard let loaded = try? loader.load(file) else { continue }
      count += 1
      add(
        document(inventory.path(of: file), of: run, in: folder),
        holding: DocumentRoot(loaded.document, of: inventory.kind(of: file), kinds).entities
          .map(\.identity))
    }
    return count
  }

  private mutating func noteUnreadable(_ run: Quarantine.RunOfMonths, _ error: FileError) {
    findings.append(
      Finding(
        .unreadable, .error, path: run.manifestPath.description,
        message: "does not say which old months were set aside: \(error.diagnostic.problem)",
        next: error.diagnostic.remedy ?? "make it readable, or move it out of the folder"))
  }

  private mutating func add(_ document: Document, holding identities: [Identity]) {
    let number = documents.count
    documents.append(document)
    func replaces(_ other: Int?) -> Bool {
      // What can be brought back is worth more than what cannot, and the later more than the earlier.
      other.map { document.isInQuarantine || !documents[$0].isInQuarantine } ?? true
    }
    if replaces(documentsByPath[document.path]) { documentsByPath[document.path] = number }
    let kind = kinds.kind(ofDocumentIn: document.path)
    for identity in identities where replaces(entities[kind]?[identity]) {
      entities[kind, default: [:]][identity] = number
    }
  }

  private func document(
    _ path: RelativePath, of run: Quarantine.RunOfMonths, in folder: Directory
  ) -> Document {
    guard run.isPurged else {
      let command = Quarantine.bringingBack(run.name, to: folder, as: kinds)
      return Document(
        path: path, remedy: command?.shellText ?? "move it back from \(run.path)", command: command,
        isInQuarantine: true)
    }
    // What a shell reads is what was meant, unless that is no text at all.
    let place = DisplayText.word(shownAs: folder.path) ?? folder.path
    let name = String(validating: path.bytes, as: UTF8.self) ?? path.description
    return Document(
      path: path,
      remedy: ShellWord.line(
        of: ["restore-backup", "BACKUP", "--into", place] + kinds.options + ["--only", name]),
      command: nil, isInQuarantine: false)
  }

  // MARK: Documents that are back

  /// Notes a document that is back as another of its versions, without changes that were set aside.
  private mutating func noteReturn(
    of document: Document, _ run: Quarantine.RunOfMonths, in folder: Directory
  ) {
    guard let directory = run.directory, let new = DocumentState(at: document.path, in: folder)
    else { return }
    guard let old = DocumentState(at: document.path, in: directory) else {
      findings.append(
        Finding(
          .unreadable, .warning, path: run.path.appending(document.path).description,
          message: "cannot be read, so nobody knows whether the document that is back has all "
            + "of it",
          next: "look for it in a backup"))
      return
    }
    let missing = (0..<old.changeCount).count { !new.contains(old.hash(ofChange: $0)) }
    // A document that has nothing in common with it was made anew, for other records.
    guard missing > 0, missing < old.changeCount else { return }
    findings.append(
      Finding(
        .setAside, .warning, path: document.path.description,
        message: "is back without \(missing.counted("change")) of the document that was set aside",
        next: document.remedy + ", then merge-conflicts", command: document.command))
  }
}

extension SetAsideMonths.Document {
  /// Says that an entity of a legacy file is in this document.
  ///
  /// - Parameter consequence: what is not done with the entity, such as `is not imported`.
  package func finding(
    _ severity: Severity, about entity: String, at path: String, _ consequence: String
  ) -> Finding {
    Finding(
      .setAside, severity, path: path,
      message:
        "\(entity) is in \(self.path), which was set aside with its month, and \(consequence)",
      next: remedy, command: command)
  }
}
