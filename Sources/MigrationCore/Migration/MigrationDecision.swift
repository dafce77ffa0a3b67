import Diagnostics
package import Folders
import Runs

/// What follows from where a folder stands and what is asked of a migration; reads no file.
package struct MigrationDecision: Hashable, Sendable {
  /// Where the folder stands, as names tell.
  package var status: FolderStatus
  /// The layouts of its documents.
  package var layouts: [DocumentLayout] = []
  /// The one of them that somebody has chosen.
  package var evidentLayout: DocumentLayout?
  /// The layout that was asked for; nil leaves it to the documents.
  package var layout: DocumentLayout?
  /// Whether the legacy files are to go to quarantine in the end.
  package var cleansUp = false
  /// Whether documents lie where the profile says, so that there is no layout to choose.
  package var hasOneLayout = false

  /// Creates a decision for a folder of which nothing is asked.
  package init(status: FolderStatus) { self.status = status }

  /// Whether there are legacy files to migrate.
  package var migrates: Bool { ![.empty, .unknown, .cleaned].contains(status) }

  /// Whether only what is in the documents can tell which layout the app reads: months are what an
  /// import makes where nobody says what to make.
  var needsEvidence: Bool { cleansUp && layout == nil && layouts == [.monthly] }

  /// Whether it is known which layout the app reads.
  package var isLayoutKnown: Bool {
    hasOneLayout || layout != nil || evidentLayout != nil
  }

  /// The layout of documents that an app with the layout asked for does not read.
  package var unread: DocumentLayout? {
    guard let layout else { return nil }
    return layouts.first { $0 != layout }
  }

  /// Why nothing is done: a layout was asked for where there is only one, or an app could read nothing
  /// after the clean-up.
  func refusal(of folder: String) -> MigrationError? {
    if hasOneLayout, layout != nil { return .noLayouts }
    guard migrates, cleansUp else { return nil }
    if let unread, let layout {
      return .underlying(
        Diagnostic(
          .conflictsWithData, subject: folder,
          problem: "holds \(unread.documents), of which an app with --layout \(layout.rawValue) "
            + "reads nothing",
          remedy: "turn them into JSON with rollback-folder, then migrate with that layout"))
    }
    guard !isLayoutKnown else { return nil }
    return .underlying(
      Diagnostic(
        .conflictsWithData, subject: folder,
        problem: "no document shows which layout the app reads, and after the clean-up it could "
          + "read nothing else",
        remedy: "add --layout per-record for Minuta as released "
          + "(\(DocumentLayout.perRecord.documents)), or --layout monthly for a version that keeps "
          + DocumentLayout.monthly.documents))
  }
}

extension DocumentLayout {
  /// What a folder in this layout holds.
  package var documents: String {
    switch self {
    case .monthly: "a document for each month"
    case .perRecord: "a document for each record"
    }
  }
}
