import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// The files of an old month that are to be set aside, and why it stays if it does.
struct OldMonth {
  /// What is in the way of setting a month aside.
  struct Obstacle {
    var path: RelativePath
    var reason: String
    var next: String
    var command: NextCommand?
  }

  var legacyFiles: [QuarantinedFile] = []
  var documents: [QuarantinedFile] = []
  var images: [QuarantinedFile] = []
  /// Its documents by their numbers in the inventory.
  var documentNumbers: Set<UInt32> = []
  private(set) var obstacles: [Obstacle] = []

  /// Whether nothing is in the way.
  var mayMove: Bool { obstacles.isEmpty }

  /// Its files in the order in which they move: JSON of which nobody knows any more that it was
  /// imported must never be left.
  var files: [QuarantinedFile] { legacyFiles + documents + images }

  /// Notes what is in the way.
  mutating func stays(
    _ path: RelativePath, because reason: String, _ next: String, _ command: NextCommand? = nil
  ) {
    obstacles.append(Obstacle(path: path, reason: reason, next: next, command: command))
  }
}

/// Looks at the months before another one and says which of them may be set aside.
struct OldMonthCollector {
  /// What belongs to the months, and what keeps some of them.
  private(set) var months: [Month: OldMonth] = [:]

  private let first: Month
  private let folder: Directory
  private let inventory: FolderInventory
  private let backup: ReliedBackup?
  private let context: RunContext

  private var loader: DocumentLoader
  private var hasher = ContentHasher()

  init(
    before first: Month, in folder: Directory, _ inventory: FolderInventory,
    backup: ReliedBackup?, context: RunContext
  ) {
    self.first = first
    self.folder = folder
    self.inventory = inventory
    self.backup = backup
    self.context = context
    loader = DocumentLoader(folder, inventory)
  }

  /// Collects the files of all months, and what is in the way.
  mutating func collect(_ result: VerificationRun.Result) throws(MigrationError) {
    let proven = Dictionary(
      result.provenFiles.map { ($0.file, $0) }, uniquingKeysWith: { first, _ in first })
    var errors: [String: Finding] = [:]
    for finding in result.report.findings where finding.severity == .error {
      errors[finding.path] = errors[finding.path] ?? finding
    }
    let copies = inventory.besidesBases()
    var unlisted: [RelativePath] = []
    for file in inventory.indices {
      let nominal = inventory.nominalClass(of: file)
      let path = inventory.path(of: file)
      if nominal == .directory { unlisted.append(path) }
      guard nominal.isData || nominal == .image || copies.contains(file),
        let month = month(of: file), month < first
      else { continue }
      if context.isInterrupted() { throw .interrupted }
      if copies.contains(file) {
        stays(
          month, path, because: "it has a conflict copy",
          "\(inventory.remedy(for: file)); then run again", inventory.command(for: file))
      } else if inventory.fileClass(of: file) != nominal {
        stays(
          month, path, because: "it is not a file that can be read here",
          "download the folder, or see verify-counts, then run again")
      } else if let error = errors[path.description] {
        stays(month, path, because: error.message, "see verify-counts")
      } else if nominal.isLegacy {
        if let candidate = proven[file] {
          add(QuarantinedFile(candidate, of: inventory), to: \.legacyFiles, of: month)
        } else if !result.leftOutFiles.contains(file) {
          stays(
            month, path, because: "not everything in it is proven to be in a document",
            "see verify-counts")
        }
      } else if nominal == .image {
        if !result.leftOutImages.contains(UInt32(file)) { addImage(path, to: month) }
      } else {
        addDocument(file, to: month)
      }
    }
    if !inventory.kinds.hasMonthDirectories {
      months = months.filter { !$0.value.legacyFiles.isEmpty || !$0.value.documents.isEmpty }
      noteUnreadDatedFiles(errors)
    }
    for month in months.keys {
      for path in unlisted {
        stays(
          month, path, because: "what lies there is not known",
          "change its permissions, or download it")
      }
    }
    while noteStayingFiles(of: result) {}
  }

  /// The month that a file goes along with; nil if it stays whatever month goes.
  private func month(of file: Int) -> Month? {
    let kinds = inventory.kinds
    if kinds.hasMonthDirectories {
      return inventory.month(of: file) ?? inventory.entityGroup(ofDocument: file)?.month
    }
    let nominal = inventory.nominalClass(of: file)
    if nominal == .image {
      return kinds.month(
        ofAttachmentsIn: inventory.directoryPath(inventory.directory(of: file)))
    }
    let kind = inventory.kind(of: file)
    // Of other files the entities say it, each its own.
    guard kinds.hasMonths(kind), nominal.isDocument || kinds.isGroupedByMonth(kind) else {
      return nil
    }
    return inventory.month(of: file)
  }

  /// Keeps the months of kinds of which a file cannot be read whose entities say the month: it may be of
  /// any.
  private mutating func noteUnreadDatedFiles(_ errors: [String: Finding]) {
    for file in inventory.indices
    where inventory.nominalClass(of: file).isLegacy
      && inventory.kinds.isDated(inventory.kind(of: file))
    {
      let path = inventory.path(of: file)
      let kind = inventory.kind(of: file)
      let isRead = inventory.fileClass(of: file) == inventory.nominalClass(of: file)
      guard !isRead || errors[path.description] != nil else { continue }
      for month in months.keys
      where months[month]?.documentNumbers.contains(where: {
        inventory.kind(of: Int($0)) == kind
      }) ?? false {
        stays(
          month, path,
          because: errors[path.description]?.message ?? "it is not a file that can be read here",
          "see verify-counts")
      }
    }
  }

  // MARK: Files

  private mutating func addDocument(_ file: Int, to month: Month) {
    let path = inventory.path(of: file)
    do throws(DocumentDefect) {
      let (document, state) = try loader.load(file)
      months[month, default: OldMonth()].documentNumbers.insert(UInt32(file))
      // What was deleted in it must be known afterwards, too.
      add(
        QuarantinedFile(
          path: path, version: loader.version(state),
          identities: DocumentRoot(document, of: inventory.kind(of: file), inventory.kinds).entities
            .map(\.identity)),
        to: \.documents, of: month)
    } catch {
      let finding = error.finding
      stays(month, path, because: finding.message, finding.next ?? "run again")
    }
  }

  private mutating func addImage(_ path: RelativePath, to month: Month) {
    do throws(FileError) {
      guard let (directory, name) = try folder.openParent(of: path) else { return }
      // The largest of files is not read to find out that the backup cannot hold it.
      let size = try directory.state(of: name).size
      if let held = backup?.files[path], held.size != size {
        return stays(month, path, because: CleanUpWorkflow.otherBytes, Self.newBackup)
      }
      let (hash, state) = try hasher.hash(name, in: directory)
      add(
        QuarantinedFile(
          path: path, version: FileVersion(state: state, hash: hash), identities: []),
        to: \.images, of: month)
    } catch {
      stays(
        month, path, because: error.diagnostic.problem, error.diagnostic.remedy ?? "run again")
    }
  }

  /// Adds a file that the backup holds; one that it does not hold keeps its month.
  private mutating func add(
    _ file: QuarantinedFile, to files: WritableKeyPath<OldMonth, [QuarantinedFile]>, of month: Month
  ) {
    months[month, default: OldMonth()][keyPath: files].append(file)
    if let reason = CleanUpWorkflow.reason(toKeep: file, backup) {
      stays(month, file.path, because: reason, Self.newBackup)
    }
  }

  private static let newBackup = "make a new backup with pack-backup"

  private mutating func stays(
    _ month: Month, _ path: RelativePath, because reason: String, _ next: String,
    _ command: NextCommand? = nil
  ) {
    months[month, default: OldMonth()].stays(path, because: reason, next, command)
  }

  // MARK: Files that stay

  /// Keeps months whose documents are all that knows of JSON that stays: an import would take that
  /// for new.
  ///
  /// A month that stays keeps its own JSON here, for which another month may have to stay: so this is
  /// asked until it finds no more. Returns whether it found any.
  private mutating func noteStayingFiles(of result: VerificationRun.Result) -> Bool {
    let moving = months.filter(\.value.mayMove)
    let movingFiles = Set(moving.values.lazy.flatMap(\.legacyFiles).map(\.path))
    let movingDocuments = moving.values.reduce(into: Set()) { $0.formUnion($1.documentNumbers) }
    let staying = result.deferredFiles.filter {
      !movingFiles.contains(inventory.path(of: $0.file))
    }
    guard !staying.isEmpty else { return false }
    var holders: [GroupOutcome.Target: Set<UInt32>] = [:]
    for entity in result.documentEntities {
      let kind = inventory.kind(of: Int(entity.file))
      holders[GroupOutcome.Target(kind: kind, identity: entity.identity), default: []]
        .insert(entity.file)
    }
    var found: Set<Month> = []
    for (file, identities) in staying {
      for identity in identities {
        let entity = GroupOutcome.Target(kind: inventory.kind(of: file), identity: identity)
        guard let documents = holders[entity], documents.isSubset(of: movingDocuments) else {
          continue
        }
        for (month, content) in moving
        where !content.documentNumbers.isDisjoint(with: documents)
          && found.insert(month).inserted
        {
          stays(
            month, inventory.path(of: file),
            because: "its documents hold what this file was imported to",
            "clean it up first with cleanup-legacy")
        }
      }
    }
    return !found.isEmpty
  }
}
