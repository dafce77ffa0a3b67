import Automerge
import Backups
import Diagnostics
import FolderDocuments
import Folders
package import Runs
import SafeFiles

/// What somebody who helps needs to see of a folder, without a name or a value in it: an archive of the
/// page, the history, what backups and the quarantine hold, and damaged documents with other content.
package struct SupportTicket {
  private let seen: FolderOverview
  private let shown: FolderOverview
  /// What names are called in all of it.
  private let names: Pseudonyms
  private let context: RunContext

  /// So many damaged documents are added, and so many bytes of them.
  private static let mostDocuments = 20
  private static let mostDocumentBytes = 256 << 20
  /// So many lines are in a list.
  private static let mostLines = 10_000

  /// Creates the ticket of a folder.
  ///
  /// - Parameter overview: with names, which lead to the damaged documents.
  package init(_ overview: FolderOverview, context: RunContext) {
    seen = overview
    var names = Pseudonyms()
    shown = overview.anonymous(calling: &names)
    self.names = names
    self.context = context
  }

  /// The overview that the page of the ticket shows.
  package var overview: FolderOverview { shown }

  /// Returns the archive with a page in it; reads damaged documents once more.
  package func archive(page: [UInt8]) throws(MigrationError) -> [UInt8] {
    var archive = PlainArchive(at: seen.moment)
    archive.add("README.txt", Array(Self.explanation.utf8))
    archive.add("report.html", page)
    archive.add("history.jsonl", lines(of: history))
    archive.add("backups.jsonl", lines(of: shown.backups?.items ?? []))
    archive.add("quarantine.jsonl", lines(of: shown.quarantine?.items ?? []))
    archive.add("findings.jsonl", lines(of: shown.findings.map(Self.line)))
    let folder = try FolderAccess.open(
      seen.folder, context: context, unfinishedRestore: .expected)
    var manifests = AnonymousManifests(names)
    try manifests.add(of: seen, in: folder, context: context)
    archive.add("manifests.jsonl", lines(of: manifests.lines))
    let documents = try damagedDocuments(of: folder, to: &archive)
    archive.add("documents.jsonl", lines(of: documents))
    return archive.bytes
  }

  private static let explanation = """
    This was made by report-folder --bundle. It holds no name and no value of the folder: files are
    numbered, and the documents have the same structure and damage as the real ones, with other texts,
    keys, numbers and times.

    report.html       where the folder stands
    history.jsonl     the runs that wrote to it, a line each
    backups.jsonl     its backups
    quarantine.jsonl  what runs moved out of it
    manifests.jsonl   what the manifests of backups and of the quarantine list
    findings.jsonl    what was found
    documents.jsonl   the damaged documents, and what of them could not be written again
    documents/        these documents

    """

  /// A line each; where there are too many, the newest.
  private func lines(of objects: [ReportObject]) -> [UInt8] {
    var lines = objects.suffix(Self.mostLines).flatMap { $0.jsonBytes + [UInt8(ascii: "\n")] }
    guard objects.count > Self.mostLines else { return lines }
    var more = ReportObject()
    more.add("leftOut", objects.count - Self.mostLines)
    lines += more.jsonBytes + [UInt8(ascii: "\n")]
    return lines
  }

  private var history: [ReportObject] {
    shown.history?.runs.map { run in
      var line = ReportObject()
      line.add("start", run.start)
      line.add("end", run.end)
      line.add("command", run.command)
      line.add("status", run.status)
      line.add("failed", !run.problem.isEmpty)
      line.add("backup", run.backup)
      return line
    } ?? []
  }

  private static func line(of finding: Finding) -> ReportObject {
    var line = ReportObject()
    line.add("code", finding.code.rawValue)
    line.add("severity", finding.severity.rawValue)
    line.add("path", finding.path)
    line.add("message", finding.message)
    if let offset = finding.offset { line.add("offset", offset) }
    return line
  }

  // MARK: Damaged documents

  /// Adds damaged documents without their content; returns a line about each.
  private func damagedDocuments(
    of folder: Directory, to archive: inout PlainArchive
  ) throws(MigrationError) -> [ReportObject] {
    let paths = zip(seen.status?.damagedDocuments ?? [], shown.status?.damagedDocuments ?? [])
    // All documents of a ticket have one secret, so that what is equal stays equal.
    let content = AnonymousContent(secret: Entropy.hexDigits(64), of: context.kinds)
    var lines: [ReportObject] = []
    var (count, byteCount) = (0, 0)
    for (path, name) in paths {
      if context.isInterrupted() { throw .interrupted }
      var line = ReportObject()
      line.add("path", name)
      let room = Self.mostDocumentBytes - byteCount
      if count == Self.mostDocuments || room <= 0 {
        line.add("problem", "the ticket would get too large")
      } else if let bytes = Self.read(path, in: folder, limit: room) {
        let document = AnonymousFile(of: bytes, content)
        byteCount += document.bytes.count
        count += 1
        let place = "documents/\(count.description).automerge"
        archive.add(place, document.bytes)
        line.add("file", place)
        line.add("leftOutByteCount", document.leftOut.reduce(0) { $0 + $1.range.count })
      } else {
        line.add("problem", "it cannot be read, or is too large")
      }
      lines.append(line)
    }
    return lines
  }

  private static func read(_ path: String, in folder: Directory, limit: Int) -> [UInt8]? {
    guard let bytes = DisplayText.bytes(shownAs: path), let path = RelativePath(bytes) else {
      return nil
    }
    // What cannot be read is told by its line.
    return try? folder.contents(of: path, limit: min(limit, DocumentLoader.largestDocument))
  }
}
