import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// A folder as it was listed, which is one that the profile knows.
struct FolderListing {
  let inventory: FolderInventory
  /// What could not be listed.
  let findings: [Finding]

  init(of folder: Directory, at path: String, context: RunContext) throws(MigrationError) {
    var findings: [Finding] = []
    inventory = try FolderAccess.inventory(
      of: folder, as: context.kinds, threads: context.workerCount, noting: &findings)
    try inventory.requireKnownApp(in: folder, at: path, unlisted: findings)
    self.findings = findings
  }
}

/// What a side has to say about its folder, before anything is exchanged.
struct FolderSurvey: Sendable {
  /// What is there, as readers find it.
  var inventory: FolderInventory { admission.inventory }
  /// What the other side is told.
  private(set) var index = SideIndex()
  /// By which the files of the index are known again.
  let stamps: PathTable<SyncMemory.Stamp>
  /// The heads of its documents.
  let heads: PathTable<HeadList>
  private(set) var findings: [Finding] = []

  /// Paths at which something is that cannot be read: nothing is given, and nothing taken.
  private var closed: Set<RelativePath> = []
  private let admission: Admission

  /// Looks at every document and every attached file.
  ///
  /// Of a document the checksum is proven and the heads are taken from it; those that are talked about
  /// are verified then.
  ///
  /// - Parameter memory: what was there when the sides met last: an attached file that nobody has touched
  ///   since is not read again.
  init(
    of folder: Directory, _ listing: FolderListing, remembering memory: SyncMemory,
    context: RunContext
  ) throws(MigrationError) {
    let inventory = listing.inventory
    let admission = try Admission(of: folder, listing, context: context)
    let exchanged = ExchangedFiles(of: inventory)
    let files = exchanged.numbers
    let parts = try Workers.map(
      files.count, phase: .indexing, context: context,
      makeState: {
        (DocumentLoader(folder, inventory, keepsChunks: false), CurrentDirectory(in: folder))
      }
    ) { item, state throws(MigrationError) in
      Part(files[item], inventory, memory, &state.0, &state.1)
    }
    self.admission = admission
    findings = admission.findings + exchanged.findings
    closed = exchanged.closed
    var documents: [PathTable<SideIndex.Document>.Element] = []
    var attached: [PathTable<SideIndex.File>.Element] = []
    var heads: [PathTable<HeadList>.Element] = []
    var stamps: [PathTable<SyncMemory.Stamp>.Element] = []
    for part in parts {
      if let defect = part.defect {
        closed.insert(part.path)
        findings.append(defect)
        continue
      }
      if let waiting = part.waiting { findings.append(waiting) }
      if let document = part.document { documents.append((part.path, document)) }
      if let file = part.file { attached.append((part.path, file)) }
      if let list = part.heads { heads.append((part.path, list)) }
      if let stamp = part.stamp { stamps.append((part.path, stamp)) }
    }
    (index.documents, index.files) = (PathTable(documents), PathTable(attached))
    (self.heads, self.stamps) = (PathTable(heads), PathTable(stamps))
  }

  /// What is known about one file.
  private struct Part: Sendable {
    var path: RelativePath
    var document: SideIndex.Document?
    var file: SideIndex.File?
    var stamp: SyncMemory.Stamp?
    var heads: HeadList?
    var defect: Finding?
    /// That changes of the document wait for others.
    var waiting: Finding?

    init(
      _ file: Int, _ inventory: FolderInventory, _ memory: SyncMemory,
      _ loader: inout DocumentLoader, _ directories: inout CurrentDirectory
    ) {
      path = inventory.path(of: file)
      guard !inventory.fileClass(of: file).isDocument else {
        look(at: file, &loader)
        return
      }
      do throws(FileError) {
        let directory = try directories.directory(of: file, in: inventory)
        let name = inventory.name(of: file)
        if let known = memory.stamps[path], let content = memory.files[path],
          known == SyncMemory.Stamp(try directory.state(of: name))
        {
          (self.file, stamp) = (content, known)
          return
        }
        let version = try SteadyRead.perform { () throws(FileError) in
          try directory.version(of: name)
        }
        self.file = SideIndex.File(
          hash: version.hash, byteCount: Int(clamping: version.state.size))
        stamp = SyncMemory.Stamp(version.state)
      } catch {
        defect = DocumentDefect(error, file: file, path: path.description).finding
      }
    }

    private mutating func look(at file: Int, _ loader: inout DocumentLoader) {
      do throws(DocumentDefect) {
        let (heads, waiting) = try loader.heads(of: file)
        self.heads = HeadList(heads)
        // Two sides of which one has changes that wait are not equal.
        document = SideIndex.Document(
          heads: HeadsDigest(of: HeadList(heads + waiting)), byteCount: loader.bytes.count)
        if !waiting.isEmpty { self.waiting = .waiting(waiting.count, at: path) }
      } catch {
        defect = error.finding
      }
    }
  }

  // MARK: What is taken

  /// Returns of which paths of the other side nothing is given and nothing taken, and tells why.
  mutating func declines(_ other: SideIndex) -> Set<RelativePath> {
    var declined = closed
    for (path, twin) in twins(of: other).sorted(by: { $0.key < $1.key })
    where !closed.contains(path) {
      declined.insert(path)
      findings.append(.sameButForCase(path, as: twin))
    }
    // What both have is what it is.
    var new: [(path: RelativePath, isDocument: Bool)] = []
    index.documents.forEachPair(with: other.documents) { path, own, _ in
      if own == nil { new.append((path, true)) }
    }
    index.files.forEachPair(with: other.files) { path, own, _ in
      if own == nil { new.append((path, false)) }
    }
    for (path, isDocument) in new where !declined.contains(path) {
      guard let reason = admission.reason(toDecline: path, isDocument: isDocument) else { continue }
      declined.insert(path)
      findings.append(reason)
    }
    return declined
  }

  /// Returns the paths that one side has and a disk of the other may take for another path.
  private func twins(of other: SideIndex) -> [RelativePath: RelativePath] {
    FoldedNames(FoldedNames.Names(of: index, besides: closed), FoldedNames.Names(of: other)).twins
  }
}

/// Sorts out what is not exchanged: copies, placeholders and the like are told.
private struct ExchangedFiles {
  /// The numbers of the others.
  private(set) var numbers: [Int] = []
  /// Paths at which something is that cannot be read.
  private(set) var closed: Set<RelativePath> = []
  private(set) var findings: [Finding] = []

  init(of inventory: FolderInventory) {
    var copyCount = 0
    for file in inventory.indices {
      let nominal = inventory.nominalClass(of: file)
      switch inventory.fileClass(of: file) {
      case .fixedDocument, .monthDocument, .entityDocument:
        if inventory.copies[file] == nil { numbers.append(file) } else { copyCount += 1 }
      case .image: numbers.append(file)
      case .conflictCopy: copyCount += 1
      case .otherDocument where inventory.copies[file] != nil: copyCount += 1
      case .placeholder where nominal.isDocument || nominal == .image:
        close(inventory.downloadedPath(of: file), .placeholder, "is not downloaded")
      case .symbolicLink, .special:
        guard nominal.isDocument || nominal == .image else { continue }
        close(
          inventory.path(of: file),
          inventory.fileClass(of: file) == .special ? .specialFile : .symbolicLink, "is no file")
      default: continue
      }
    }
    findings += inventory.misnamedDocuments()
    if copyCount > 0 {
      findings.append(
        Finding(
          .conflictCopy, .warning,
          message: copyCount.counted("conflict copy is", "conflict copies are") + " not synced",
          command: inventory.command(.mergeConflicts)))
    }
    if inventory.hasLegacyFiles {
      findings.append(
        Finding(
          .notSynced, .info,
          message: "there are JSON files, of which a sync takes nothing",
          command: inventory.command(.verifyCounts)))
    }
  }

  private mutating func close(
    _ path: RelativePath, _ code: Finding.Code, _ problem: String
  ) {
    closed.insert(path)
    findings.append(
      Finding(code, .warning, path: path.description, message: problem + ", and not synced"))
  }
}

extension FolderInventory {
  /// Returns the path that a file has once it is downloaded.
  fileprivate func downloadedPath(of file: Int) -> RelativePath {
    let name = Array(nameBytes(of: file))
    guard let target = FolderNames.placeholderTarget(name.span),
      let real = FileName(Array(name[target]))
    else { return path(of: file) }
    return directoryPath(directory(of: file)).appending(real)
  }
}

extension Finding {
  /// Tells that changes of a document wait for others: nobody can send or show them.
  fileprivate static func waiting(_ count: Int, at path: RelativePath) -> Finding {
    Finding(
      .incompleteDocument, .error, path: path.description,
      message: count.counted("change in it waits", "changes in it wait")
        + " for others that are not here, and \(count == 1 ? "is" : "are") not sent",
      next: "sync with the device that made them")
  }
}
