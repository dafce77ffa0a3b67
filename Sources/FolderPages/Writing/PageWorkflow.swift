package import Diagnostics
import Folders
package import MigrationCore
package import Runs
import SafeFiles

/// What `report-folder` is asked to do.
package struct PageOptions {
  /// What is looked at.
  package var overview: OverviewOptions
  /// The file that the page goes to; nil means the stream.
  package var output: String?
  /// Where the page goes if it is no file.
  package var sink: ByteSink
  /// The archive that somebody who helps gets, with a page without names and more in it; nil for none.
  package var ticket: String?
  /// Whether a file may be replaced that is no page.
  package var replaces = false
  /// Whether names and values are left out.
  package var isAnonymous = false

  /// Whether there is a page beside the one in the archive.
  var writesPage: Bool { output != nil || ticket == nil }

  /// Creates options for a page of a folder.
  package init(_ overview: OverviewOptions, sink: ByteSink) {
    self.overview = overview
    self.sink = sink
  }

  /// Looks at the place of the page; nil if it goes to the stream. A page is replaced by the next one, and
  /// no other file is.
  func place(context: RunContext) throws(MigrationError) -> OutputFile? {
    guard let output else { return nil }
    let place = try OutputFile(at: output, context: context)
    guard place.old != nil, !replaces else { return place }
    guard try place.beginning(FolderPage.signature.count) == FolderPage.signature else {
      throw place.isThere
    }
    return place
  }

  /// Writes a piece of the page to the stream.
  func write(_ piece: [UInt8]) throws(MigrationError) {
    do { try sink.write(piece) } catch {
      throw MigrationError(streamFailure: error, name: sink.name)
    }
  }
}

/// Makes the page of a folder; nothing in the folder is written, and no lock is taken.
package struct PageWorkflow {
  private let options: PageOptions
  private let context: RunContext
  private let clock = RunClock()

  /// Creates a workflow; nothing is read yet.
  package init(_ options: PageOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Looks at the folder and writes its page.
  package func perform() throws(MigrationError) -> PageReport {
    let folder = try FolderAccess.open(
      options.overview.folder, context: context, unfinishedRestore: .expected)
    let (output, ticketFile) = try places(besides: folder)
    let seen = try OverviewWorkflow(options.overview, context: context).perform()
    var page: FolderPage?
    if options.writesPage { page = FolderPage(options.isAnonymous ? seen.anonymous() : seen) }
    if context.isInterrupted() { throw .interrupted }
    // Who may see the folder may see what is told of it.
    let privacy = try OutputPlace.privacy(of: folder)
    if let ticketFile {
      let ticket = SupportTicket(seen, context: context)
      let archive = try ticket.archive(page: FolderPage(ticket.overview).bytes)
      try ticketFile.publish(archive, asPrivateAs: privacy)
    }
    if let page, let output {
      try output.publish(page.bytes, asPrivateAs: privacy)
    } else if let page {
      try options.write(page.bytes)
    }
    var report = PageReport(seen, output: options.output, byteCount: page?.bytes.count)
    report.ticket = options.ticket
    report.seconds = clock.seconds
    return report
  }

  /// Where the page and the archive go: never into the folder.
  private func places(
    besides folder: Directory
  ) throws(MigrationError) -> (page: OutputFile?, ticket: OutputFile?) {
    let page = try options.place(context: context)
    let ticket = try options.ticket.map { path throws(MigrationError) in
      let place = try OutputFile(at: path, context: context)
      guard place.old == nil || options.replaces else { throw place.isThere }
      return place
    }
    try page?.requireOutside(folder)
    try ticket?.requireOutside(folder)
    if let page, let ticket, try page.isAtPlace(of: ticket) {
      throw .underlying(
        Diagnostic(
          .usage, subject: ticket.path, problem: "is where the page goes",
          remedy: "choose another name for one of both"))
    }
    return (page, ticket)
  }
}

/// What came of a page.
package struct PageReport: RunReport {
  package static let name = "report-folder"

  /// The folder.
  package let folder: String
  /// Where the page is; nil if it went to a stream.
  package let output: String?
  /// Where the archive for somebody who helps is; nil if there is none.
  package internal(set) var ticket: String?
  /// The size of the page; nil if there is none beside the one in the archive.
  package let byteCount: Int?
  /// Where the folder stands; nil if that could not be told.
  package let status: FolderStatus?
  /// How many documents load, and how many places hold several values.
  package let documentCount: Int
  package let conflictCount: Int
  /// How many findings the page tells of each severity.
  private let counts: ReportValue
  /// What could not be looked at.
  package var findings: [Finding]
  package let differs: Bool
  /// Seconds from start to end.
  package var seconds = 0.0

  init(_ overview: FolderOverview, output: String?, byteCount: Int?) {
    folder = overview.folder
    self.output = output
    self.byteCount = byteCount
    status = overview.status?.status
    documentCount = overview.documents.count
    conflictCount = overview.conflicts.count + overview.furtherConflictCount
    counts = overview.findings.countsBySeverity
    differs =
      (overview.status?.differs ?? true) || overview.findings.contains { $0.severity == .error }
    findings = overview.gaps.map { gap in
      Finding(
        .notLookedAt, .error, path: gap.reason.subject,
        message: "\(gap.reason.problem), so the page does not show \(gap.part.rawValue)",
        next: gap.reason.remedy, command: gap.reason.command)
    }
  }

  package var items: [ReportObject] { [] }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("folder", folder)
    summary.add("folderStatus", status.map { .string($0.rawValue) } ?? .null)
    summary.add("output", output.map { .string($0) } ?? .null)
    summary.add("bundle", ticket.map { .string($0) } ?? .null)
    summary.add("byteCount", byteCount.map { .integer($0) } ?? .null)
    summary.add("documents", documentCount)
    summary.add("conflicts", conflictCount)
    summary.add("shown", counts)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
