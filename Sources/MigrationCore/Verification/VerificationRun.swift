import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// One verification from beginning to end.
///
/// Months are verified one by one, each document loaded once and each legacy file read once. What
/// one month alone cannot decide (an entity whose document belongs to another month) waits until
/// every identity of the documents is known.
struct VerificationRun {
  /// What a verification leaves for its caller.
  struct Result {
    var report: VerificationReport
    /// Legacy files of which everything is proven, ascending.
    var provenFiles = ProvenFiles()
    /// Legacy files of the folder with entities that no document of their month shows, or of which
    /// dates say the month, and the identities of those entities.
    var deferredFiles: [(file: Int, identities: [Identity])] = []
    /// Files beside the data that entities of private kinds name which nobody asked for.
    var leftOutImages: Set<UInt32> = []
    /// Every identity in the documents, and which one holds it.
    var documentEntities: [GroupOutcome.DocumentEntity] = []
    /// Legacy files of the folder that hold no entity, but what stays when entities are out of a file.
    var rests: Set<Int> = []
    /// What each document takes and how much is in it, if that is asked for, in the order of the files.
    var figures: [DocumentFigures] = []
    /// Whether the document of a month holds a change that no import made, if that is asked for.
    var holdsEditedMonth = false
    /// The legacy files of the folder that hold entities of private kinds which nobody asked for.
    var leftOutFiles: Set<Int> = []
    /// What was verified with what.
    var input: VerificationInput
    /// Whether everything was looked at.
    var isComplete = true
  }

  private let context: RunContext
  private var input: VerificationInput
  private let references: VerificationReferences
  /// What of the folder could not be listed.
  private let unlisted: [Finding]
  private var outcomes: [GroupOutcome] = []
  /// What the quarantine has lost.
  private var missing = MissingQuarantine()
  /// Whose JSON was purged, and whether the backup that holds it is there.
  private var purged: (files: PurgedFiles, isThere: Bool)?
  private var report: VerificationReport
  /// What documents take that belong to no group, if that is asked for.
  private var otherFigures: [DocumentFigures] = []

  init(
    _ folder: Directory, _ inventory: FolderInventory, unlisted: [Finding],
    against references: VerificationReferences, withholding withheld: Set<EntityKind> = [],
    listsProvenFiles: Bool = false, looksForEditedMonths: Bool = false,
    takesFigures: Bool = false, context: RunContext
  ) {
    self.context = context
    self.references = references
    self.unlisted = unlisted
    input = VerificationInput(
      folder: folder, inventory: inventory, references: references.folders,
      listsProvenFiles: listsProvenFiles, looksForEditedMonths: looksForEditedMonths)
    input.takesFigures = takesFigures
    input.images = references.images
    input.plainRows = references.plainRows
    if references.witness != nil { input.stores = references.name }
    input.withheld = withheld
    input.untouched = withheld.subtracting(inventory.kindsOfDocuments)
    report = VerificationReport(
      reference: references.name, kindNames: inventory.kinds.names)
  }

  /// Verifies everything.
  mutating func run() throws(MigrationError) -> Result {
    try groupEntities()
    input.copies = input.inventory.besidesBases()
    input.setAside = try SetAsideMonths(of: input.folder, context: context)
    let groups = input.groups
    let input = self.input
    outcomes = try Workers.map(
      groups.count, phase: .verifying, context: context, findings: \.findings,
      makeState: { GroupVerifier(input) }
    ) { item, verifier throws(MigrationError) in
      try verifier.verifyGroup(groups[item])
    }
    if outcomes.contains(where: { context.endsBatch(after: $0.findings) }) {
      let rest = groups.count - outcomes.count
      return stopped(leaving: rest.counted(of: groups.count, "group"))
    }
    let deferred = outcomes.flatMap { outcome in outcome.deferred.map { (outcome.group, $0) } }
    let entries = references.entries(besides: settledRows())
    if !deferred.isEmpty || entries != nil {
      var late = LateVerifier(input, outcomes)
      try late.verify(deferred, context: context)
      if let entries, !late.isStopped {
        try late.verify(entries.entries, witness: references.witness, context: context)
        report.findings += entries.findings()
      }
      outcomes = late.outcomes
      for index in late.changed { outcomes[index].count() }
      if late.isStopped { return stopped() }
    }
    verifyOthers()
    try lookForMissingFiles()
    summarize()
    var result = Result(
      report: report, provenFiles: ProvenFiles(takenFrom: &outcomes), input: input)
    result.leftOutFiles = outcomes.reduce(into: []) { $0.formUnion($1.leftOutFiles) }
    result.holdsEditedMonth = outcomes.contains(where: \.isEditedMonth)
    result.rests = rests
    result.figures = (outcomes.flatMap(\.figures) + otherFigures).sorted { $0.file < $1.file }
    guard input.listsProvenFiles else { return result }
    for (_, item) in deferred where item.reference == 0 {
      result.deferredFiles.append((item.file, item.identities))
    }
    result.deferredFiles += outcomes.flatMap(\.datedFiles)
    result.leftOutImages = outcomes.reduce(into: []) { $0.formUnion($1.leftOutImages) }
    result.documentEntities = outcomes.flatMap(\.documents)
    return result
  }

  /// Returns the rows that need no line. Documents of several groups that hold an identity are looked at
  /// together, so what one of them says alone is taken back.
  private mutating func settledRows() -> SettledRows {
    guard let plain = input.plainRows else { return SettledRows() }
    for kind in Set(outcomes.lazy.filter { !$0.settled.isEmpty }.map(\.group.kind)) {
      let ofKind = outcomes.indices.filter { outcomes[$0].group.kind == kind }
      let held = ofKind.flatMap { outcomes[$0].documents.map(\.identity) }
      let repeated = ofKind.count > 1 ? held.repeated() : []
      if repeated.isEmpty { continue }
      for index in ofKind {
        outcomes[index].withdraw(repeated, of: plain)
        outcomes[index].count()
      }
    }
    return plain.settled(outcomes.lazy.flatMap(\.settled))
  }

  /// Puts together what is verified together. An entity that several references have is in one group,
  /// whatever date each of them says, for the first of them counts.
  private mutating func groupEntities() throws(MigrationError) {
    var months = IdentityMonths()
    for index in input.references.indices {
      let reference = input.references[index]
      input.references[index].undatedFiles = try input.references[index].inventory.groupByDates(
        in: reference.directory, reference.rules, &months, context)
    }
    // Of stores no document waits for files of its month, so each is looked at alone.
    input.inventory.groupDocumentsByDates(ofParts: input.plainRows != nil)
    (input.documents, input.others) = GroupDocuments.files(of: input.inventory)
  }

  /// What is left of a run that ended at its first error: what one group alone says.
  private mutating func stopped(leaving rest: String = "the rest was") -> Result {
    collect()
    // Of a group whose files wait for other groups nobody knows how many are proven.
    report.counts = []
    report.findings.append(.stopped(leaving: rest))
    report.findings = report.findings.inReportOrder()
    return Result(report: report, input: input, isComplete: false)
  }

  /// Loads the documents that belong to no group, to say whether they are sound.
  private mutating func verifyOthers() {
    var loader = DocumentLoader(input.folder, input.inventory)
    for file in input.others {
      do throws(DocumentDefect) {
        let (document, state) = try loader.load(file)
        report.changesVerified += document.changeCount
        report.documentsVerified += 1
        if input.takesFigures {
          otherFigures.append(
            DocumentFigures(document, file: file, byteCount: Int(clamping: state.size)))
        }
      } catch {
        report.findings.append(error.finding)
      }
    }
  }

  /// Looks for files that manifests of the quarantine list, if that is what the documents are compared
  /// with.
  private mutating func lookForMissingFiles() throws(MigrationError) {
    guard references.isInPlace else { return }
    try lookForPurge()
    missing = try MissingQuarantine(
      of: input.folder, input.inventory, rests: rests, holding: references.quarantine,
      context: context)
    if missing.files.isEmpty { return }
    var known: Set<Identity> = []
    for outcome in outcomes {
      known.formUnion(outcome.reference)
      known.formUnion(outcome.documents.lazy.map(\.identity))
    }
    let setAside = input.setAside
    missing.judge { known.contains($0) || setAside.holds($0) }
  }

  private var rests: Set<Int> { Set(outcomes.lazy.flatMap(\.rests)) }

  // MARK: Summary

  private mutating func summarize() {
    let usedImages = collect()
    for kind in input.inventory.kinds.all {
      noteExtraEntities(kind)
      noteRepeatedEntities(kind)
    }
    report.findings += DanglingReferences(in: outcomes, of: input.inventory).findings
    noteOrphanImages(usedImages)
    if outcomes.allSatisfy(\.hasNothingToCompare) { report.findings.append(nothingToCompare) }
    report.findings = report.findings.inReportOrder()
  }

  /// Says that there is nothing to compare with. It is no error where the JSON was purged on purpose, and
  /// the backup that holds it is there.
  private var nothingToCompare: Finding {
    let nothing = "there is nothing to compare the documents with"
    guard let purged else {
      return Finding(
        .nothingToCompare, .error, message: nothing,
        next: "name a backup, a folder or a stream with --against")
    }
    guard purged.isThere, !input.documents.isEmpty else {
      return Finding(
        .nothingToCompare, .error,
        message: "\(nothing): the JSON was purged because \(purged.files.backup) held it, and that "
          + "is not there as it was",
        next: "name where it is now, or a folder or a stream, with --against")
    }
    let command = input.inventory.command(
      .verifyCounts, ["--against", purged.files.backup])
    return Finding(
      .nothingToCompare, .warning,
      message: "\(nothing) in the folder: the JSON was purged, and \(purged.files.backup) holds it",
      next: command?.shellText ?? "name it with --against", command: command)
  }

  /// Looks whether JSON was purged, and whether the backup is there that holds it.
  private mutating func lookForPurge() throws(MigrationError) {
    guard outcomes.allSatisfy(\.hasNothingToCompare) else { return }
    let files = try MigrationError.wrapping { () throws(FileError) in
      try PurgedFiles.last(of: input.folder)
    }
    guard let files else { return }
    // A place that cannot be looked at proves nothing.
    let place = try? FolderAccess.openParent(ofPath: files.backup, context: context)
    // As above.
    let state = place.flatMap { try? $0.directory.stateIfPresent(of: $0.name) }
    purged = (files, state?.kind == .regular && state?.size == files.byteCount)
  }

  /// Takes the outcomes of all groups into the report; returns the images that records name.
  @discardableResult
  private mutating func collect() -> Set<UInt32> {
    outcomes.sort { $0.group < $1.group }
    report.findings.append(contentsOf: unlisted)
    report.findings.append(contentsOf: input.inventory.findings())
    report.findings.append(contentsOf: references.findings)
    report.findings.append(contentsOf: input.setAside.findings)
    report.findings.append(contentsOf: missing.findings)
    notePurgedEntities()
    noteLeftOut()
    var usedImages = Set<UInt32>()
    for outcome in outcomes {
      report.findings.append(contentsOf: outcome.findings)
      report.documentsVerified += outcome.documentsVerified
      report.changesVerified += outcome.changesVerified
      report.fieldsCompared += outcome.fieldsCompared
      report.imagesFound += outcome.imagesFound
      report.missingImagePlaces += outcome.missingImagePlaces
      usedImages.formUnion(outcome.usedImages)
      note(outcome)
    }
    return usedImages
  }

  /// Adds a group to the counts. The months of dates are those of documents and of no files, so a kind
  /// has one row.
  private mutating func note(_ outcome: GroupOutcome) {
    let kinds = input.inventory.kinds
    let month = kinds.isDated(outcome.group.kind) ? nil : outcome.group.month
    var count = VerificationReport.Count(
      kind: kinds.name(of: outcome.group.kind), month: month.map(\.description) ?? "")
    guard outcome.referenceCount + outcome.visibleCount > 0 else { return }
    if let last = report.counts.last, last.kind == count.kind, last.month == count.month {
      count = report.counts.removeLast()
    }
    count.reference += outcome.referenceCount
    count.documents += outcome.visibleCount
    count.proven += outcome.provenCount
    count.equal += outcome.equalCount
    report.counts.append(count)
  }

  /// Notes entities of the reference that were purged: no file of the folder holds them.
  private mutating func notePurgedEntities() {
    let count = outcomes.reduce(into: Set()) { $0.formUnion($1.purged) }.count
    guard count > 0 else { return }
    let noun = input.inventory.kinds.words.entity
    report.findings.append(
      Finding(
        .setAside, .warning,
        message: noun.counted(count) + (count == 1 ? " is" : " are")
          + " not compared: the old months that hold them were set aside and purged, and are in no "
          + "file of the folder",
        next: "keep a backup that holds them"))
  }

  /// Notes entities of private kinds that nobody asked for.
  private mutating func noteLeftOut() {
    let kinds = input.inventory.kinds
    for kind in input.withheld.sorted() {
      let ofKind = outcomes.lazy.filter { $0.group.kind == kind }
      let count =
        ofKind.reduce(into: Set()) { $0.formUnion($1.leftOut) }.count
        + ofKind.reduce(0) { $0 + $1.leftOutUnread }
      guard count > 0 else { continue }
      report.leftOut[Int(kind.index)] = count
      let command = input.references.firstIndex(where: \.isFolder).flatMap {
        input.importing(kind, of: $0)
      }
      report.findings.append(
        kinds.leftOut(count, kind, "in no document, and not compared", command: command))
    }
  }

  /// Notes entities that only the documents have.
  private mutating func noteExtraEntities(_ kind: EntityKind) {
    let ofKind = outcomes.filter { $0.group.kind == kind }
    let suspects = ofKind.flatMap(\.unreferenced)
    // Another folder, a backup or a stream without any of a kind says that there is none.
    let compared = references.isInPlace ? ofKind : outcomes
    guard !references.kindsNotGiven.contains(kind) else { return noteNotGiven(kind, suspects) }
    guard !suspects.isEmpty, compared.contains(where: { !$0.reference.isEmpty }) else { return }
    // Another group of the reference may have them.
    var known = Set(ofKind.lazy.flatMap(\.reference))
    for entity in suspects where known.insert(entity.identity).inserted {
      report.findings.append(
        Finding(
          .extraEntity, references.isInPlace ? .info : .error,
          path: input.inventory.path(of: Int(entity.file)).description,
          message: "\(input.inventory.kinds.title(kind, entity.identity)) is not in "
            + (references.isInPlace ? "the \(references.name)" : references.name)
        ))
    }
  }

  /// Notes entities that the app keeps where nobody looked: what documents hold of them is not compared,
  /// and what they lack nobody knows.
  private mutating func noteNotGiven(
    _ kind: EntityKind, _ held: [GroupOutcome.DocumentEntity]
  ) {
    let (count, name) = (Set(held.map(\.identity)).count, input.inventory.kinds.name(of: kind))
    let message =
      count == 0
      ? "whether there are entities of the kind \(name) that no document holds is not known: the app "
        + "keeps them in its preferences"
      : "\(count.counted("entity", "entities")) of the kind \(name) \(count == 1 ? "is" : "are") not "
        + "compared: the app keeps them in its preferences"
    report.findings.append(
      Finding(
        .notLookedAt, .warning, message: message,
        next: "give these, too, with --preferences FILE"))
  }

  /// Notes entities that several documents show.
  private mutating func noteRepeatedEntities(_ kind: EntityKind) {
    let visible = outcomes.lazy.filter { $0.group.kind == kind }.flatMap(\.documents)
      .filter(\.isVisible)
    let repeated = Array(visible.map(\.identity)).repeated()
    if repeated.isEmpty { return }
    // Groups ascend, and in a group a document comes before its copies: the first is what is read.
    var first: [Identity: Int] = [:]
    for entity in visible where repeated.contains(entity.identity) {
      let file = Int(entity.file)
      guard let other = first[entity.identity] else {
        first[entity.identity] = file
        continue
      }
      report.findings.append(
        repetition(
          of: input.inventory.kinds.title(kind, entity.identity), in: file, besides: other,
          isEqual: entity.isShownBefore))
    }
  }

  /// Says that an entity is in a document besides the one that is read.
  private func repetition(
    of name: String, in file: Int, besides other: Int, isEqual: Bool
  ) -> Finding {
    let inventory = input.inventory
    let path = inventory.path(of: file).description
    let read = inventory.path(of: other).description
    let group = inventory.entityGroup(ofDocument: file)
    if let group, !inventory.kinds.isDated(group.kind),
      group != inventory.entityGroup(ofDocument: other)
    {
      return Finding(
        .movedMonth, .warning, path: path,
        message: "\(name) is in \(read), too, which is another month; exports take it from there",
        next: "look at both with inspect-crdt, and delete the record in one of them with the app")
    }
    let next = inventory.remedy(for: file, besides: other)
    let command = inventory.command(for: file, besides: other)
    if inventory.areCopies(file, other) {
      return Finding(
        .duplicateID, .warning, path: path, message: "\(name) is also in \(read)", next: next,
        command: command)
    }
    if isEqual {
      return Finding(
        .duplicate, .info, path: path,
        message: "\(name) is in \(read), too, by the same changes: nothing differs")
    }
    return Finding(
      .duplicate, .warning, path: path,
      message: "\(name) is in \(read), too, and neither is a copy of the other; exports take it "
        + "from there, an app from the layout it knows", next: next, command: command)
  }

  private mutating func noteOrphanImages(_ used: Set<UInt32>) {
    let words = input.inventory.kinds.words
    for file in input.inventory.indices
    where input.inventory.fileClass(of: file) == .image && !used.contains(UInt32(file)) {
      report.findings.append(
        Finding(
          .orphanImage, .info, path: input.inventory.path(of: file).description,
          message: "no \(words.entity.one) names this \(words.file.one)"))
    }
  }
}
