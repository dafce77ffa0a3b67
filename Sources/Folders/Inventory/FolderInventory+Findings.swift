package import Diagnostics
import SafeFiles

extension FolderInventory {
  /// How many foreign files are listed one by one.
  private static let listedForeignFiles = 100

  /// Returns what is worth telling about the files, ascending by path.
  ///
  /// What keeps entities from being read is an error; what else is unusual is a warning; files of
  /// others are listed for information. Directories that could not be listed were told when they
  /// were met.
  package func findings() -> [Finding] {
    var findings: [Finding] = []
    var foreignCount = 0
    let copies = Set(self.copies.keys)
    for file in files.indices {
      if isForeign(file, besides: copies) {
        foreignCount += 1
        if foreignCount > Self.listedForeignFiles { continue }
      }
      if var finding = finding(about: file, copies) {
        finding.path = path(of: file).description
        findings.append(finding)
      }
    }
    findings.append(contentsOf: collisions())
    if foreignCount > Self.listedForeignFiles {
      findings.append(
        Finding(
          .foreignFile, .info,
          message: (foreignCount - Self.listedForeignFiles).counted("more file")
            + " of others, left alone"))
    }
    return findings
  }

  /// Returns what stands where documents, JSON or directories would be and cannot be looked at, such as
  /// links and placeholders: the errors that `findings` has of these.
  ///
  /// - Parameter isOfDocuments: whether what stands in the place of JSON is left out.
  package func unseen(inPlaceOfDocuments isOfDocuments: Bool = false) -> [Finding] {
    elsewhere { nominal, severity in
      severity == .error && (!isOfDocuments || nominal.isDocument || nominal == .directory)
    }
  }

  /// Returns what stands for content that is elsewhere: what `unseen` has, and as warnings what is in the
  /// place of attached files.
  package func elsewhere() -> [Finding] {
    elsewhere { nominal, severity in severity == .error || nominal == .image }
  }

  private func elsewhere(
    where counts: (_ nominal: FileClass, _ severity: Severity) -> Bool
  ) -> [Finding] {
    indices.compactMap { file in
      guard [.placeholder, .symbolicLink, .special].contains(fileClass(of: file)),
        var finding = finding(about: file, []),
        counts(nominalClass(of: file), finding.severity)
      else { return nil }
      finding.path = path(of: file).description
      return finding
    }
  }

  /// Whether a file is somebody else's: also one whose name says that it is a copy of such a file.
  private func isForeign(_ file: Int, besides copies: Set<Int>) -> Bool {
    switch files[file].fileClass {
    case .foreign: true
    case .conflictCopy: !copies.contains(file)
    default: false
    }
  }

  private func isEntityOfItsOwn(_ file: Int) -> Bool {
    copies[file].map { isEntityOfItsOwn(file, as: $0) } ?? false
  }

  /// Returns what is told about a file that may be a copy, and is an entity of its own.
  package func entityOfItsOwn(_ file: Int) -> Finding {
    Finding(
      .conflictCopy, .warning, path: path(of: file).description,
      message: "looks like a conflict copy, and is an entity of its own: its path is its identity",
      next:
        "if it is a copy, name it \"\(nameOfCertainCopy(of: file))\" and run \(merging()); else "
        + "leave it")
  }

  private func nameOfCertainCopy(of file: Int) -> String {
    guard let name = copies[file]?.base.lastComponent?.bytes else { return "" }
    let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    return DisplayText.escaping(
      name[..<dot] + Array(" (conflicted copy)".utf8) + name[dot...])
  }

  private var foreign: Finding {
    Finding(.foreignFile, .info, message: "belongs to somebody else, left alone")
  }

  private func finding(about file: Int, _ copies: Set<Int>) -> Finding? {
    let nominal = files[file].nominalClass
    let hidesData = nominal.isData || nominal == .directory
    switch files[file].fileClass {
    case .patternFile where isEntityOfItsOwn(file): return entityOfItsOwn(file)
    case .fixedFile, .patternFile, .fixedDocument, .monthDocument, .entityDocument, .image, .lock,
      .ownState, .directory, .unreadable:
      return nil
    case .ownTemporary:
      guard SwapName.matches(name(of: file)) else { return nil }
      return Finding(
        .notLookedAt, .warning,
        message: "was left by a run that is at work or was killed, and may hold what another "
          + "program wrote at that moment",
        next: "run \(merging()), which finishes that; then run this again",
        command: command(.mergeConflicts))
    case .misplacedFile:
      return Finding(
        .unknownMonth, .error, message: "neither its place nor its name says a month",
        next: "move it to records/YYYY/MM, or out of the folder if it is no record")
    case .otherDocument where !copies.contains(file):
      return misnamed(file)
    case .conflictCopy where !copies.contains(file):
      return foreign
    case .otherDocument, .conflictCopy:
      return Finding(
        .conflictCopy, .warning,
        message: files[file].fileClass == .otherDocument
          ? "looks like a conflict copy, and is read, too"
          : "looks like a conflict copy, and is not read",
        next: "run \(merging()); it says what becomes of it",
        command: command(.mergeConflicts))
    case .foreign:
      return foreign
    case .placeholder:
      return Finding(
        .placeholder, hidesData ? .error : .warning,
        message: "is only a placeholder, the content is with the sync service",
        next: "download the folder (Finder: Download Now) and run again")
    case .symbolicLink:
      return Finding(
        .symbolicLink, hidesData ? .error : .warning, message: "is a symbolic link, not followed",
        next: hidesData ? "replace the link by what it points to" : nil)
    case .special:
      return Finding(
        .specialFile, hidesData ? .error : .warning,
        message: "is no regular file, left alone")
    }
  }
}

// Names that are two here and one elsewhere.
extension FolderInventory {
  private struct Place: Hashable {
    var directory: Int
    /// Compared as Swift strings are: composed and decomposed letters are equal.
    var folded: String
  }

  /// Returns the files that other volumes take for one with another file, because they tell neither
  /// letter case nor Unicode forms apart.
  ///
  /// Only names with capital or other letters than ASCII's are looked at: of two such names, one has.
  func collisions() -> [Finding] {
    var places: [Place: Int] = [:]
    var findings: [Finding] = []
    for file in indices where nominalClass(of: file).isData || fileClass(of: file) == .image {
      guard nameBytes(of: file).contains(where: { $0 >= 0x80 || $0 &- 0x41 < 26 }) else { continue }
      let directory = directory(of: file)
      let folded = String(decoding: nameBytes(of: file), as: UTF8.self).lowercased()
      let bytes = Array(folded.utf8)
      let plain = position(of: bytes.span, in: directory).flatMap { $0 == file ? nil : $0 }
      let place = Place(directory: directory, folded: folded)
      guard let other = plain ?? places[place] else {
        places[place] = file
        continue
      }
      findings.append(
        Finding(
          .nameCollision, .warning, path: path(of: file).description,
          message: "is one name with \(path(of: other)) where case does not count",
          next: "rename one of them before the folder moves to such a volume"))
    }
    return findings
  }
}
