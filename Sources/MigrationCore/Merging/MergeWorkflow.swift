import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
package import Runs
import SafeFiles

/// Merges the copies that sync services leave of a conflict, where their content proves that they
/// belong together.
///
/// A copy leaves its place only after the file that took in what it held is on disk under its name,
/// was read back and judged. So a run that dies anywhere leaves every value where readers find it,
/// and the next run goes on: it finds the copy redundant.
package struct MergeWorkflow: PlannedWorkflow {
  private let options: MergeOptions
  private let context: RunContext
  private let clock = RunClock()
  private var report: MergeReport
  /// What cannot be looked at: copies may lie there, or what others are copies of.
  private var unlisted: [Finding] = []
  /// What is told about what stays as it is.
  private var left: [Finding] = []
  /// Whether an error ended the run before everything was looked at.
  private var isStopped = false
  /// The copies that are not needed any more, and the files that took them in.
  private var redundant: [(copy: QuarantinedFile, base: RelativePath)] = []
  /// What the files that took something in are since then.
  private var states: [RelativePath: FileState] = [:]
  /// Where files were that have the name of a base now.
  private var adopted: Set<RelativePath> = []

  /// Creates a workflow; nothing is read yet.
  package init(_ options: MergeOptions, context: RunContext) {
    self.options = options
    self.context = context
    report = MergeReport(isDryRun: false)
  }

  /// Returns what would be merged and what would stay; writes nothing and needs no lock.
  package func plan() throws(MigrationError) -> MergeReport {
    var run = self
    run.report.isDryRun = true
    return try run.run()
  }

  /// Merges under the app's lock: a copy moves to quarantine once what it held is proven to be on
  /// disk. A second run changes nothing.
  package func perform() throws(MigrationError) -> MergeReport {
    var run = self
    return try run.run()
  }

  private mutating func run() throws(MigrationError) -> MergeReport {
    let folder = try FolderAccess.open(options.folder, context: context)
    let isIdle = report.isDryRun ? true : try !mayWrite(in: folder)
    if isIdle {
      try merge(folder, writing: nil)
      return finished()
    }
    return try WritingRun.perform(in: folder, clock: clock, context: context) {
      writing throws(MigrationError) in
      try merge(folder, writing: writing)
      return finished()
    }
  }

  /// Whether there may be anything to merge, or to tidy up after a run that died.
  ///
  /// A folder in which nothing can be merged gets no lock file, and nobody is waited for; where that
  /// is not the question it is listed under the lock only.
  private mutating func mayWrite(in folder: Directory) throws(MigrationError) -> Bool {
    if try Self.isMarked(folder) { return true }
    if FolderAccess.isLockableAtOnce(folder, context: context) {
      try FolderAccess.requireKnownApp(
        folder, at: options.folder, context: context, noting: &unlisted)
      return true
    }
    let inventory = try inventory(of: folder)
    return options.unifies && !inventory.documents.isEmpty || !inventory.copies.isEmpty
      || inventory.holdsOwnTemporaries
  }

  /// Whether a run is at work in the folder, or died there.
  static func isMarked(_ folder: Directory) throws(MigrationError) -> Bool {
    let mark = RelativePath(FolderNames.state).appending(FolderNames.currentRun)
    return try MigrationError.wrapping { () throws(FileError) in
      try folder.stateIfPresent(of: mark) != nil
    }
  }

  private mutating func inventory(
    of folder: Directory, for writing: WritingRun? = nil
  ) throws(MigrationError) -> FolderInventory {
    var found: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: folder, for: writing, context: context, noting: &found)
    try inventory.requireKnownApp(in: folder, at: options.folder, unlisted: found)
    unlisted = (unlisted + found + inventory.unseen()).withoutRepetitions()
    return inventory
  }

  private mutating func finished() -> MergeReport {
    // Of what stands in the place of a copy was said more.
    let told = Set((report.findings + left).lazy.filter { $0.code == .placeholder }.map(\.path))
    unlisted.removeAll { $0.code == .placeholder && told.contains($0.path) }
    report.findings = (report.findings + unlisted + left).inReportOrder()
    report.arrangeBases()
    report.seconds = clock.seconds
    return report
  }

  private mutating func merge(
    _ folder: Directory, writing: WritingRun?
  ) throws(MigrationError) {
    var inventory = try inventory(of: folder, for: writing)
    let months = try SetAsideMonths(of: folder, context: context)
    unlisted += months.findings.filter { $0.severity == .error }
    var copies: [ConflictCopy] = []
    var isSettled = false
    while !isSettled {
      let (adoptedBefore, redundantBefore) = (adopted.count, redundant.count)
      copies = inventory.conflictCopies(besides: gone(from: inventory))
      let items = MergeItem.items(of: copies, limit: options.copiesPerBase)
      // What stays is decided anew.
      left = []
      report.forgetWhatStays()
      var decider = MergeDecider(folder, inventory, options)
      decider.setAside = months
      try merge(items, with: &decider, in: folder, writing: writing)
      // A file that got the name of a base may be a copy of another, and what was a copy of one that
      // goes may be a copy of what that was merged into.
      let bases = Set(items.lazy.filter { $0.baseFile != nil }.map(\.base))
      isSettled =
        adopted.count == adoptedBefore
        && !redundant[redundantBefore...].contains { bases.contains($0.copy.path) }
        || isStopped || context.isInterrupted()
      if !isSettled { inventory = try self.inventory(of: folder) }
    }
    if options.unifies { try joinLayouts(inventory, months, in: folder, writing: writing) }
    if !isStopped, !context.isInterrupted() {
      left += inventory.misnamedDocuments()
      let documents = documents(of: inventory, besides: copies)
      try mend(documents, inventory, in: folder, writing: writing)
    }
    // Also after an interruption: what was merged is finished.
    try quarantine(in: folder, writing: writing)
    if context.isInterrupted() { throw .interrupted }
  }

  /// The numbers of the files that will go to quarantine.
  private func gone(from inventory: FolderInventory) -> Set<Int> {
    if redundant.isEmpty { return [] }
    return Set(redundant.compactMap { inventory.file(at: $0.copy.path) })
  }

  private mutating func merge(
    _ items: [MergeItem], with decider: inout MergeDecider, in folder: Directory,
    writing: WritingRun?
  ) throws(MigrationError) {
    var rest = items[...]
    while !rest.isEmpty, !isStopped, !context.isInterrupted() {
      let together = MergeItem.independent(at: &rest)
      try merge(together, of: items.count, with: &decider, in: folder, writing: writing)
    }
  }

  /// Decides about several items at once that do not depend on each other, while what is decided about
  /// those before is written.
  private mutating func merge(
    _ items: ArraySlice<MergeItem>, of count: Int, with decider: inout MergeDecider,
    in folder: Directory, writing: WritingRun?
  ) throws(MigrationError) {
    // One alone may have to look for the names of images, which the next ones need, too.
    guard items.count > 1 else {
      for (index, item) in zip(items.indices, items) {
        try perform(index, of: count, in: folder, writing: writing) { () throws(MigrationError) in
          try Self.decide(item, with: &decider)
        }
      }
      return
    }
    let ahead = PiecesAhead<[MergeDecision], MigrationError>(makers: context.workerCount) {
      [decider] number throws(MigrationError) in
      guard number < items.count else { return nil }
      var decider = decider
      return try Self.decide(items[items.startIndex + number], with: &decider)
    }
    try ahead.whileMaking(threads: context.workerCount) { () throws(MigrationError) in
      for index in items.indices where !isStopped && !context.isInterrupted() {
        try perform(index, of: count, in: folder, writing: writing) { () throws(MigrationError) in
          try ahead.next() ?? []
        }
      }
    }
  }

  /// Writes what is decided about one of the items.
  private mutating func perform(
    _ index: Int, of count: Int, in folder: Directory, writing: WritingRun?,
    _ decide: () throws(MigrationError) -> [MergeDecision]
  ) throws(MigrationError) {
    context.reportProgress?(RunProgress(.merging, completed: index, total: count))
    for decision in try decide() { try perform(decision, in: folder, writing: writing) }
    stop(leaving: count - index - 1, of: count, "file with copies", "files with copies")
  }

  /// Ends the run if it is to end at an error and there is one.
  private mutating func stop(
    leaving rest: Int, of count: Int, _ item: String, _ items: String
  ) {
    guard context.endsBatch(after: left) else { return }
    isStopped = true
    left.append(
      .stopped(
        leaving:
          "\(rest.grouped) of \(count.counted(item, items)), and what comes after, were"))
  }

  /// Decides about an item, and about those of its copies that are other records than the base: a
  /// sync service that finds `NAME 2` taken calls a copy of it `NAME 3`.
  private static func decide(
    _ item: MergeItem, with decider: inout MergeDecider
  ) throws(MigrationError) -> [MergeDecision] {
    var decision = try decider.decide(item)
    let others = Set(decision.report.copies.filter { $0.outcome == .twoRecords }.map(\.path))
    var copies = (item.copies + item.further).filter { others.contains(decider.path(of: $0)) }
    guard item.baseClass == .entityDocument, copies.count > 1 else { return [decision] }
    copies.sort { left, right in
      let (one, other) = (decider.path(of: left), decider.path(of: right))
      return one.utf8.count != other.utf8.count
        ? one.utf8.count < other.utf8.count : one.utf8.lexicographicallyPrecedes(other.utf8)
    }
    let first = copies.removeFirst()
    let further = MergeItem(
      base: decider.inventory.path(of: first.file), baseClass: item.baseClass,
      kind: item.kind, baseFile: first.file, copies: copies)
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

  /// Brings documents of one record into the document of their month where both hold the record.
  private mutating func joinLayouts(
    _ inventory: FolderInventory, _ months: SetAsideMonths, in folder: Directory,
    writing: WritingRun?
  ) throws(MigrationError) {
    let gone = gone(from: inventory)
    let records = inventory.recordsBesideMonths().filter { !gone.contains($0.file) }
    var decider = MergeDecider(folder, inventory, options)
    decider.setAside = months
    for item in MergeItem.items(of: records, limit: .max) {
      if isStopped || context.isInterrupted() { return }
      var decision = try decider.decide(item)
      // Records that only have the month in common with its document are no copies of it.
      decision.forget { $0.outcome == .unrelated }
      guard !decision.report.copies.isEmpty else { continue }
      try perform(decision, in: folder, writing: writing)
    }
  }

  // MARK: Writing

  /// Writes what was decided and takes it into the report.
  private mutating func perform(
    _ decision: MergeDecision, in folder: Directory, writing: WritingRun?
  ) throws(MigrationError) {
    left += decision.findings
    for copy in decision.report.copies { explain(copy, of: decision.report.path) }
    guard let writing else {
      left += decision.findingsIfLeft
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
        states[decision.base] = try MergePublisher.state(of: decision.base, in: folder)
      } else if !decision.redundant.isEmpty {
        // What holds them is what was read, whatever lies there by now.
        states[decision.base] = decision.baseState
      }
      redundant += decision.redundant.map { ($0, decision.base) }
      report.findings += decision.findingsIfDone
    } catch {
      switch error {
      case .stopped(let error): throw error
      case .left(let finding):
        // Everything of this item is as it was, or adopted; the others have their turn.
        left += decision.findingsIfLeft
        left.append(finding)
        base.leave(besidesAdopted: isAdopted)
      }
    }
    report.bases.append(base)
  }

  /// Says what is decided about a copy, and why; of what stays a finding says it.
  private func explain(_ copy: MergeReport.Copy, of base: String) {
    let decision: String
    switch copy.outcome {
    case .merged: decision = "and what only it holds is brought into that"
    case .redundant: decision = "and that holds all of it"
    case .adopted: decision = "which is not there, so it gets that name"
    case .kept, .twoRecords, .unrelated, .damaged, .waiting: return
    }
    context.explain(
      copy.path, message: "is a copy of \(base) by its name (\(copy.service)), \(decision)")
  }

  /// Moves to quarantine what is not needed any more.
  private mutating func quarantine(
    in folder: Directory, writing: WritingRun?
  ) throws(MigrationError) {
    guard !redundant.isEmpty, let writing else { return }
    redundant.sort { $0.copy.path < $1.copy.path }
    writing.beginWriting()
    var mover = try QuarantineMover(folder, begun: clock.begin)
    try mover.publishManifest(redundant.map(\.copy), of: .copies, command: context.command)
    report.quarantine = mover.run.path.description
    // What a copy was merged into may have been a copy itself, and be what was read of it then.
    let copies = Dictionary(redundant.map { ($0.copy.path, $0.copy.version.state) }) { first, _ in
      first
    }
    // A sync service may put an older version of a base in place at any moment.
    func isHeld(in base: RelativePath) throws(MigrationError) -> Bool {
      if adopted.contains(base) { return true }
      guard let expected = states[base] else { return false }
      if let read = copies[base] { return read.isUnchanged(since: expected) }
      return try MigrationError.wrapping { () throws(FileError) in
        try folder.stateIfPresent(of: base)?.isUnchanged(since: expected) ?? false
      }
    }
    for (file, base) in redundant {
      var changed = base
      if try isHeld(in: base) {
        changed = file.path
        var outcome = try mover.move(file)
        if outcome == .moved {
          if try isHeld(in: base) { continue }
          changed = base
          if try !mover.moveBack(file.path) { outcome = .displaced }
        }
        if outcome == .displaced {
          left.append(mover.run.displaced(file.path))
          continue
        }
      }
      left.append(
        Finding(
          .changedWhileRead, .warning, path: changed.description,
          message: "changed while this command ran; \(file.path) stays",
          next: "run the command again"))
      report.keep(copyAt: file.path.description)
    }
    try mover.finish()
  }

  // MARK: Documents without copies

  /// The documents that are neither bases nor copies, those that this run did not look at included.
  private func documents(
    of inventory: FolderInventory, besides copies: [ConflictCopy]
  ) -> [Int] {
    var taken = gone(from: inventory)
    for item in MergeItem.items(of: copies, limit: .max) {
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
      documents.count, phase: .indexing, context: context, findings: \.findings,
      makeState: { DocumentLoader(folder, inventory) }
    ) { item, loader throws(MigrationError) in
      try Self.look(at: documents[item], of: inventory, with: &loader, unifies: unifies)
    }
    let decider = MergeDecider(folder, inventory, options)
    for (index, look) in looks.enumerated() {
      if context.isInterrupted() { return }
      left += look.findings
      if look == .toMend {
        try perform(decider.mending(documents[index]), in: folder, writing: writing)
      }
      stop(leaving: documents.count - index - 1, of: documents.count, "document", "documents")
      if isStopped { return }
    }
  }

  /// What a look at a document without copies says.
  private enum Look: Hashable, Sendable {
    case told([Finding])
    /// Something is to be mended, or to be listed in the report.
    case toMend

    var findings: [Finding] {
      if case .told(let findings) = self { findings } else { [] }
    }
  }

  private static func look(
    at document: Int, of inventory: FolderInventory, with loader: inout DocumentLoader,
    unifies: Bool
  ) throws(MigrationError) -> Look {
    let state: DocumentState
    do throws(DocumentDefect) {
      state = try loader.load(document).document
    } catch {
      return .told([error.finding])
    }
    let kind = inventory.kinds.kind(ofDocumentLike: inventory.kind(of: document))
    let edits = try MergeEdits(state, kind: kind, of: inventory.kinds, unifies: unifies)
    if unifies, !edits.isEmpty || !edits.losing.differences.isEmpty { return .toMend }
    let path = inventory.path(of: document)
    return .told(
      edits.findings(at: path, isApplied: false, in: inventory)
        + edits.findingsAboutThoseApart(at: path))
  }
}
