import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

extension MergeDecider {
  /// Decides about documents. Of the copies one is in memory at a time.
  func decideDocuments(
    _ item: MergeItem, _ files: [ReadCopy], _ decision: inout MergeDecision
  ) throws(MigrationError) {
    guard item.baseFile != nil else { return try adoptDocument(item, files, &decision) }
    guard let file = readBase(item, files, &decision) else { return }
    let base: DocumentMerge.Part
    do throws(DocumentDefect) {
      base = try DocumentMerge.Part(file, in: folder, item.kind, of: inventory.kinds)
    } catch {
      decision.findings.append(
        Self.damage(error, "restore it from a backup, or see repair-crdt; then run again"))
      for copy in files where load(copy, item, &decision) != nil {
        decision.note(copy.copy, at: copy.file.path, .kept)
      }
      return
    }
    var merge = makeMerge(base, item)
    let relations = self.merge(files, of: item, into: &merge, &decision)
    try finish(merge, base, zip(files, relations), item, &decision)
  }

  /// Gives a copy the name of the base that is not there, unless copies disagree about what it was.
  private func adoptDocument(
    _ item: MergeItem, _ files: [ReadCopy], _ decision: inout MergeDecision
  ) throws(MigrationError) {
    if let document = setAside.document(at: item.base) {
      // The copy may be older: what was changed or deleted since must not come back as it was.
      for (copy, file) in files { decision.note(copy, at: file.path, .kept) }
      decision.findings.append(
        Finding(
          .setAside, .warning, path: item.base.description,
          message: "was set aside with its month, and copies of it do not take its place",
          next: document.remedy + ", then run again", command: document.command))
      return
    }
    var unreadable: Set<Int> = []
    var chosen: (index: Int, part: DocumentMerge.Part)?
    for index in Self.candidates(files) where chosen == nil {
      if let part = load(files[index], item, &decision) {
        chosen = (index, part)
      } else {
        unreadable.insert(index)
      }
    }
    let others = files.indices.filter { $0 != chosen?.index && !unreadable.contains($0) }
      .map { files[$0] }
    guard let chosen else {
      for (copy, file) in others { decision.note(copy, at: file.path, .kept) }
      return
    }
    var merge = makeMerge(chosen.part, item)
    let relations = self.merge(others, of: item, into: &merge, &decision)
    let isClaimed = zip(others, relations).contains { other, relation in
      guard let relation else { return false }
      if case .related = relation { return false }
      return other.copy.strength == .strong
    }
    let (copy, file) = files[chosen.index]
    guard !isClaimed else {
      decision.note(copy, at: file.path, .kept)
      for (other, relation) in zip(others, relations) where relation != nil {
        decision.note(other.copy, at: other.file.path, .kept)
      }
      decision.findings.append(
        Finding(
          .unrelatedCopy, .warning, path: item.base.description,
          message: "is not there, and its copies are different documents",
          next: "decide which one is right and give it this name"))
      return
    }
    decision.note(copy, at: file.path, .adopted)
    decision.adopted = file
    decision.adoptedIdentities = chosen.part.identities.sorted()
    try finish(merge, chosen.part, zip(others, relations), item, &decision)
  }

  /// Loads a copy; nil, and it is told why, if that cannot be done.
  private func load(
    _ copy: ReadCopy, _ item: MergeItem, besides known: DocumentState = DocumentState(),
    _ decision: inout MergeDecision
  ) -> DocumentMerge.Part? {
    do throws(DocumentDefect) {
      return try DocumentMerge.Part(
        copy.file, in: folder, item.kind, of: inventory.kinds, besides: known)
    } catch {
      let isMoving = error.finding.code == .changedWhileRead
      decision.note(copy.copy, at: copy.file.path, isMoving ? .waiting : .damaged)
      decision.findings.append(
        Self.damage(
          error,
          "salvage it with repair-crdt if anything is only there, then move it out of the folder"))
      return nil
    }
  }

  private func merge(
    _ files: [ReadCopy], of item: MergeItem, into merge: inout DocumentMerge,
    _ decision: inout MergeDecision
  ) -> [DocumentMerge.Relation?] {
    let known = merge.document
    return merge.merge(files.count) { load(files[$0], item, besides: known, &decision) }
  }

  /// Decides about a document without copies in which something is to be mended, or told.
  func mending(_ document: Int) throws(MigrationError) -> MergeDecision {
    let path = inventory.path(of: document)
    var decision = MergeDecision(path)
    let item = MergeItem(
      base: path, baseClass: inventory.fileClass(of: document), kind: inventory.kind(of: document),
      baseFile: document, copies: [])
    try decideDocuments(item, [], &decision)
    return decision
  }

  private func makeMerge(_ base: DocumentMerge.Part, _ item: MergeItem) -> DocumentMerge {
    DocumentMerge(
      base: base, isPerRecord: item.baseClass == .entityDocument, unifies: options.unifies)
  }

  /// Notes what became of the copies, and what the merge itself has to add.
  private func finish(
    _ merged: DocumentMerge, _ base: DocumentMerge.Part,
    _ copies: some Sequence<(ReadCopy, DocumentMerge.Relation?)>, _ item: MergeItem,
    _ decision: inout MergeDecision
  ) throws(MigrationError) {
    decision.baseState = base.file.version.state
    var merge = merged
    for (copy, relation) in copies {
      if let relation { note(copy, relation, item, &decision) }
    }
    var edits = try MergeEdits(
      merge.document, kind: item.kind, of: inventory.kinds, unifies: options.unifies)
    decision.findingsIfDone += edits.findings(at: item.base, isApplied: true, in: inventory)
    decision.findingsIfLeft += edits.findings(at: item.base, isApplied: false, in: inventory)
    var omittedCount = 0
    // A map that one edit copies may have others beside it that the next one brings in.
    for _ in 0..<MergeEdits.mostRounds {
      if options.unifies {
        decision.report.add(edits.losing.differences)
        omittedCount = max(omittedCount, edits.losing.omittedCount)
      }
      if edits.isEmpty { break }
      let (document, change) = try edits.applied(at: item.base)
      merge.add(change, in: document)
      decision.report.changesAdded += 1
      edits = try MergeEdits(
        document, kind: item.kind, of: inventory.kinds, unifies: options.unifies)
    }
    decision.findings += edits.findingsAboutThoseApart(at: item.base)
    let losing = try FieldConflicts.losing(in: merge.document, item.kind, of: inventory.kinds)
    decision.report.add(losing.differences)
    omittedCount += losing.omittedCount
    if omittedCount > 0 {
      decision.findings.append(
        Finding(
          .conflict, .info, path: item.base.description,
          message: "up to "
            + omittedCount.counted("more value differs", "more values differ")
            + " than the report lists",
          next: "see all of them with inspect-crdt --conflicts, and decide with merge-conflicts "
            + "FOLDER --resolve ID FIELD VALUE"))
    }
    guard merge.document.holdsMore(than: base.document) else { return }
    let (acceptance, known) = (merge.acceptance, base.document)
    let bytes = merge.document.encoded()
    decision.report.isWritten = true
    decision.result = MergeResult(bytes: bytes, replaced: base.file.version) { bytes in
      acceptance.defect(of: bytes, besides: known)
    }
  }

  private func note(
    _ read: ReadCopy, _ relation: DocumentMerge.Relation, _ item: MergeItem,
    _ decision: inout MergeDecision
  ) {
    let (copy, file) = read
    switch relation {
    case .related(let count, let identities):
      decision.report.changesAdded += count
      decision.note(copy, at: file.path, count > 0 ? .merged : .redundant)
      decision.redundant.append(file.quarantined(identities))
    case .otherRecords:
      decision.note(copy, at: file.path, .twoRecords)
      decision.findings.append(
        Finding(
          .twoRecords, .info, path: file.path.description,
          message: "holds another record than \(decision.report.path) and is no copy of it"))
    case .unrelated(let shared, let isSalvaged):
      decision.note(copy, at: file.path, .unrelated)
      decision.findings.append(
        unrelated(
          read, inventory.kinds.listed(shared, of: item.kind), isSalvaged: isSalvaged,
          decision.report.path))
    case .contradicting(let error):
      decision.note(copy, at: file.path, .kept)
      decision.findings.append(
        Self.damage(
          DocumentDefect(error, file: 0, path: file.path.description),
          "its changes contradict those of the base: look at both with inspect-crdt, then move one "
            + "out of the folder"))
    }
  }

  private func unrelated(
    _ read: ReadCopy, _ shared: String, isSalvaged: Bool, _ base: String
  ) -> Finding {
    let path = read.file.path.description
    guard !isSalvaged else {
      return Finding(
        .unrelatedCopy, .warning, path: path,
        message: "was salvaged from a damaged document, and is never merged",
        next: "give it the name of the base if that cannot be read, or move it away")
    }
    guard !shared.isEmpty else {
      return Finding(
        .unrelatedCopy, read.copy.strength == .strong ? .warning : .info, path: path,
        message: "has neither history nor entities in common with \(base), and stays",
        next: "see what it is with inspect-crdt, then give it the name of the document it is, or "
          + "move it out of the folder")
    }
    return Finding(
      .unrelatedCopy, .warning, path: path,
      message: "was made separately from \(base), but holds the same entities: \(shared)",
      next: "run \(inventory.merging(["--unify"])) to bring both together",
      command: inventory.command(.mergeConflicts, ["--unify"]))
  }

  /// The finding about a document that does not load, with what to do about it here; what only moves
  /// has its own advice.
  private static func damage(_ defect: DocumentDefect, _ next: String) -> Finding {
    var finding = defect.finding
    switch finding.code {
    case .damagedDocument, .incompleteDocument: finding.next = next
    default: break
    }
    return finding
  }
}

extension DocumentState {
  /// Whether a document that was made from another has changes that one lacks, waiting ones included.
  fileprivate func holdsMore(than other: DocumentState) -> Bool {
    changeCount > other.changeCount || queuedCount != other.queuedCount
  }
}

extension EntityKinds {
  /// Returns the first of some entities for a message, and how many more there are.
  func listed(_ identities: [Identity], of kind: EntityKind) -> String {
    let names = identities.prefix(5).map { reported(kind, $0).title }
    let shown = names.joined(separator: ", ")
    return identities.count > 5 ? "\(shown) and \((identities.count - 5).grouped) more" : shown
  }

  /// Returns an entity as reports name it.
  func reported(_ kind: EntityKind, _ identity: Identity) -> MergeReport.Entity {
    MergeReport.Entity(
      kind: reportedName(of: kind), identity: text(of: identity))
  }
}
