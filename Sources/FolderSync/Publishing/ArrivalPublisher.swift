import Automerge
import Crypto
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// What a side wrote of what arrived.
struct PublishedArrivals: RunReport {
  static let name = "sync-folder"

  /// What could not be written; a finding says why.
  var unpublished: Set<RelativePath> = []
  /// How many changes documents got that were there, and those that are new.
  var updated: [RelativePath: Int] = [:]
  var created: [RelativePath: Int] = [:]
  var files: [RelativePath] = []
  var findings: [Finding] = []

  var items: [ReportObject] { [] }

  var summary: ReportObject {
    var summary = ReportObject()
    summary.add("documentsUpdated", updated.count)
    summary.add("documentsCreated", created.count)
    summary.add("filesReceived", files.count)
    return summary
  }
}

/// Writes what arrived, under the app's lock, once it is proven: as `merge-conflicts` does.
struct ArrivalPublisher {
  let folder: Directory
  let context: RunContext

  /// Writes the files, then the documents, which may name them.
  ///
  /// Where a document is not any more what it was when it was talked about, what arrived is merged with
  /// what is there now.
  func publish(
    _ documents: [ArrivedDocument], _ spool: FileSpool
  ) throws(MigrationError) -> PublishedArrivals {
    if documents.isEmpty, spool.files.isEmpty { return PublishedArrivals() }
    return try WritingRun.perform(in: folder, clock: RunClock(), context: context) {
      writing throws(MigrationError) in
      var published = PublishedArrivals()
      writing.beginWriting()
      for place in Set(documents.map(\.path) + spool.files.map(\.path)).compactMap(\.parent) {
        try writing.tidy(place)
      }
      for file in spool.files {
        if context.isInterrupted() { throw .interrupted }
        try publish(file, spool, to: &published)
      }
      try publish(documents, to: &published)
      return published
    }
  }

  // MARK: Files

  private func publish(
    _ file: ArrivedFile, _ spool: FileSpool, to published: inout PublishedArrivals
  ) throws(MigrationError) {
    do throws(FileError) {
      guard let parent = file.path.parent, let name = file.path.lastComponent else { return }
      try folder.requireSpace(for: Int64(file.content.byteCount))
      let directory = try folder.createDirectory(parent)
      let writer = try directory.stageFile(as: name, replacing: .nothing)
      do throws(FileError) {
        try spool.forEachPiece(of: file) { (bytes) throws(FileError) in try writer.write(bytes) }
        let staged = try writer.finish()
        guard try directory.hash(of: staged.temporaryName) == file.content.hash else {
          throw .writtenBytesDiffer(path: writer.path)
        }
        try StagedFile.publish([staged])
      } catch {
        writer.discard()
        throw error
      }
      published.files.append(file.path)
    } catch {
      switch error {
      // Somebody was faster, or something else is in the way: the next run looks again.
      case .alreadyExists, .inTheWay, .wrongKind:
        published.unpublished.insert(file.path)
        published.findings.append(
          Finding(
            .notSynced, .error, path: file.path.description,
            message: "was not written: \(error.diagnostic.problem)", next: "run the command again"))
      default: throw MigrationError(error)
      }
    }
  }

  // MARK: Documents

  private enum Outcome: Sendable {
    case built(BuiltDocument)
    /// All of it is there by now.
    case known
    case left(Finding)
  }

  private func publish(
    _ arrivals: [ArrivedDocument], to published: inout PublishedArrivals
  ) throws(MigrationError) {
    let publisher = DocumentPublisher(folder)
    defer { publisher.discard() }
    let folder = folder
    let outcomes = try Workers.map(
      arrivals.count, phase: .publishing, context: context, makeState: { [UInt8]() }
    ) { item, buffer throws(MigrationError) in
      let outcome = Self.build(arrivals[item], in: folder, &buffer)
      guard case .built(var document) = outcome else { return outcome }
      try publisher.stage(&document)
      return .built(document)
    }
    var documents: [BuiltDocument] = []
    for (arrival, outcome) in zip(arrivals, outcomes) {
      switch outcome {
      case .built(let document): documents.append(document)
      case .known: continue
      case .left(let finding):
        published.unpublished.insert(arrival.path)
        published.findings.append(finding)
      }
    }
    do throws(MigrationError) {
      try publisher.publish(documents, context: context)
    } catch {
      guard error != .interrupted, [.busy, .cannotCreate].contains(error.diagnostic.kind) else {
        throw error
      }
      // A sync service put something in the place of one. What has its name already is good.
      published.unpublished.formUnion(documents.map(\.path))
      published.findings.append(
        Finding(
          .changedWhileRead, .error, path: error.diagnostic.subject,
          message: error.diagnostic.problem, next: "run the command again"))
      return
    }
    for document in documents {
      if document.replaced == nil {
        published.created[document.path] = document.changesAdded
      } else {
        published.updated[document.path] = document.changesAdded
      }
    }
  }

  private static func build(
    _ arrival: ArrivedDocument, in folder: Directory, _ buffer: inout [UInt8]
  ) -> Outcome {
    let path = arrival.path.description
    var replaced: FileVersion?
    do throws(FileError) {
      if try folder.stateIfPresent(of: arrival.path) != nil {
        replaced = try folder.readVersion(
          of: arrival.path, into: &buffer, limit: DocumentLoader.largestDocument)
      }
    } catch {
      return .left(DocumentDefect(error, file: 0, path: path).finding)
    }
    guard let now = replaced, now.hash != arrival.base else {
      return .built(
        BuiltDocument(
          path: arrival.path, bytes: arrival.bytes, replaced: replaced, entitiesAdded: 0,
          changesAdded: arrival.changesAdded))
    }
    do throws(FormatError) {
      var document = try DocumentState(loading: buffer)
      let other = try DocumentState(loading: arrival.bytes)
      var acceptance = MergeAcceptance()
      for input in [document, other] { acceptance.add(input) }
      let added = try document.absorb(other)
      if added == 0 { return .known }
      let bytes = document.encoded()
      if let defect = acceptance.defect(of: bytes) {
        return .left(.unaccepted(arrival.path, because: defect))
      }
      return .built(
        BuiltDocument(
          path: arrival.path, bytes: bytes, replaced: now, entitiesAdded: 0, changesAdded: added))
    } catch {
      return .left(DocumentDefect(error, file: 0, path: path).finding)
    }
  }
}
