import Automerge
import Backups
import Diagnostics
import Folders
import SafeFiles

/// Verifies one group after the other. One worker has one verifier.
struct GroupVerifier {
  private let plan: VerificationPlan
  private var loader: DocumentLoader
  private var readers: [LegacyReader]
  private var verifier: EntityVerifier
  private var images: ImageVerifier
  /// Identities that an earlier reference of the group has: what a later one says of them is old.
  private var superseded: Set<Identity> = []

  init(_ plan: VerificationPlan) {
    self.plan = plan
    loader = DocumentLoader(plan.folder, plan.inventory)
    verifier = EntityVerifier(plan.inventory, copies: plan.copies)
    images = ImageVerifier(plan)
    readers = plan.references.map {
      LegacyReader($0.directory, $0.inventory, rules: $0.rules)
    }
  }

  /// Loads the documents of a group and compares them with the legacy files of the group.
  ///
  /// A file with an entity that these documents do not show is deferred, whole: a document of
  /// another month may, if its start was moved there.
  mutating func verifyGroup(_ group: EntityGroup) -> GroupOutcome {
    var outcome = GroupOutcome(group: group)
    let documents = GroupDocuments(plan.documents[group] ?? [], with: &loader)
    survey(documents, to: &outcome)
    for reference in readers.indices {
      let files = plan.files(of: group, in: reference)
      if files.isEmpty { continue }
      superseded = reference == 0 ? [] : Set(outcome.reference)
      for file in files {
        verifyFile(file, of: reference, in: documents, to: &outcome)
      }
    }
    superseded = []
    outcome.count()
    return outcome
  }

  /// Compares a legacy file that was deferred with the documents of the whole folder; tells of one
  /// that is not as it was when it was read first, for then nothing is known about its entities.
  mutating func verifyDeferred(
    _ item: GroupOutcome.DeferredFile, in documents: GroupDocuments, to outcome: inout GroupOutcome
  ) {
    readers[item.reference].read(item.file)
    guard let state = readers[item.reference].state, state.isUnchanged(since: item.state) else {
      let reader = readers[item.reference]
      var finding = reader.state == nil ? reader.batch.findings.first ?? .gone : .changedSince
      finding.path = plan.path(of: item.file, in: item.reference)
      outcome.findings.append(finding)
      return
    }
    superseded = item.superseded
    verifyBatch(of: item.file, of: item.reference, in: documents, isFinal: true, to: &outcome)
    superseded = []
  }

  /// Reads one legacy file and compares it with documents of its group.
  private mutating func verifyFile(
    _ file: Int, of reference: Int, in documents: GroupDocuments, to outcome: inout GroupOutcome
  ) {
    readers[reference].read(file)
    let batch = readers[reference].batch
    for entity in batch.entities where !superseded.contains(entity.identity) {
      outcome.reference.append(entity.identity)
    }
    outcome.findings.append(contentsOf: batch.findings.map { prefixed($0, reference) })
    verifyBatch(of: file, of: reference, in: documents, isFinal: false, to: &outcome)
  }

  /// Compares what was read last with documents; unless this is final, defers the file if readers
  /// see one of its entities in none of them.
  private mutating func verifyBatch(
    of file: Int, of reference: Int, in documents: GroupDocuments, isFinal: Bool,
    to outcome: inout GroupOutcome
  ) {
    let batch = readers[reference].batch
    let fieldCount = verifier.fieldCount
    var results: [(identity: Identity, result: EntityVerifier.Result)] = []
    for entity in batch.entities where !superseded.contains(entity.identity) {
      let result = verifier.verify(
        entity, of: batch, in: documents, path: plan.path(of: file, in: reference))
      if let result, isFinal || result.isVisible {
        results.append((entity.identity, result))
      } else if isFinal,
        let document = plan.setAside.document(holding: entity.identity, entity.kind)
      {
        if plan.references[reference].isFolder {
          let path = plan.path(of: file, in: reference)
          results.append((entity.identity, .setAside(entity, in: document, path: path)))
        } else {
          outcome.noteSetAside(entity.identity, in: document)
        }
      } else if isFinal {
        let path = plan.path(of: file, in: reference)
        results.append((entity.identity, .missing(entity, path: path)))
      } else if let state = readers[reference].state {
        outcome.deferred.append(
          GroupOutcome.DeferredFile(
            reference: reference, file: file, state: state,
            identities: batch.entities.map(\.identity).filter { !superseded.contains($0) },
            superseded: superseded))
        return
      }
    }
    outcome.fieldsCompared += verifier.fieldCount - fieldCount
    for (identity, result) in results { outcome.note(result, of: identity) }
    // Only a clean-up asks which files are proven; for all others that would be much to remember.
    guard plan.listsProvenFiles, reference == 0, let state = readers[reference].state,
      batch.isComplete, results.allSatisfy(\.result.isProvenInBase)
    else { return }
    outcome.provenFiles.append(
      ProvenFile(
        file, state: state,
        hash: ContentHash(of: batch.tape.text, 0..<batch.tape.sourceByteCount),
        identities: batch.entities.map(\.identity)))
  }

  private func prefixed(_ finding: Finding, _ reference: Int) -> Finding {
    var finding = finding
    finding.path = plan.references[reference].pathPrefix + finding.path
    return finding
  }

  // MARK: Documents

  /// Notes what the documents hold and which images their records name.
  private mutating func survey(_ documents: GroupDocuments, to outcome: inout GroupOutcome) {
    outcome.findings.append(contentsOf: documents.defects.map(\.finding))
    for (file, other) in documents.equals {
      outcome.documentsVerified += 1
      outcome.findings.append(
        Finding(
          .duplicateID, .warning, path: plan.inventory.path(of: file).description,
          message: "holds the same bytes as \(plan.inventory.path(of: other))",
          next: plan.inventory.remedy(for: file)))
    }
    var repeated = RepeatedEntities(in: documents)
    for (number, loaded) in documents.documents.enumerated() {
      outcome.documentsVerified += 1
      outcome.changesVerified += loaded.document.changeCount
      if plan.looksForEditedMonths, !outcome.isEditedMonth,
        plan.inventory.nominalClass(of: loaded.file) == .monthDocument
      {
        outcome.isEditedMonth = loaded.document.holdsChangeOfAnApp
      }
      let path = plan.inventory.path(of: loaded.file).description
      if loaded.document.queuedCount > 0 {
        outcome.findings.append(
          Finding(
            .incompleteDocument, .warning, path: path,
            message: loaded.document.queuedCount.counted("change waits", "changes wait")
              + " for others that are not here",
            next: "fetch the document from the device that wrote them"))
      }
      for other in loaded.root.others {
        let key = DisplayText.escaping(loaded.document.pool[other.key])
        outcome.findings.append(
          Finding(
            .otherKey, .info, path: path, message: "the key \"\(key)\" is no entity, kept as it is")
        )
      }
      for (index, entity) in loaded.root.entities.enumerated() {
        var found = GroupOutcome.DocumentEntity(
          identity: entity.identity, file: UInt32(loaded.file), isVisible: entity.valueCount > 0)
        if number > 0, found.isVisible {
          let first = documents.places(of: entity.identity)
            .first { documents.entity(at: $0).valueCount > 0 }
          if let first, first.document < number {
            let place = GroupDocuments.Place(document: number, entity: index)
            found.isShownBefore = !repeated.differ(first, place)
          }
        }
        outcome.documents.append(found)
        if outcome.group.kind == .record, let map = entity.map {
          surveyImages(of: map, entity.identity, in: loaded, path: path, to: &outcome)
          guard entity.valueCount > 1 else { continue }
          for hidden in loaded.document.maps(of: entity).dropLast() {
            noteImages(ofHidden: hidden, in: loaded, to: &outcome)
          }
        }
      }
    }
  }

  /// Notes the images of an object that readers do not see: they are used once it is brought
  /// together with the one they see.
  private func noteImages(
    ofHidden map: OpID, in loaded: GroupDocuments.Loaded, to outcome: inout GroupOutcome
  ) {
    let document = loaded.document
    guard let list = Self.images(of: map, in: document) else { return }
    let pool = document.pool
    document.forEachElement(of: list) { _, group in
      guard case .scalar(let place)? = document.winner(in: group)?.content, place.type == .string,
        let found = image(named: pool.span.extracting(place.range), of: loaded.file, outcome.group)
      else { return }
      outcome.usedImages.append(UInt32(found))
    }
  }

  private static func images(of map: OpID, in document: DocumentState) -> OpID? {
    guard let list = document.value(of: map, key: KnownField.imagesKey),
      list.content == .object(.list)
    else { return nil }
    return list.id
  }

  private func image(named name: Span<UInt8>, of file: Int, _ group: EntityGroup) -> Int? {
    group.month.flatMap { plan.inventory.image(named: name, in: $0) }
      ?? plan.inventory.image(named: name, of: file)
  }

  private mutating func surveyImages(
    of map: OpID, _ identity: Identity, in loaded: GroupDocuments.Loaded, path: String,
    to outcome: inout GroupOutcome
  ) {
    let document = loaded.document
    guard let list = Self.images(of: map, in: document) else { return }
    var seen: Set<ArraySlice<UInt8>> = []
    let pool = document.pool
    document.forEachElement(of: list) { _, group in
      guard case .scalar(let place)? = document.winner(in: group)?.content, place.type == .string
      else { return }
      let name = pool.span.extracting(place.range)
      guard seen.insert(pool[place.range]).inserted else {
        outcome.findings.append(
          Finding(
            .duplicateImage, .warning, path: path,
            message: "record \(identity) names \(DisplayText.escaping(pool[place.range])) twice"))
        return
      }
      if let found = image(named: name, of: loaded.file, outcome.group) {
        outcome.imagesFound += 1
        outcome.usedImages.append(UInt32(found))
        if let finding = images.difference(of: found) { outcome.findings.append(finding) }
      } else {
        var finding = images.missing(
          name, shown: DisplayText.escaping(pool[place.range]), of: identity,
          in: outcome.group.month)
        finding.path = path
        outcome.findings.append(finding)
      }
    }
  }
}
