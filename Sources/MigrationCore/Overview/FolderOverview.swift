package import Diagnostics
import Folders
package import Runs
package import SafeFiles

/// Where a folder stands, with all that a person wants to see of it: what documents hold against the
/// JSON, conflicts, the runs that wrote to it, its backups and its quarantine.
package struct FolderOverview: Sendable {
  /// What is looked at by itself; the raw value says it in words.
  package enum Part: String, Sendable {
    case standing = "where it stands"
    case history = "the history of runs"
    case backups = "the backups"
    case quarantine = "the quarantine"
  }

  /// A part that could not be looked at.
  package struct Gap: Sendable {
    package let part: Part
    /// Why.
    package internal(set) var reason: Diagnostic
  }

  /// A document that loads.
  package struct Document: Hashable, Sendable {
    /// Its path.
    package internal(set) var path: String
    /// What is in it.
    package let figures: DocumentFigures
  }

  /// The folder, as it was named.
  package internal(set) var folder: String
  /// The name of its profile, and what its kinds are called.
  package internal(set) var profile: String
  package let kindNames: [String]
  /// When it was looked at.
  package let moment: FileTime
  /// The version of the tool.
  package let version: String
  /// The system that it ran on, such as `Linux 6.1 x86_64`.
  package let system: String
  /// Where it stands; nil if that could not be told.
  package internal(set) var status: StatusReport?
  /// What the documents hold against the JSON; nil if that could not be told.
  package internal(set) var verification: VerificationReport?
  /// The documents that load, the largest first.
  package internal(set) var documents: [Document] = []
  /// The first conflicts, in the order of the documents, and how many there are beside them.
  package internal(set) var conflicts: [FieldConflict] = []
  package internal(set) var furtherConflictCount = 0
  package internal(set) var history: HistoryReport?
  package internal(set) var backups: BackupReport?
  package internal(set) var quarantine: QuarantineReport?
  /// What could not be looked at.
  package internal(set) var gaps: [Gap] = []
  /// Whether names and values were left out.
  package internal(set) var isAnonymous = false

  init(_ folder: String, _ context: RunContext, system: String, at moment: FileTime) {
    self.folder = folder
    profile = context.kinds.profileName
    kindNames = context.kinds.names
    version = context.version
    self.system = system
    self.moment = moment
  }

  /// Creates the overview of a folder of which nothing could be looked at.
  package init(notSeen options: OverviewOptions, _ reason: Diagnostic, context: RunContext) {
    self.init(options.folder, context, system: options.system, at: WallClock.now())
    gaps = [Gap(part: .standing, reason: reason)]
  }

  /// Whether nothing of the folder could be looked at.
  package var isUnseen: Bool {
    status == nil && history == nil && backups == nil && quarantine == nil
  }

  /// Everything that was found, gravest first, each once; where names are left out, many are alike.
  package var findings: [Finding] {
    let reports = [
      verification?.findings, history?.findings, backups?.findings, quarantine?.findings,
    ]
    let all = Severity.allCases.reversed().flatMap { severity in
      reports.flatMap { $0 ?? [] }.filter { $0.severity == severity }
    }
    return isAnonymous ? all : all.withoutRepetitions()
  }

  /// Whether nothing differs and everything was looked at and compared, as far as anybody can tell.
  package var isSound: Bool {
    gaps.isEmpty && status.map { !$0.differs && $0.notLookedAt.isEmpty } ?? false
      && verification?.isComplete ?? false && !findings.contains { $0.severity == .error }
  }
}
