import Automerge
import Diagnostics
import Folders
import SafeFiles

/// Looks at files and their copies and decides what is to be done about them. Writes nothing.
struct MergeDecider {
  let folder: Directory
  let inventory: FolderInventory
  let options: MergeOptions
  /// Old months that were set aside: a copy of a document of theirs does not take its place.
  var setAside = SetAsideMonths()
  /// The names of images that records use, by month; read when they are first asked for.
  var imageNames = UsedImageNames()

  init(_ folder: Directory, _ inventory: FolderInventory, _ options: MergeOptions) {
    self.folder = folder
    self.inventory = inventory
    self.options = options
  }

  /// Decides about one item.
  mutating func decide(_ item: MergeItem) throws(MigrationError) -> MergeDecision {
    var decision = MergeDecision(item.base)
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
      let files = read(copies, into: &decision)
      switch item.baseClass {
      case .image: try decideImages(item, files, &decision)
      case .tagsFile, .recordFile, .misplacedRecordFile: decideLegacy(item, files, &decision)
      default: try decideDocuments(item, files, &decision)
      }
    }
    decision.report.copies.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    return decision
  }

  /// The path of a copy as reports show it.
  func path(of copy: ConflictCopy) -> String { inventory.path(of: copy.file).description }

  /// A copy with its bytes.
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

  private func read(
    _ copies: [ConflictCopy], into decision: inout MergeDecision
  ) -> [ReadCopy] {
    var files: [ReadCopy] = []
    for copy in copies {
      let path = inventory.path(of: copy.file)
      do throws(FileError) {
        files.append((copy, try MergeFile(path, in: folder)))
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
      return try MergeFile(inventory.path(of: number), in: folder)
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
