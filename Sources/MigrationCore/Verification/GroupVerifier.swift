import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles
import SwiftDataStores

/// Verifies one group after the other. One worker has one verifier.
struct GroupVerifier {
  private let input: VerificationInput
  private var loader: DocumentLoader
  private var readers: [LegacyReader]
  private var verifier: EntityVerifier
  private var documentSurvey: DocumentSurvey
  private var plainRows: PlainRowVerifier?
  /// Identities that an earlier reference of the group has: what a later one says of them is old.
  private var superseded: Set<Identity> = []

  init(_ input: VerificationInput) {
    self.input = input
    // Without legacy files nothing looks at the changes but for edits.
    loader = DocumentLoader(
      input.folder, input.inventory,
      keepsChunks: !input.references.isEmpty || input.looksForEditedMonths)
    verifier = EntityVerifier(input.inventory, copies: input.copies)
    documentSurvey = DocumentSurvey(input)
    plainRows = input.plainRows.map { PlainRowVerifier($0) }
    readers = input.references.map {
      LegacyReader($0.directory, $0.inventory, rules: $0.rules, takesKept: true)
    }
  }

  /// Loads the documents of a group and compares them with the legacy files of the group.
  ///
  /// A file with an entity that these documents do not show is deferred, whole: a document of
  /// another month may, if its start was moved there.
  mutating func verifyGroup(_ group: EntityGroup) throws(MigrationError) -> GroupOutcome {
    var outcome = GroupOutcome(group: group)
    let documents = GroupDocuments(input.documents[group] ?? [], with: &loader)
    documentSurvey.survey(documents, to: &outcome)
    for reference in readers.indices {
      let files = input.files(of: group, in: reference)
      if files.isEmpty { continue }
      superseded = reference == 0 ? [] : Set(outcome.reference)
      if reference == 0, input.listsProvenFiles { outcome.provenFiles.reserveCapacity(files.count) }
      for file in files {
        verifyFile(file, of: reference, in: documents, to: &outcome)
      }
    }
    superseded = []
    try settleRows(in: documents, to: &outcome)
    outcome.count()
    return outcome
  }

  /// Compares the cells of rows with documents of their group.
  private mutating func settleRows(
    in documents: GroupDocuments, to outcome: inout GroupOutcome
  ) throws(MigrationError) {
    guard let plain = input.plainRows, plainRows != nil else { return }
    var settled: [PlainRowVerifier.Settled] = []
    do throws(StoreError) {
      settled =
        try plainRows?.settled(by: documents, of: outcome.group.kind, isCopy: input.copies.contains)
        ?? []
    } catch {
      throw MigrationError(error)
    }
    outcome.settle(settled, of: plain)
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
      finding.path = input.path(of: item.file, in: item.reference)
      outcome.findings.append(finding)
      return
    }
    superseded = item.superseded
    verify(
      readers[item.reference].batch, of: item.file, of: item.reference, in: documents,
      isFinal: true, to: &outcome)
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
    let kind = outcome.group.kind
    if input.listsProvenFiles, input.references[reference].isFolder,
      input.inventory.kinds.isDated(kind)
    {
      outcome.datedFiles.append((file, batch.entities.map(\.identity)))
    }
    // Of such a kind no document of another month is there, either.
    let isUntouched = input.untouched.contains(kind) && input.isLeftOut(kind, of: reference)
    for finding in batch.findings {
      outcome.findings.append(prefixed(isUntouched ? finding.asInformation : finding, reference))
    }
    let undated = input.references[reference].undatedFiles
    if readers[reference].state != nil, undated.contains(UInt32(file)) {
      // Where nothing was found to be wrong, it may be with documents of another month.
      var finding = Finding.unreadAtFirst
      finding.path = input.path(of: file, in: reference)
      outcome.findings.append(finding)
    }
    if isUntouched {
      outcome.leftOutUnread += batch.entityCount(of: kind) - batch.entities.count
      if batch.entities.isEmpty, input.references[reference].isFolder {
        outcome.leftOutFiles.append(file)
      }
    }
    verify(batch, of: file, of: reference, in: documents, isFinal: isUntouched, to: &outcome)
  }

  /// Compares what was read last with documents; unless this is final, defers the file if readers
  /// see one of its entities in none of them.
  private mutating func verify(
    _ batch: EntityBatch, of file: Int, of reference: Int, in documents: GroupDocuments,
    isFinal: Bool, to outcome: inout GroupOutcome
  ) {
    let fieldCount = verifier.fieldCount
    var results: [(identity: Identity, result: EntityVerifier.Result)] = []
    var leavesOut = false
    for entity in batch.entities where !superseded.contains(entity.identity) {
      let result = verifier.verify(
        entity, of: batch, in: documents, path: input.path(of: file, in: reference),
        update: input.importing(entity.kind, of: reference, updates: true))
      if let result, isFinal || result.isVisible {
        results.append((entity.identity, result))
      } else if isFinal,
        let document = input.setAside.document(holding: entity.identity, entity.kind)
      {
        if input.references[reference].isFolder {
          let path = input.path(of: file, in: reference)
          results.append(
            (entity.identity, .setAside(batch.title(of: entity), in: document, path: path)))
        } else {
          outcome.noteSetAside(entity.identity, in: document)
        }
      } else if isFinal, input.isLeftOut(entity.kind, of: reference) {
        outcome.leaveOut(entity, of: batch, in: input.inventory)
        leavesOut = true
      } else if isFinal {
        let path = input.path(of: file, in: reference)
        let missing = EntityVerifier.Result.missing(
          batch.title(of: entity), path: path, in: input.references[reference].place,
          command: input.bringingBack(entity.kind, of: reference))
        results.append((entity.identity, missing))
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
    guard input.references[reference].isFolder else { return }
    if leavesOut { outcome.leftOutFiles.append(file) }
    guard batch.isComplete, !leavesOut else { return }
    // There is nothing in it to prove, and nothing that could leave it.
    if batch.isRest { return outcome.rests.append(file) }
    // Only a clean-up asks which files are proven; for all others that would be much to remember.
    guard input.listsProvenFiles, let state = readers[reference].state,
      results.allSatisfy(\.result.isProvenInBase)
    else { return }
    var rest: ContentHash?
    if batch.holdsRest {
      guard let bytes = batch.rest() else { return }
      rest = ContentHash(of: bytes)
    }
    outcome.provenFiles.append(
      ProvenFile(
        file: file,
        version: FileVersion(
          state: state, hash: ContentHash(of: batch.tape.text, 0..<batch.tape.sourceByteCount)),
        content: HeldContent(batch.entities.map(\.identity), rest: rest)))
  }

  private func prefixed(_ finding: Finding, _ reference: Int) -> Finding {
    var finding = finding
    finding.path = input.references[reference].pathPrefix + finding.path
    return finding
  }
}
