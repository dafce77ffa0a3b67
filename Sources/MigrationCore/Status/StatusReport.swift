package import Diagnostics
package import Folders
package import Runs

/// Where a folder stands between legacy files and documents; the raw value is part of the scripting
/// contract.
package enum FolderStatus: String, CaseIterable, Hashable, Sendable {
  /// There is nothing in it, or no more than what stays in files without entities.
  case empty
  /// There is nothing in it that we know.
  case unknown
  /// Legacy files, and no documents.
  case legacy
  /// Legacy files and documents; some entities of the files are in no document yet.
  case migrating
  /// Legacy files and documents; every entity of the files is proven.
  case migrated
  /// Documents, and no legacy files but such as hold no entity.
  case cleaned
  /// Legacy files and documents, and errors stand in the way.
  case mixed
}

/// Where a folder stands, in one word, and what the next command is.
package struct StatusReport: RunReport {
  package static let name = "verify-counts"

  /// Where the folder stands.
  package var status: FolderStatus
  /// What to run next; empty if there is nothing to do.
  package var commands: [NextCommand] = []
  /// The same, ready for a shell.
  package var next: [String] { commands.map(\.shellText) }
  /// How many legacy files there are, but for those that hold no entity and only what stays without;
  /// names alone do not tell which do.
  package var legacyFiles = 0
  /// How many documents there are, whatever can be read of them.
  package var documents = 0
  /// The layouts of the documents that hold records.
  package var layouts: [DocumentLayout] = []
  /// The one of them that somebody has chosen: an app that wrote there, or who ran an import. Nil if
  /// the documents do not show it.
  package var evidentLayout: DocumentLayout?
  /// Entities of legacy files that are in no document yet.
  package var missingEntities = 0
  /// What stands in the way: how many findings of severity error there are of each code.
  package var errors: [(code: Finding.Code, count: Int)] = []
  /// What the answer says nothing about, for people.
  package var notLookedAt: [String] = []
  /// The documents that do not load, in path order.
  package var damagedDocuments: [String] = []
  /// Seconds from start to end.
  package var seconds = 0.0

  init(_ status: FolderStatus) {
    self.status = status
  }

  /// Empty: the answer is one word, and `verify-counts` without `--status` tells the findings.
  package var findings: [Finding] = []

  package var differs: Bool { !errors.isEmpty }

  package var items: [ReportObject] { [] }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("folderStatus", status.rawValue)
    summary.add("next", .array(next.map { .string($0) }))
    summary.add("commands", .array(commands.map { ReportValue($0) }))
    summary.add("legacyFiles", legacyFiles)
    summary.add("documents", documents)
    summary.add("layouts", .array(layouts.map { .string($0.rawValue) }))
    if let evidentLayout { summary.add("evidentLayout", evidentLayout.rawValue) }
    summary.add("missingEntities", missingEntities)
    var counts = ReportObject()
    for error in errors { counts.add(error.code.rawValue, error.count) }
    summary.add("errors", .object(counts))
    summary.add("damagedDocuments", .array(damagedDocuments.map { .string($0) }))
    summary.add("notLookedAt", .array(notLookedAt.map { .string($0) }))
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
