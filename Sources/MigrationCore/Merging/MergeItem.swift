import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import SafeFiles

/// One file with the copies that names propose, and what came of looking at them.
struct MergeItem {
  /// Where the base lies or would lie.
  let base: RelativePath
  /// What the base is by its name and place.
  let baseClass: FileClass
  /// What the entities of the base are.
  let kind: EntityKind
  /// The number of what is there, whatever it is; nil if nothing is.
  let baseFile: Int?
  /// The copies that are looked at together, in path order.
  private(set) var copies: [ConflictCopy]
  /// Those behind them.
  private(set) var further: [ConflictCopy] = []

  init(
    base: RelativePath, baseClass: FileClass, kind: EntityKind, baseFile: Int?,
    copies: [ConflictCopy], limit: Int = .max
  ) {
    self.base = base
    self.baseClass = baseClass
    self.kind = kind
    self.baseFile = baseFile
    self.copies = Array(copies.prefix(limit))
    further = Array(copies.dropFirst(limit))
  }

  /// Goes on to the copies behind those that were looked at.
  mutating func advance(by limit: Int) {
    copies = Array(further.prefix(limit))
    further.removeFirst(copies.count)
  }

  /// Takes items off the front that may be decided about before anything is written for the first of them:
  /// one that is not about documents alone, since entities name files; else documents of which none is a
  /// copy in one item and the base of another.
  static func independent(at items: inout ArraySlice<MergeItem>) -> ArraySlice<MergeItem> {
    var files: Set<Int> = []
    var end = items.startIndex
    while end < items.endIndex {
      let item = items[end]
      let own = (item.copies + item.further).map(\.file) + (item.baseFile.map { [$0] } ?? [])
      let isFirst = end == items.startIndex
      guard isFirst || item.isAboutDocuments && files.isDisjoint(with: own) else { break }
      end += 1
      if isFirst, !item.isAboutDocuments { break }
      files.formUnion(own)
    }
    defer { items = items[end...] }
    return items[..<end]
  }

  private var isAboutDocuments: Bool { !baseClass.isLegacy && baseClass != .image }

  /// Groups copies by their bases, with at most so many to look at each.
  ///
  /// A base that is itself a copy comes before what it is a copy of: what it takes in goes on with
  /// it. Names of copies are longer than those of their bases.
  static func items(of copies: [ConflictCopy], limit: Int) -> [MergeItem] {
    var items: [MergeItem] = []
    var start = 0
    while start < copies.count {
      let first = copies[start]
      let group = copies[start...].prefix { $0.base == first.base }
      start = group.endIndex
      items.append(
        MergeItem(
          base: first.base, baseClass: first.baseClass, kind: first.kind, baseFile: first.baseFile,
          copies: Array(group), limit: limit))
    }
    return items.enumerated().sorted { left, right in
      let (one, other) = (left.element.base.bytes.count, right.element.base.bytes.count)
      return one != other ? one > other : left.offset < right.offset
    }.map(\.element)
  }
}

/// What is to be done about one item once it is decided, and what is told about it.
struct MergeDecision: Sendable {
  /// Where the base lies or will lie.
  let base: RelativePath
  /// The base as the report shows it.
  var report: MergeReport.Base
  /// What is told whatever becomes of the item.
  var findings: [Finding] = []
  /// What is told once everything is done, and what is told if it is not.
  var findingsIfDone: [Finding] = []
  var findingsIfLeft: [Finding] = []
  /// The copy that gets the base's name, and the identities of a document that does.
  var adopted: MergeFile?
  var adoptedIdentities: [Identity] = []
  /// What the base was when it was read.
  var baseState: FileState?
  /// The bytes the base gets, and what they must prove before they replace it.
  var result: MergeResult?
  /// The copies that are not needed any more once the result is on disk.
  var redundant: [QuarantinedFile] = []

  init(_ path: RelativePath) {
    base = path
    report = MergeReport.Base(path: path.description)
  }

  /// Takes a copy into the report.
  mutating func note(_ copy: ConflictCopy, at path: RelativePath, _ outcome: Outcome) {
    report.copies.append(
      MergeReport.Copy(
        path: path.description, service: copy.service.rawValue, outcome: outcome))
  }

  /// Takes over what was decided about copies that were looked at before, all of which stay.
  mutating func add(lookedAtBefore before: MergeDecision) {
    report.copies += before.report.copies
    findings = before.findings + findings.filter { !before.findings.contains($0) }
  }

  /// Takes copies out of the report again, and what was found about them being something else.
  mutating func forget(_ isMeant: (MergeReport.Copy) -> Bool) {
    let paths = Set(report.copies.filter(isMeant).map(\.path))
    report.copies.removeAll { paths.contains($0.path) }
    findings.removeAll {
      [.twoRecords, .unrelatedCopy].contains($0.code) && paths.contains($0.path)
    }
  }

  package typealias Outcome = MergeReport.Copy.Outcome
}

/// New bytes of a base.
struct MergeResult: Sendable {
  var bytes: [UInt8]
  /// What the base was when it was read.
  var replaced: FileVersion
  /// Checks the bytes as they are on disk; returns what is wrong with them.
  var defect: @Sendable ([UInt8]) -> String?
}

/// A file as it was when it was read for a merge.
struct MergeFile: Sendable {
  /// Where it lies, relative to the folder.
  var path: RelativePath
  /// The file as whatever replaces it must find it.
  var version: FileVersion
  /// Empty where only the hash of the file is wanted.
  var bytes: [UInt8]

  /// The largest file that is read.
  static let largestFile = DocumentLoader.largestDocument

  /// Reads a file of a folder.
  ///
  /// - Parameter keepsBytes: whether the bytes are wanted, or only their hash, for which a file is
  ///   never in memory as a whole.
  init(
    _ path: RelativePath, in folder: Directory, keepsBytes: Bool = true
  ) throws(FileError) {
    guard let parent = path.parent, let name = path.lastComponent else {
      throw .invalidPath(path: path.description)
    }
    let directory = try folder.openDirectory(parent)
    self.path = path
    var bytes: [UInt8] = []
    version = try SteadyRead.perform { () throws(FileError) in
      guard keepsBytes else {
        // An image may be of any size.
        var hasher = ContentHasher()
        let (hash, state) = try hasher.hash(name, in: directory)
        return FileVersion(state: state, hash: hash)
      }
      let state = try directory.read(name, into: &bytes, limit: Self.largestFile)
      return FileVersion(state: state, hash: ContentHash(of: bytes))
    }
    self.bytes = bytes
  }

  /// Returns the file as quarantine takes it.
  func quarantined(_ identities: [Identity] = []) -> QuarantinedFile {
    QuarantinedFile(path: path, version: version, identities: identities)
  }

  /// Whether another file holds the same bytes.
  func isEqual(to other: MergeFile) -> Bool {
    version.state.size == other.version.state.size && version.hash == other.version.hash
  }
}
