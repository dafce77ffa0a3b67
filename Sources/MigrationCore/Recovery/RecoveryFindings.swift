import Diagnostics
import FolderState
import Folders
import SafeFiles

/// What a verification found, as what a recovery decides by: codes, severities and places.
struct RecoveryFindings {
  private(set) var all: [Finding] = []
  /// The places that nobody can look into: nothing is known to be gone there.
  private(set) var unseen: [RelativePath] = []

  init(_ findings: [Finding]) { add(findings) }

  /// Adds findings, and takes away what is missing where nobody can look: it may be there.
  mutating func add(_ findings: [Finding]) {
    all += findings
    let unseen = Set(paths(.unreadable)).sorted()
    self.unseen = unseen
    all.removeAll { finding in
      guard finding.code == .missingEntity, let path = RelativePath(shownAs: finding.path) else {
        return false
      }
      let there = path.inQuarantine?.path ?? path
      return unseen.contains { $0 != there && $0.contains(there) }
    }
  }

  mutating func forget(_ code: Finding.Code) { all.removeAll { $0.code == code } }

  func isUnseen(_ path: RelativePath) -> Bool { unseen.contains { $0.contains(path) } }

  /// The paths of findings of some codes, each once.
  func paths(_ codes: Finding.Code...) -> [RelativePath] {
    var known: Set<RelativePath> = []
    return all.lazy.filter { codes.contains($0.code) }.compactMap { RelativePath(shownAs: $0.path) }
      .filter { known.insert($0).inserted }
  }

  /// Whether a finding of a code is about the folder itself, and not about our state in it.
  func holdsInFolder(_ code: Finding.Code) -> Bool {
    paths(code).contains { !RelativePath(FolderNames.state).contains($0) }
  }

  func contains(_ code: Finding.Code) -> Bool { all.contains { $0.code == code } }

  /// The commands that bring back months of which there is JSON again. Purged ones are left to a
  /// person, who knows the backup that holds them.
  var bringingBack: [NextCommand] {
    Set(
      all.lazy.filter { $0.code == .setAside && $0.severity == .error }.compactMap(\.command)
        .filter { $0.name == .cleanupLegacy }
    ).sorted { $0.shellText < $1.shellText }
  }

  /// The documents of which something is in quarantine that is in no document: the app takes entries
  /// out of a document, but never removes it. Which one a date says only the files know.
  func stemsInQuarantine(_ kinds: EntityKinds) -> [RelativePath] {
    paths(.missingEntity, .missingFile).compactMap { path in
      guard let there = path.inQuarantine?.path else { return nil }
      // The directory of a month is looked for by its own name, such as `1`, not by that of the document.
      if kinds.hasLayouts { return LegacyContent.stem(of: there) }
      guard let content = kinds.content(ofPath: there.bytes), !content.isDocument,
        !kinds.isDated(content.kind)
      else { return nil }
      let month = kinds.month(ofPath: there.bytes.span, content.kind)
      return kinds.documentPath(of: content.kind, month: month)
        .without(FolderNames.documentExtension)
    }
  }

  /// The files in quarantine, by the paths of their runs, of which something is in no document, and of
  /// which a date says which document that was.
  func datedFilesInQuarantine(_ kinds: EntityKinds) -> [RelativePath: [RelativePath]] {
    var files: [RelativePath: [RelativePath]] = [:]
    for (run, path) in paths(.missingEntity).compactMap(\.inQuarantine) {
      guard let content = kinds.content(ofPath: path.bytes), !content.isDocument,
        kinds.isDated(content.kind)
      else { continue }
      files[run, default: []].append(path)
    }
    return files
  }

  /// The kinds of which something is in quarantine that is in no document, and of which a date says which
  /// document that was.
  func datedKindsInQuarantine(_ kinds: EntityKinds) -> Set<EntityKind> {
    Set(
      paths(.missingEntity, .missingFile).compactMap { path in
        guard let there = path.inQuarantine?.path,
          let kind = kinds.content(ofPath: there.bytes)?.kind, kinds.isDated(kind)
        else { return nil }
        return kind
      })
  }

  /// The first run in quarantine with JSON of a document.
  func quarantine(of stem: RelativePath, _ kinds: EntityKinds) -> RelativePath? {
    guard let legacy = LegacyContent(of: stem, kinds) else { return nil }
    return paths(.missingEntity).lazy.compactMap(\.inQuarantine)
      .first { legacy.holds($0.path, kinds) }?.run
  }
}
