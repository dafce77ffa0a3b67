import Automerge
package import Diagnostics
import FolderDocuments
package import Folders
package import SafeFiles

/// What was purged of a run that set months aside: the lines that its manifest had of the documents.
///
/// Nothing of it is in the folder any more, but the identities must not be imported anew. A document
/// that is there again speaks for itself, and its line goes.
package struct PurgedMonths {
  /// What follows the name of a run in that of this list, which lies beside the run's directory.
  package static let suffix: StaticString = ".purged.jsonl"

  private let quarantine: Directory
  private let run: FileName
  private let name: FileName

  /// Names the list of a run; nil if a file cannot have its name.
  package init?(of run: FileName, in quarantine: Directory) {
    guard let name = FileName(run.bytes + Array(Self.suffix.description.utf8)) else { return nil }
    self.quarantine = quarantine
    self.run = run
    self.name = name
  }

  /// Adds the documents that are in a run of months, before the first of its files is unlinked.
  ///
  /// What stays there after all, or is there because the purge died, is taken off again by `settle`.
  package static func add(_ run: Quarantine.Run, of folder: Directory) throws(FileError) {
    let quarantine = try folder.openDirectory(Quarantine.path)
    guard let manifest = QuarantineManifest.name(of: run.name),
      let list = PurgedMonths(of: run.name, in: quarantine),
      try quarantine.stateIfPresent(of: manifest) != nil
    else { return }
    var reader = try QuarantineManifestReader(manifest, in: quarantine)
    guard reader.kind == .months else { return }
    let isThere = try quarantine.stateIfPresent(of: list.name) != nil
    var old = try isThere ? QuarantineManifestReader(list.name, in: quarantine) : nil
    try quarantine.publishLines(as: list.name) { write throws(FileError) in
      try write(reader.line)
      while let entry = try old?.next() {
        if try !Quarantine.isFile(entry.path, in: run.directory) { try write(old?.line ?? []) }
      }
      while let entry = try reader.next() {
        guard entry.path.isDocument else { continue }
        if try Quarantine.isFile(entry.path, in: run.directory) { try write(reader.line) }
      }
    }
  }

  /// Takes documents off the lists of a folder that are in the folder again, or still in their runs.
  ///
  /// Called under the lock. A list that cannot be read or written stays as it is, and is told.
  package static func settle(
    in folder: Directory, quarantine: Directory, as kinds: EntityKinds = .minuta
  ) throws(FileError) -> [Finding] {
    var findings: [Finding] = []
    for entry in try quarantine.entries()
    where entry.kind == .regular && entry.name.hasSuffix(suffix) {
      guard let run = FileName(entry.name.bytes.dropLast(suffix.utf8CodeUnitCount)),
        let list = PurgedMonths(of: run, in: quarantine)
      else { continue }
      do throws(FileError) {
        try list.settle(in: folder, as: kinds)
      } catch {
        findings.append(.unlisted(Quarantine.path.appending(list.name), because: error))
      }
    }
    return findings
  }

  private func settle(in folder: Directory, as kinds: EntityKinds) throws(FileError) {
    let directory = try quarantine.openDirectoryIfPresent(RelativePath(run))
    var reader = try QuarantineManifestReader(name, in: quarantine)
    guard reader.kind == .months else { return }
    var isKept: [Bool] = []
    while let entry = try reader.next() {
      var isInRun = false
      if let directory { isInRun = try Quarantine.isFile(entry.path, in: directory) }
      let isInFolder = isInRun ? false : try Self.isBack(entry, in: folder, as: kinds)
      isKept.append(!isInRun && !isInFolder)
    }
    guard isKept.contains(false) else { return }
    guard isKept.contains(true) else {
      return try quarantine.removeFile(name, ifUnchangedSince: try quarantine.state(of: name))
    }
    var lines = try QuarantineManifestReader(name, in: quarantine)
    try quarantine.publishLines(as: name) { write throws(FileError) in
      try write(lines.line)
      for isKept in isKept {
        guard try lines.next() != nil else { return }
        if isKept { try write(lines.line) }
      }
    }
  }

  /// Whether the folder has a document again, with everything that it held. Throws if that cannot be
  /// looked at.
  private static func isBack(
    _ entry: QuarantineManifestReader.Entry, in folder: Directory, as kinds: EntityKinds
  ) throws(FileError) -> Bool {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try folder.contents(of: entry.path, limit: DocumentLoader.largestDocument)
    } catch {
      switch error {
      case .missing, .wrongKind, .tooLarge: return false
      default: throw error
      }
    }
    // What does not load does not speak for itself.
    guard let document = try? DocumentState(loading: bytes) else { return false }
    let kind = kinds.kind(ofDocumentIn: entry.path)
    let identities = Set(DocumentRoot(document, of: kind, kinds).entities.map(\.identity))
    return entry.identities.allSatisfy(identities.contains)
  }
}
