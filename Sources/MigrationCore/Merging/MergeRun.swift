import Automerge
import Diagnostics
import Folders
import SafeFiles

/// One merge from beginning to end.
///
/// A copy leaves its place only after the file that took in what it held is on disk under its name,
/// was read back and judged. So a run that dies anywhere leaves every value where readers find it,
/// and the next run goes on: it finds the copy redundant.
struct MergeRun {
  private let options: MergeOptions
  private let context: RunContext
  private let clock = RunClock()
  private var report: MergeReport
  /// The copies that are not needed any more, and the files that took them in.
  private var redundant: [(copy: QuarantinedFile, base: RelativePath, state: FileState?)] = []
  /// Where files were that have the name of a base now.
  private var adopted: Set<RelativePath> = []

  init(_ options: MergeOptions, context: RunContext, isDryRun: Bool) {
    self.options = options
    self.context = context
    report = MergeReport(isDryRun: isDryRun)
  }

  mutating func run() throws(MigrationError) -> MergeReport {
    let folder = try FolderAccess.open(options.folder, context: context)
    let isIdle = report.isDryRun ? true : try !mayWrite(in: folder)
    if isIdle {
      // A folder in which nothing can be merged is not even locked: that would write a lock file.
      try merge(folder, writing: nil)
      return finished()
    }
    return try WritingRun.perform(in: folder, clock: clock, context: context) {
      writing throws(MigrationError) in
      try merge(folder, writing: writing)
      return finished()
    }
  }

  /// Whether there is anything to merge, or to tidy up after a run that died.
  private func mayWrite(in folder: Directory) throws(MigrationError) -> Bool {
    let mark = RelativePath(FolderNames.state).appending(FolderNames.currentRun)
    let isMarked = try MigrationError.wrapping { () throws(FileError) in
      try folder.stateIfPresent(of: mark) != nil
    }
    if isMarked { return true }
    let inventory = try FolderAccess.inventory(of: folder)
    return options.unifies && !inventory.documents.isEmpty || !inventory.conflictCopies().isEmpty
      || inventory.indices.contains { inventory.fileClass(of: $0) == .ownTemporary }
  }

  private mutating func finished() -> MergeReport {
    report.findings = report.findings.inReportOrder()
    report.bases.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    report.seconds = clock.seconds
    return report
  }

  private mutating func merge(
    _ folder: Directory, writing: WritingRun?
  ) throws(MigrationError) {
    let inventory = try FolderAccess.inventory(of: folder)
    if writing != nil { try FolderAccess.sweep(folder, inventory) }
    let (items, findings) = MergeItem.items(
      of: inventory.conflictCopies(), limit: options.copiesPerBase)
    report.findings += findings
    var decider = MergeDecider(folder, inventory, options)
    decider.setAside = try SetAsideMonths(of: folder, context: context)
    for (index, item) in items.enumerated() {
      if context.isInterrupted() { break }
      context.reportProgress?(RunProgress(.merging, completed: index, total: items.count))
      for decision in try Self.decide(item, with: &decider) {
        try perform(decision, in: folder, writing: writing)
      }
    }
    if !context.isInterrupted() {
      try mend(documents(of: inventory, besides: items), inventory, in: folder, writing: writing)
    }
    // Also after an interruption: what was merged is finished.
    try setAside(in: folder, writing: writing)
    if context.isInterrupted() { throw .interrupted }
  }

  /// Decides about an item, and about those of its copies that are other records than the base: a
  /// sync service that finds `NAME 2` taken calls a copy of it `NAME 3`.
  private static func decide(
    _ item: MergeItem, with decider: inout MergeDecider
  ) throws(MigrationError) -> [MergeDecision] {
    var decision = try decider.decide(item)
    let others = Set(decision.report.copies.filter { $0.outcome == .twoRecords }.map(\.path))
    var copies = item.copies.filter { others.contains(decider.path(of: $0)) }
    guard item.baseClass == .recordDocument, copies.count > 1 else { return [decision] }
    copies.sort { left, right in
      let (one, other) = (decider.path(of: left), decider.path(of: right))
      return one.utf8.count != other.utf8.count
        ? one.utf8.count < other.utf8.count : one.utf8.lexicographicallyPrecedes(other.utf8)
    }
    let first = copies.removeFirst()
    let further = MergeItem(
      base: decider.inventory.path(of: first.file), baseClass: item.baseClass,
      baseFile: first.file, copies: copies)
    let decisions = try decide(further, with: &decider).compactMap { decision in
      // What is another record here, too, was told already.
      var decision = decision
      decision.forget { $0.outcome == .twoRecords }
      return decision.report.copies.isEmpty ? nil : decision
    }
    let decided = Set(decisions.flatMap { $0.report.copies.map(\.path) })
    decision.forget { decided.contains($0.path) }
    return [decision] + decisions
  }

  // MARK: Writing

  /// Writes what was decided and takes it into the report.
  private mutating func perform(
    _ decision: MergeDecision, in folder: Directory, writing: WritingRun?
  ) throws(MigrationError) {
    report.findings += decision.findings
    guard let writing else {
      report.bases.append(decision.report)
      return
    }
    var base = decision.report
    var isAdopted = false
    do throws(MergeFailure) {
      if let copy = decision.adopted {
        writing.beginWriting()
        try MergePublisher.adopt(copy, as: decision.base, in: folder)
        isAdopted = true
        adopted.insert(copy.path)
      }
      if let result = decision.result {
        writing.beginWriting()
        try MergePublisher.publish(result, at: decision.base, in: folder)
      }
      if !decision.redundant.isEmpty {
        let state = try MergePublisher.state(of: decision.base, in: folder)
        redundant += decision.redundant.map { ($0, decision.base, state) }
      }
    } catch {
      switch error {
      case .stopped(let error): throw error
      case .left(let finding):
        // Everything of this item is as it was, or adopted; the others have their turn.
        report.findings.append(finding)
        base.isWritten = false
        base.changesAdded = 0
        for index in base.copies.indices
        where !isAdopted || base.copies[index].outcome != .adopted {
          base.copies[index].leave()
        }
      }
    }
    report.bases.append(base)
  }

  /// Moves to quarantine what is not needed any more.
  private mutating func setAside(
    in folder: Directory, writing: WritingRun?
  ) throws(MigrationError) {
    guard !redundant.isEmpty, let writing else { return }
    redundant.sort { $0.copy.path < $1.copy.path }
    writing.beginWriting()
    var mover = try QuarantineMover(folder, begun: clock.begin)
    try mover.publishManifest(redundant.map(\.copy), command: context.command)
    report.quarantine = mover.run.path.description
    // What a copy was merged into may have been a copy itself.
    let moved = adopted.union(redundant.map(\.copy.path))
    for (file, base, state) in redundant {
      // A sync service may have put an older version of the base in place meanwhile.
      let now = try MigrationError.wrapping { () throws(FileError) in
        try folder.stateIfPresent(of: base)
      }
      let isHeld =
        moved.contains(base) || state.map { now?.isUnchanged(since: $0) ?? false } ?? false
      if isHeld, try mover.move(file.path, ifUnchangedSince: file.state) { continue }
      let changed = isHeld ? file.path : base
      report.findings.append(
        Finding(
          .changedWhileRead, .warning, path: changed.description,
          message: "changed while this command ran; \(file.path) stays",
          next: "run the command again"))
      report.keep(copyAt: file.path.description)
    }
    try mover.finish()
  }

  // MARK: Documents without copies

  /// The documents that are neither bases nor copies.
  private func documents(of inventory: FolderInventory, besides items: [MergeItem]) -> [Int] {
    var taken: Set<Int> = []
    for item in items {
      if let base = item.baseFile { taken.insert(base) }
      taken.formUnion(item.copies.map(\.file))
    }
    return inventory.documents.map(Int.init).filter { !taken.contains($0) }
  }

  /// Looks for documents in which objects hide each other or records list images twice, and mends
  /// them if the caller wants that.
  private mutating func mend(
    _ documents: [Int], _ inventory: FolderInventory, in folder: Directory, writing: WritingRun?
  ) throws(MigrationError) {
    let unifies = options.unifies
    let looks = try Workers.map(
      documents.count, phase: .indexing, context: context,
      makeState: { DocumentLoader(folder, inventory) }
    ) { item, loader throws(MigrationError) in
      try Self.look(at: documents[item], of: inventory, with: &loader, unifies: unifies)
    }
    for (document, look) in zip(documents, looks) {
      report.findings += look.findings
      guard look.needsEdits, unifies else { continue }
      if context.isInterrupted() { return }
      let decider = MergeDecider(folder, inventory, options)
      let decision = try decider.mending(document)
      if let decision { try perform(decision, in: folder, writing: writing) }
    }
  }

  private static func look(
    at document: Int, of inventory: FolderInventory, with loader: inout DocumentLoader,
    unifies: Bool
  ) throws(MigrationError) -> (findings: [Finding], needsEdits: Bool) {
    let state: DocumentState
    do throws(DocumentDefect) {
      state = try loader.load(document).document
    } catch {
      return ([error.finding], false)
    }
    let kind = inventory.entityKind(ofDocument: document) ?? .record
    let edits = try MergeEdits(state, kind: kind, unifies: unifies)
    let findings = edits.findings(at: inventory.path(of: document), isApplied: unifies)
    return (findings, !edits.isEmpty)
  }
}

extension MergeReport {
  /// Notes that a copy stays after all.
  fileprivate mutating func keep(copyAt path: String) {
    for base in bases.indices {
      for copy in bases[base].copies.indices where bases[base].copies[copy].path == path {
        bases[base].copies[copy].outcome = .waiting
      }
    }
  }
}

extension MergeReport.Copy {
  /// Notes that nothing came of what was decided.
  fileprivate mutating func leave() {
    switch outcome {
    case .merged, .redundant, .adopted: outcome = .waiting
    default: break
    }
  }
}
