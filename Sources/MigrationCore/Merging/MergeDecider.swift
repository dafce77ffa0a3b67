import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// Looks at files and their copies and decides what is to be done about them. Writes nothing.
struct MergeDecider {
  let folder: Directory
  let inventory: FolderInventory
  let options: MergeOptions
  /// Old months that were set aside: a copy of a document of theirs does not take its place.
  var setAside = SetAsideMonths()
  /// How many bytes of copies are held before no further one is read.
  private static let mostBytes = 256 << 20
  /// The names of images that records use, by month; read when they are first asked for.
  var imageNames = UsedImageNames()

  init(_ folder: Directory, _ inventory: FolderInventory, _ options: MergeOptions) {
    self.folder = folder
    self.inventory = inventory
    self.options = options
  }

  /// Decides about one item.
  ///
  /// Copies beyond the limit are looked at, too, as long as all that were looked at stay: else the
  /// same ones would come first in every run, and no run get any further.
  mutating func decide(_ item: MergeItem) throws(MigrationError) -> MergeDecision {
    var item = item
    var decision = MergeDecision(item.base)
    try decide(item, &decision)
    while item.baseFile != nil, decision.baseState != nil, !item.further.isEmpty,
      !decision.report.copies.contains(where: \.outcome.leavesItsName)
    {
      item.advance(by: options.copiesPerBase)
      let before = decision
      decision = MergeDecision(item.base)
      try decide(item, &decision)
      decision.add(lookedAtBefore: before)
    }
    noteFurther(item, in: &decision)
    decision.report.copies.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    return decision
  }

  private mutating func decide(
    _ item: MergeItem, _ decision: inout MergeDecision
  ) throws(MigrationError) {
    var copies: [ConflictCopy] = []
    for copy in item.copies {
      if let finding = obstacle(at: copy.file) {
        decision.findings.append(finding)
        decision.note(copy, at: inventory.path(of: copy.file), .waiting)
      } else {
        copies.append(copy)
      }
    }
    if let base = item.baseFile, let finding = obstacle(at: base) {
      decision.findings.append(finding)
      for copy in copies { decision.note(copy, at: inventory.path(of: copy.file), .waiting) }
    } else if !copies.isEmpty {
      let files = read(copies, keepingBytes: item.baseClass.isLegacy, into: &decision)
      switch item.baseClass {
      case .image: try decideImages(item, files, &decision)
      case .fixedFile, .patternFile, .misplacedFile:
        let files = besidesEntitiesOfTheirOwn(files, item, &decision)
        if files.isEmpty, !decision.report.copies.isEmpty { return }
        let equals = EqualCopies(among: files)
        decideLegacy(item, equals.distinct, &decision)
        equals.note(in: &decision)
      default:
        let equals = EqualCopies(among: files)
        try decideDocuments(item, equals.distinct, &decision)
        equals.note(in: &decision)
      }
    }
  }

  /// Tells that there are more copies than a run looks at.
  private func noteFurther(_ item: MergeItem, in decision: inout MergeDecision) {
    if item.further.isEmpty { return }
    let count = decision.report.copies.count
    let isProgress = decision.report.copies.contains(where: \.outcome.leavesItsName)
    decision.findings.append(
      Finding(
        .conflictCopy, .warning, path: item.base.description,
        message: "has \((count + item.further.count).counted("copy", "copies")), of which "
          + "\(count.counted("was", "were")) looked at",
        next: isProgress
          ? "run merge-conflicts again, or raise --limit"
          : "see what keeps those that were looked at, then run merge-conflicts again"))
  }

  /// The path of a copy as reports show it.
  func path(of copy: ConflictCopy) -> String { inventory.path(of: copy.file).description }

  /// A copy as it was read.
  typealias ReadCopy = (copy: ConflictCopy, file: MergeFile)

  /// Returns what keeps a file from being read, nil for a regular file that is there.
  private func obstacle(at file: Int) -> Finding? {
    let path = inventory.path(of: file).description
    switch inventory.fileClass(of: file) {
    case .placeholder:
      return Finding(
        .placeholder, .error, path: path,
        message: "is only a placeholder, the content is with the sync service",
        next: "download the folder (Finder: Download Now) and run again")
    case .symbolicLink, .special, .unreadable, .ownState, .directory:
      return Finding(
        .kept, .warning, path: path, message: "is no regular file and takes no part in a merge")
    default:
      return nil
    }
  }

  /// Reads copies: of legacy files as many as memory may hold at once, and the others wait; of others
  /// only the hashes.
  private func read(
    _ copies: [ConflictCopy], keepingBytes keepsBytes: Bool, into decision: inout MergeDecision
  ) -> [ReadCopy] {
    var files: [ReadCopy] = []
    var byteCount = 0
    for copy in copies {
      let path = inventory.path(of: copy.file)
      guard byteCount < Self.mostBytes else {
        decision.note(copy, at: path, .waiting)
        decision.findings.append(
          Finding(
            .conflictCopy, .warning, path: path.description,
            message: "was not looked at: the copies before it are too large together",
            next: "run merge-conflicts again; move away copies that stay"))
        continue
      }
      do throws(FileError) {
        let file = try MergeFile(path, in: folder, keepsBytes: keepsBytes)
        byteCount += file.bytes.count
        files.append((copy, file))
      } catch {
        note(copy, path, error, &decision)
      }
    }
    return files
  }

  /// Reads the base of an item; nil, and every copy waits, if it cannot be read.
  func readBase(
    _ item: MergeItem, _ copies: [ReadCopy], _ decision: inout MergeDecision
  ) -> MergeFile? {
    guard let number = item.baseFile else { return nil }
    do throws(FileError) {
      return try MergeFile(
        inventory.path(of: number), in: folder, keepsBytes: item.baseClass.isLegacy)
    } catch {
      decision.findings.append(Self.finding(error, item.base))
      for copy in copies { decision.note(copy.copy, at: copy.file.path, .waiting) }
      return nil
    }
  }

  private func note(
    _ copy: ConflictCopy, _ path: RelativePath, _ error: FileError,
    _ decision: inout MergeDecision
  ) {
    decision.findings.append(Self.finding(error, path))
    if case .changedWhileRead = error {
      decision.note(copy, at: path, .waiting)
    } else {
      decision.note(copy, at: path, .damaged)
    }
  }

  private static func finding(_ error: FileError, _ path: RelativePath) -> Finding {
    DocumentDefect(error, file: 0, path: path.description).finding
  }

  /// Puts copies without a base in the order in which they are tried as one: those whose names are
  /// certain, the shortest first.
  static func candidates(_ copies: [ReadCopy]) -> [Int] {
    copies.indices.filter { copies[$0].copy.strength == .strong }.sorted { left, right in
      let (one, other) = (copies[left].file.path.bytes, copies[right].file.path.bytes)
      return one.count != other.count
        ? one.count < other.count : one.lexicographicallyPrecedes(other)
    }
  }
}

extension MergeDecider {
  /// Decides about images, of which only equality can be told.
  mutating func decideImages(
    _ item: MergeItem, _ files: [ReadCopy], _ decision: inout MergeDecision
  ) throws(MigrationError) {
    var files = files
    for index in files.indices.reversed() {
      let (copy, file) = files[index]
      guard isUsed(copy) else { continue }
      // It is an image of its own, whatever its name looks like.
      decision.note(copy, at: file.path, .kept)
      decision.findings.append(
        Finding(
          .differentImage, .info, path: file.path.description,
          message:
            "is named by \(words.entity.indefinite), so it is \(words.file.indefinite) of its own"))
      files.remove(at: index)
    }
    let base: MergeFile
    if item.baseFile != nil {
      guard let file = readBase(item, files, &decision) else { return }
      base = file
    } else {
      let order = Self.candidates(files)
      guard let first = order.first,
        order.allSatisfy({ files[$0].file.isEqual(to: files[first].file) })
      else {
        for (copy, file) in files { decision.note(copy, at: file.path, .kept) }
        if order.isEmpty { return }
        decision.findings.append(
          Finding(
            .differentImage, .warning, path: item.base.description,
            message: "is not there, and its copies are different \(words.file.many)",
            next: "look at them, and give the right one the name that the \(words.entity.one) uses")
        )
        return
      }
      let (copy, file) = files.remove(at: first)
      decision.note(copy, at: file.path, .adopted)
      decision.adopted = file
      base = file
    }
    decision.baseState = base.version.state
    for (copy, file) in files {
      if file.isEqual(to: base) {
        decision.note(copy, at: file.path, .redundant)
        decision.redundant.append(file.quarantined())
      } else {
        decision.note(copy, at: file.path, .kept)
        decision.findings.append(
          Finding(
            .differentImage, copy.strength == .strong ? .warning : .info,
            path: file.path.description,
            message: "is another \(words.file.one) than \(decision.report.path); both stay",
            next: "look at both, and give the right one the name that the \(words.entity.one) uses")
        )
      }
    }
  }

  private var words: KindWords { inventory.kinds.words }

  /// Whether a record names the file by its own name. In a directory that is overlaid on another the
  /// name is that of the base.
  private mutating func isUsed(_ copy: ConflictCopy) -> Bool {
    let name = inventory.name(of: copy.file)
    guard name != copy.base.lastComponent else { return false }
    return imageNames.contains(name.bytes, of: copy.file, in: folder, inventory)
  }
}
