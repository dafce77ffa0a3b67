import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

// The documents of a group, once all of its entities were looked at.
extension GroupImporter {
  /// Builds the document of each month that dates have chosen.
  mutating func finishMonths() throws(MigrationError) {
    let known = input.targetInventory.documents.map(Int.init)
      .filter { input.targetInventory.entityGroup(ofDocument: $0) == group }
      .filter { input.targetInventory.nominalClass(of: $0) != .otherDocument }
    for file in known where contentOfMonth[input.targetInventory.month(of: file)] == nil {
      noteUnchanged(file)
    }
    let months = contentOfMonth.keys.sorted {
      EntityGroup(group.kind, month: $0) < EntityGroup(group.kind, month: $1)
    }
    for month in months {
      current = contentOfMonth[month] ?? 0
      try finish(at: kinds.documentPath(of: group.kind, month: month))
    }
  }

  /// Notes the documents of a group that nobody asked for: they stay as they are.
  mutating func noteDocumentsLeftAlone() {
    let inventory = input.targetInventory
    for file in inventory.documents.map(Int.init)
    where inventory.entityGroup(ofDocument: file) == group
      && inventory.nominalClass(of: file) != .otherDocument
    {
      noteUnchanged(file)
    }
  }

  /// Notes a document that gets nothing new, unless it is told already that it cannot be read.
  private mutating func noteUnchanged(_ file: Int) {
    let path = input.targetInventory.path(of: file)
    if blockers.contains(path) { return }
    outcome.untouched.append(ImportReport.Document(place: path, outcome: .unchanged))
  }

  /// Takes back what was read of a group of which some files could not be read.
  ///
  /// In place those files stay beside the document, and verification tells that it lacks them.
  /// Elsewhere nothing would: a month in part looks like a whole one.
  mutating func withhold() {
    guard !outcome.documents.isEmpty else { return }
    outcome.counts.waiting += outcome.counts.imported + outcome.counts.duplicates
    outcome.counts.imported = 0
    outcome.counts.duplicates = 0
    outcome.candidates = []
    outcome.documents = []
    outcome.imageCount = 0
    outcome.unknownFields = UnknownFields()
    let files = unreadCount.counted("file")
    outcome.findings.append(
      Finding(
        .kept, .error, path: documentPath(of: group).description,
        message: "is not written: \(files) of its entities cannot be read, and nothing here would "
          + "tell that it lacks them",
        next: "run the command again once they can be read"))
  }

  // MARK: Documents

  func documentPath(of group: EntityGroup) -> RelativePath {
    kinds.documentPath(of: group.kind, month: group.month)
  }

  /// Builds the document at a path from the entities collected, and forgets them.
  mutating func finish(at path: RelativePath) throws(MigrationError) {
    // In the per-record layout no name is given out that a document has already.
    let mayExist = input.layout == .monthly || group.month == nil
    let existing =
      mayExist
      ? input.targetInventory.documents.first { self.path(of: $0) == path }.map(Int.init) : nil
    guard !contents[current].isEmpty else {
      if let existing { noteUnchanged(existing) }
      return
    }
    var base: DocumentState?
    var replaced: FileVersion?
    if let existing, let growing = input.index.growing[existing] {
      base = growing.document
      replaced = growing.version
    } else if let existing {
      do {
        let loaded = try loader?.load(existing)
        base = loaded?.document
        replaced = loaded.flatMap { loader?.version($0.file) }
      } catch {
        // It could be read when the index was made.
        throw .folderChanging(path: path.description)
      }
    }
    let identities = Set(contents[current].entries.map(\.identity))
    let variantCount = contents[current].entries.count - identities.count
    let result: GroupContent.Encoded
    do {
      result = try contents[current].encodedDocument(
        of: group.kind, onto: base, history: input.history)
    } catch {
      throw .damagedDocument(
        path: path.description, offset: nil,
        problem: "does not accept the import: \(error.problem)")
    }
    if let defect = result.defect {
      return withhold(identities, variantCount, from: path, because: defect)
    }
    var document = BuiltDocument(
      path: path, bytes: result.bytes, replaced: replaced,
      entitiesAdded: identities.count, changesAdded: result.changesAdded)
    // What an update may come upon keeps its bytes; of the rest only the disk does, if anything.
    if replaced == nil {
      if let publisher = input.publisher {
        try publisher.stage(&document)
      } else if !input.keepsBytes {
        document.takeBytes()
      }
    }
    outcome.documents.append(document)
  }

  /// Leaves entities where they are whose document nobody could read again.
  private mutating func withhold(
    _ identities: Set<Identity>, _ variantCount: Int, from path: RelativePath,
    because defect: FormatError
  ) {
    outcome.counts.imported -= identities.count + variantCount
    outcome.counts.waiting += identities.count + variantCount
    outcome.candidates.removeAll { identities.contains($0.identity) }
    blockers.insert(path)
    outcome.findings.append(.unreadable(path, because: defect, "is not written"))
  }

  private func path(of document: UInt32) -> RelativePath {
    input.targetInventory.path(of: Int(document))
  }

  /// The names that record documents of the month have already.
  func existingNames() -> Set<[UInt8]> {
    let inventory = input.targetInventory
    return Set(
      inventory.documents.map(Int.init)
        .filter { inventory.month(of: $0) == group.month }
        .map { inventory.stem(of: $0) })
  }

  /// Returns the name a record's document gets: its own, or with the start of its identity if
  /// another record has that, or if it is so long that no file system takes the document's.
  mutating func freeName(_ stem: [UInt8], for identity: Identity) -> [UInt8] {
    if stem.count <= DocumentLayout.longestName, takenNames.insert(stem).inserted { return stem }
    let longer = DocumentLayout.longerName(stem, of: identity)
    takenNames.insert(longer)
    return longer
  }
}

extension Finding {
  /// A document that holds more than a reader takes from a file of its size.
  static func unreadable(
    _ path: RelativePath, because defect: FormatError, _ whatIsNotDone: String
  ) -> Finding {
    Finding(
      .kept, .error, path: path.description,
      message: "\(whatIsNotDone): it would hold more than can be read again (\(defect.problem))",
      next: "spread the entities over more documents, or declare long texts as strings")
  }
}
