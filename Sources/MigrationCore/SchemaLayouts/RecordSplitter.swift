import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// Gives each record of the documents of months a document of its own, made of what readers see of it: its
/// history stays behind. Each is compared with what it is made of.
struct RecordSplitter {
  private let folder: Directory
  private let path: String
  private let inventory: FolderInventory
  private let context: RunContext

  /// - Parameter path: the path of the folder.
  init(_ folder: Directory, at path: String, _ inventory: FolderInventory, context: RunContext) {
    (self.folder, self.path, self.inventory) = (folder, path, inventory)
    self.context = context
  }

  /// Builds the documents of all records.
  func split() throws(MigrationError) -> LayoutChange {
    var change = LayoutChange()
    let built = try build(&change)
    if change.findings.holdErrors { return change }
    let months = inventory.documents(in: .monthly)
    let (folder, inventory) = (folder, inventory)
    let proofs = try Workers.map(
      months.count, phase: .verifying, context: context,
      makeState: { RecordProof(folder, inventory, built) }
    ) { item, proof throws(MigrationError) in
      try proof.prove(months[item])
    }
    for proof in proofs { change.add(proof) }
    change.documents = built.values.sorted { $0.path < $1.path }
    // Of a record that two months show both were compared with its document.
    var known: Set<RelativePath> = []
    change.entries = change.entries.filter { known.insert($0.path).inserted }
      .sorted { $0.path < $1.path }
    change.entityCount = change.entries.count
    if change.entityCount != change.documents.count, !change.findings.holdErrors {
      throw .brokenInvariant("not every record has a document")
    }
    return change
  }

  /// The documents by the records in them, as an import of the values makes them.
  private func build(
    _ change: inout LayoutChange
  ) throws(MigrationError) -> [Identity: BuiltDocument] {
    let exported = try ExportedStream(of: path, numericDates: nil, context: context)
    let spool = try StreamSpool(
      exported.bytes, name: path, rules: EntityRules(), context: context)
    let input = GroupImporter.Input(
      source: .stream(spool), target: nil,
      targetInventory: FolderInventory(kinds: context.kinds), index: FolderIndex(),
      isInPlace: false, layout: .perRecord, history: .convergent, comparesKnown: false,
      keepsBytes: true)
    let groups = input.source.groups.filter { $0.month != nil }
    let outcomes = try Workers.map(
      groups.count, phase: .converting, context: context, makeState: { GroupImporter(input) }
    ) { item, importer throws(MigrationError) in
      try importer.importGroup(groups[item])
    }
    change.findings += (exported.findings + spool.findings + outcomes.flatMap(\.findings))
      .filter { $0.severity != .info }
    var documents: [Identity: BuiltDocument] = [:]
    for outcome in outcomes {
      // One document a record, in the order in which they were read.
      for (candidate, document) in zip(outcome.candidates, outcome.documents) {
        documents[candidate.identity] = document
      }
    }
    return documents
  }
}

/// Compares the documents of records with those of their months. One worker has one.
private struct RecordProof {
  private let built: [Identity: BuiltDocument]
  private let inventory: FolderInventory
  private var loader: DocumentLoader
  private var before: StepEntities
  private var after: StepEntities

  init(_ folder: Directory, _ inventory: FolderInventory, _ built: [Identity: BuiltDocument]) {
    (self.inventory, self.built) = (inventory, built)
    loader = DocumentLoader(folder, inventory)
    before = StepEntities(inventory.kinds)
    after = StepEntities(inventory.kinds)
  }

  /// Looks whether each record of a month is in its document as it is in that of the month.
  mutating func prove(_ month: Int) throws(MigrationError) -> LayoutChange {
    var change = LayoutChange()
    let path = inventory.path(of: month)
    let kinds = inventory.kinds
    let kind = kinds.kind(ofDocumentLike: inventory.kind(of: month))
    let (document, version) = try loader.loadAgain(month, of: inventory)
    let root = DocumentRoot(document, of: kind, kinds)
    var goneCount = 0
    for entity in root.entities {
      guard let map = entity.map else {
        goneCount += 1
        continue
      }
      _ = try before.read(map, kind, entity.identity, in: document)
      guard let own = built[entity.identity],
        let entry = try entry(of: own, as: kind, entity.identity)
      else {
        change.findings.append(
          Finding(
            .notConverted, .error, path: path.description,
            message: "\(kinds.title(kind, entity.identity)) cannot be made of its values",
            next: "leave the months as they are"))
        continue
      }
      change.entries.append(entry)
    }
    if !root.others.isEmpty || document.queuedCount > 0 {
      change.findings.append(
        Finding(
          .notConverted, .error, path: path.description,
          message: "holds more than records, which would stay behind",
          next: "look at it with inspect-crdt, and leave the months as they are"))
    }
    if goneCount > 0 {
      change.findings.append(
        Finding(
          .deleted, .warning, path: path.description,
          message:
            "\(goneCount.counted("record was", "records were")) deleted in it, which no other "
            + "document says: an import of old files would bring \(goneCount == 1 ? "it" : "them") back"
        ))
    }
    change.leaving = [.init(path: path, hash: version.hash)]
    return change
  }

  /// What the journal has of a document of a record; nil if it does not show what its month does.
  private mutating func entry(
    of own: BuiltDocument, as kind: EntityKind, _ identity: Identity
  ) throws(MigrationError) -> StepJournal.Entry? {
    let document: DocumentState
    do throws(FormatError) {
      document = try DocumentState(loading: own.bytes ?? [])
    } catch {
      throw .brokenInvariant("\(own.path): \(error.problem)")
    }
    let root = DocumentRoot(document, of: kind, inventory.kinds)
    guard root.entities.count == 1, root.entities[0].identity == identity,
      let map = root.entities[0].map
    else { return nil }
    _ = try after.read(map, kind, identity, in: document)
    guard before.names == after.names,
      before.names.allSatisfy({ before.member($0) == after.member($0) })
    else { return nil }
    return StepJournal.Entry(
      path: own.path, chunks: document.chunks(since: [], isCompressed: true))
  }
}
