import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// Brings the documents of single records into the documents of their months, with all changes of each:
/// devices that do so apart make one document. One worker has one.
struct MonthJoiner {
  private let folder: Directory
  private let inventory: FolderInventory
  private var loader: DocumentLoader

  init(_ folder: Directory, _ inventory: FolderInventory) {
    (self.folder, self.inventory) = (folder, inventory)
    loader = DocumentLoader(folder, inventory)
  }

  /// The months with documents of single records, each with these and with its own document.
  static func months(
    of inventory: FolderInventory
  ) -> [(month: Month, document: Int?, records: [Int])] {
    var documents: [Month: Int] = [:]
    for file in inventory.documents(in: .monthly) {
      if let month = inventory.month(of: file) { documents[month] = file }
    }
    var records: [Month: [Int]] = [:]
    for file in inventory.documents(in: .perRecord) {
      if let month = inventory.month(of: file) { records[month, default: []].append(file) }
    }
    return records.sorted { $0.key < $1.key }.map { ($0.key, documents[$0.key], $0.value) }
  }

  /// What was brought together of a month.
  private struct Joined {
    var document = DocumentState()
    var identities: Set<Identity> = []
    var acceptance = MergeAcceptance()

    /// Adds what an import adds to the changes of many entities: one that all later ones can build upon.
    mutating func joinHeads(at path: RelativePath) throws(MigrationError) {
      guard document.heads.count > 1 else { return }
      var draft = ChangeDraft()
      JoinChange.build(of: document.heads, maxCounter: document.maxCounter, in: &draft)
      var batch = ChangeBatch()
      batch.append(draft)
      let apart = document
      try document.accepting(at: path) { document throws(FormatError) in
        _ = try document.apply(batch)
      }
      for head in document.heads { acceptance.add(head, to: apart) }
    }
  }

  /// Brings the records of a month together.
  mutating func join(
    _ month: Month, _ document: Int?, _ records: [Int]
  ) throws(MigrationError) -> LayoutChange {
    var change = LayoutChange()
    var joined = Joined()
    var patch = DocumentPatch(
      path: DocumentLayout.documentPath(of: month), file: nil, version: nil)
    if let document {
      let (base, version) = try loader.loadAgain(document, of: inventory)
      joined.document = base
      joined.identities = identities(of: base, in: document)
      joined.acceptance.add(base)
      patch = DocumentPatch(path: inventory.path(of: document), file: document, version: version)
    }
    let heads = joined.document.heads
    for record in records {
      let (state, version) = try loader.loadAgain(record, of: inventory)
      if let finding = absorb(state, of: record, into: &joined, &change) {
        change.findings.append(finding)
      } else {
        change.leaving.append(.init(path: inventory.path(of: record), hash: version.hash))
      }
    }
    guard !change.findings.holdErrors else { return change }
    try joined.joinHeads(at: patch.path)
    let chunks = joined.document.chunks(since: heads, isCompressed: true)
    guard !chunks.isEmpty else { return change }
    patch.add(chunks, of: 0)
    let built = try BuiltDocument(joined.document, patch)
    if let defect = built.bytes.flatMap({ joined.acceptance.defect(of: $0) }) {
      throw .brokenInvariant("\(patch.path): \(defect)")
    }
    change.documents = [built]
    change.entries = [StepJournal.Entry(path: patch.path, chunks: chunks)]
    return change
  }

  /// Takes a record in; returns why that cannot be done.
  private func absorb(
    _ state: DocumentState, of record: Int, into joined: inout Joined, _ change: inout LayoutChange
  ) -> Finding? {
    let path = inventory.path(of: record).description
    if state.queuedCount > 0 {
      return Finding(
        .incompleteDocument, .error, path: path,
        message: "holds changes that wait for others, and what they will be nobody knows",
        next: "let the device that has the others sync, then run again")
    }
    if DocumentRoot(state, of: inventory.kind(of: record), inventory.kinds).isRecord {
      return Finding(
        .notConverted, .error, path: path,
        message: "is itself a record, and a month holds records under their identities",
        next: "bring its values over with import-crdt --flatten into a new folder")
    }
    let others = identities(of: state, in: record)
    let isRelated = joined.document.changeCount > 0 && state.sharesChange(with: joined.document)
    if !isRelated, !others.isDisjoint(with: joined.identities) {
      return Finding(
        .unrelatedCopy, .error, path: path,
        message: "was made separately from what else holds its record",
        next: "run \(inventory.merging(["--unify"])) to bring both together, then run again",
        command: inventory.command(.mergeConflicts, ["--unify"]))
    }
    let input = joined.acceptance.input(state, besides: joined.document)
    do {
      try joined.document.absorb(state)
    } catch {
      return Finding(
        .damagedDocument, .error, path: path,
        message: "contradicts what else is of its month: \(error.problem)",
        next:
          "look at it with inspect-crdt, then move it out of the folder, or its month's document")
    }
    joined.acceptance.add(input)
    joined.identities.formUnion(others)
    change.entityCount += others.count
    return nil
  }

  private func identities(of document: DocumentState, in file: Int) -> Set<Identity> {
    Set(
      DocumentRoot(document, of: inventory.kind(of: file), inventory.kinds).entities.map(\.identity)
    )
  }
}
