import Automerge
import Diagnostics
import Folders
import SafeFiles

extension MergeDecider {
  /// A copy with its document.
  private typealias Part = (copy: ConflictCopy, part: DocumentMerge.Part)

  /// Decides about documents.
  func decideDocuments(
    _ item: MergeItem, _ files: [ReadCopy], _ decision: inout MergeDecision
  ) throws(MigrationError) {
    var parts: [Part] = []
    for (copy, file) in files {
      do throws(FormatError) {
        parts.append((copy, try DocumentMerge.Part(file)))
      } catch {
        decision.note(copy, at: file.path, .damaged)
        decision.findings.append(
          Self.damage(error, file.path, "it stays where it is; see repair-crdt"))
      }
    }
    guard item.baseFile != nil else { return try adoptDocument(item, parts, &decision) }
    let readable = parts.map { (copy: $0.copy, file: $0.part.file) }
    guard let file = readBase(item, readable, &decision) else { return }
    let base: DocumentMerge.Part
    do throws(FormatError) {
      base = try DocumentMerge.Part(file)
    } catch {
      decision.findings.append(
        Self.damage(
          error, file.path, "restore it from a backup, or see repair-crdt; then run again"))
      for (copy, part) in parts { decision.note(copy, at: part.file.path, .kept) }
      return
    }
    try merge(parts, into: base, item, &decision)
  }

  /// Gives a copy the name of the base that is not there, unless copies disagree about what it was.
  private func adoptDocument(
    _ item: MergeItem, _ parts: [Part], _ decision: inout MergeDecision
  ) throws(MigrationError) {
    if let document = setAside.document(at: item.base) {
      // The copy may be older: what was changed or deleted since must not come back as it was.
      for (copy, part) in parts { decision.note(copy, at: part.file.path, .kept) }
      decision.findings.append(
        Finding(
          .setAside, .warning, path: item.base.description,
          message: "was set aside with its month, and copies of it do not take its place",
          next: document.command + ", then run again"))
      return
    }
    let order = Self.candidates(parts.map { ($0.copy, $0.part.file) })
    guard let first = order.first else {
      for (copy, part) in parts { decision.note(copy, at: part.file.path, .kept) }
      return
    }
    var others = parts
    let chosen = others.remove(at: first)
    var trial = makeMerge(chosen.part, item)
    let relations = trial.merge(others.map(\.part))
    let isClaimed = zip(others, relations).contains { other, relation in
      if case .related = relation { return false }
      return other.copy.strength == .strong
    }
    guard !isClaimed else {
      for (copy, part) in parts { decision.note(copy, at: part.file.path, .kept) }
      decision.findings.append(
        Finding(
          .unrelatedCopy, .warning, path: item.base.description,
          message: "is not there, and its copies are different documents",
          next: "decide which one is right and give it this name"))
      return
    }
    decision.note(chosen.copy, at: chosen.part.file.path, .adopted)
    decision.adopted = chosen.part.file
    try merge(others, into: chosen.part, item, &decision)
  }

  /// Decides about a document without copies in which something is to be mended, or told.
  func mending(_ document: Int) throws(MigrationError) -> MergeDecision {
    let path = inventory.path(of: document)
    var decision = MergeDecision(path)
    let item = MergeItem(
      base: path, baseClass: inventory.fileClass(of: document), baseFile: document, copies: [])
    try decideDocuments(item, [], &decision)
    return decision
  }

  private func makeMerge(_ base: DocumentMerge.Part, _ item: MergeItem) -> DocumentMerge {
    DocumentMerge(
      base: base, isPerRecord: item.baseClass == .recordDocument, unifies: options.unifies)
  }

  private func merge(
    _ copies: [Part], into base: DocumentMerge.Part, _ item: MergeItem,
    _ decision: inout MergeDecision
  ) throws(MigrationError) {
    decision.baseState = base.file.state
    var merge = makeMerge(base, item)
    let relations = merge.merge(copies.map(\.part))
    for ((copy, part), relation) in zip(copies, relations) {
      note(copy, part, relation, &decision)
    }
    let kind: EntityKind = item.baseClass == .tagsDocument ? .tag : .record
    let edits = try MergeEdits(merge.document, kind: kind, unifies: options.unifies)
    decision.findingsIfDone += edits.findings(at: item.base, isApplied: true)
    decision.findingsIfLeft += edits.findings(at: item.base, isApplied: false)
    if options.unifies { decision.report.differences += edits.losing.differences }
    if !edits.isEmpty {
      let (document, change) = try edits.applied(at: item.base)
      merge.add(change, in: document)
      decision.report.changesAdded += 1
    }
    let losing = try FieldConflicts.losing(in: merge.document)
    decision.report.differences += losing.differences
    let omittedCount = losing.omittedCount + (options.unifies ? edits.losing.omittedCount : 0)
    if omittedCount > 0 {
      decision.findings.append(
        Finding(
          .conflict, .info, path: item.base.description,
          message: "up to \(omittedCount) more values differ than the report lists",
          next: "see all of them with inspect-crdt --conflicts"))
    }
    guard merge.document.holdsMore(than: base.document) else { return }
    let acceptance = merge.acceptance
    let bytes = merge.document.encoded()
    decision.report.isWritten = true
    decision.result = MergeResult(bytes: bytes, replaced: base.file.version) { bytes in
      acceptance.defect(of: bytes)
    }
  }

  private func note(
    _ copy: ConflictCopy, _ part: DocumentMerge.Part, _ relation: DocumentMerge.Relation,
    _ decision: inout MergeDecision
  ) {
    let path = part.file.path
    switch relation {
    case .related(let count):
      decision.report.changesAdded += count
      decision.note(copy, at: path, count > 0 ? .merged : .redundant)
      decision.redundant.append(part.file.quarantined(part.identities.sorted()))
    case .otherRecords:
      decision.note(copy, at: path, .twoRecords)
      decision.findings.append(
        Finding(
          .twoRecords, .info, path: path.description,
          message: "holds another record than \(decision.report.path) and is no copy of it"))
    case .unrelated(let shared):
      decision.note(copy, at: path, .unrelated)
      decision.findings.append(unrelated(copy, part, shared, decision.report.path))
    case .contradicting(let error):
      decision.note(copy, at: path, .kept)
      decision.findings.append(
        Self.damage(error, path, "its changes contradict those of the base; it stays where it is"))
    }
  }

  private func unrelated(
    _ copy: ConflictCopy, _ part: DocumentMerge.Part, _ shared: [Identity], _ base: String
  ) -> Finding {
    let path = part.file.path
    guard !part.document.isSalvaged else {
      return Finding(
        .unrelatedCopy, .warning, path: path.description,
        message: "was salvaged from a damaged document, and is never merged",
        next: "give it the name of the base if that cannot be read, or move it away")
    }
    guard !shared.isEmpty else {
      return Finding(
        .unrelatedCopy, copy.strength == .strong ? .warning : .info, path: path.description,
        message: "has neither history nor entities in common with \(base), and stays",
        next: copy.strength == .strong
          ? "see what it is with inspect-crdt; export-json reads it, too" : nil)
    }
    return Finding(
      .unrelatedCopy, .warning, path: path.description,
      message: "was made separately from \(base), but holds the same entities: \(shared.listed)",
      next: "run merge-conflicts FOLDER --unify to bring both together")
  }

  private static func damage(_ error: FormatError, _ path: RelativePath, _ next: String) -> Finding
  {
    var finding = DocumentDefect(error, file: 0, path: path.description).finding
    finding.next = next
    return finding
  }
}

extension DocumentState {
  /// Whether a document that was made from another has changes that one lacks, waiting ones included.
  fileprivate func holdsMore(than other: DocumentState) -> Bool {
    changeCount > other.changeCount || queuedCount != other.queuedCount
  }
}

extension [Identity] {
  /// The first of them for a message, and how many more there are.
  var listed: String {
    let shown = prefix(5).map(\.description).joined(separator: ", ")
    return count > 5 ? "\(shown) and \(count - 5) more" : shown
  }
}
