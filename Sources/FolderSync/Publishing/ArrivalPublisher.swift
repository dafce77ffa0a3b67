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
  var files: Set<RelativePath> = []
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
  /// A document that is not any more what it was when it was talked about stays as it is.
  func publish(
    _ documents: [ArrivedDocument], _ spool: FileSpool
  ) throws(MigrationError) -> PublishedArrivals {
    if documents.isEmpty, spool.files.isEmpty { return PublishedArrivals() }
    return try WritingRun.perform(in: folder, clock: RunClock(), context: context) {
      writing throws(MigrationError) in
      var published = PublishedArrivals()
      writing.beginWriting()
      let closed = try tidy(documents.map(\.path) + spool.files.map(\.path), writing, &published)
      try publish(spool.files.filter { !closed.contains($0.path) }, of: spool, to: &published)
      try publish(documents.filter { !closed.contains($0.path) }, to: &published)
      return published
    }
  }

  /// Tidies up the directories of some paths up, and returns those whose directory is none.
  private func tidy(
    _ paths: [RelativePath], _ writing: WritingRun, _ published: inout PublishedArrivals
  ) throws(MigrationError) -> Set<RelativePath> {
    var closed: Set<RelativePath> = []
    for place in Set(paths.compactMap(\.parent)).sorted() {
      do throws(MigrationError) {
        try writing.tidy(place)
      } catch {
        guard [.missingInput, .cannotCreate].contains(error.diagnostic.kind) else { throw error }
        closed.formUnion(paths.filter { $0.parent == place })
        published.findings.append(
          Finding(
            .notSynced, .error, path: place.description,
            message: "nothing was written here: \(error.diagnostic.problem)",
            next: "put the directory itself there, and run the command again"))
      }
    }
    published.unpublished.formUnion(closed)
    return closed
  }

  /// Removes what runs that died left in the folder, or moves it to quarantine.
  func tidy() throws(MigrationError) -> [Finding] {
    try WritingRun.perform(in: folder, clock: RunClock(), context: context) {
      writing throws(MigrationError) in
      var published = PublishedArrivals()
      _ = try writing.inventory(noting: &published.findings)
      return published
    }.findings
  }

  // MARK: Documents

  private enum Outcome: Sendable {
    case built(BuiltDocument)
    case left(Finding)
  }

  private func publish(
    _ arrivals: [ArrivedDocument], to published: inout PublishedArrivals
  ) throws(MigrationError) {
    let publisher = DocumentPublisher(folder)
    defer { publisher.discard() }
    let folder = folder
    // Whether a new one may be here is decided again: it may be long since the folder was listed.
    let admission = try arrivals.contains { $0.base == nil } ? admission() : nil
    let outcomes = try Workers.map(
      arrivals.count, phase: .publishing, context: context.waitingForDisk,
      makeState: { [UInt8]() }
    ) { item, buffer throws(MigrationError) in
      let outcome = Self.build(arrivals[item], in: folder, admission, &buffer)
      guard case .built(var document) = outcome else { return outcome }
      try publisher.stage(&document)
      return .built(document)
    }
    var documents: [BuiltDocument] = []
    for (arrival, outcome) in zip(arrivals, outcomes) {
      switch outcome {
      case .built(let document): documents.append(document)
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

  private func admission() throws(MigrationError) -> Admission {
    let listing = try FolderListing(of: folder, at: folder.path, context: context)
    return try Admission(of: folder, listing, context: context)
  }

  /// What was built is written only in the place of what it was built upon.
  private static func build(
    _ arrival: ArrivedDocument, in folder: Directory, _ admission: Admission?,
    _ buffer: inout [UInt8]
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
    guard replaced?.hash == arrival.base else {
      var finding = replaced == nil ? Finding.gone : .changedSince
      finding.path = path
      return .left(finding)
    }
    if replaced == nil,
      let reason = admission?.reason(toDecline: arrival.path, isDocument: true)
    {
      return .left(reason)
    }
    return .built(
      BuiltDocument(
        path: arrival.path, bytes: arrival.bytes, replaced: replaced, entitiesAdded: 0,
        changesAdded: arrival.changesAdded))
  }
}
