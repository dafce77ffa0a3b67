package import Diagnostics
package import Runs

/// What is wrong with a folder, what would put it right, and what is left for a person to decide.
package struct RecoveryReport: RunReport {
  package static let name = "recover-folder"

  /// Findings of one code that no step takes care of.
  package struct Left: Hashable, Sendable {
    /// The code.
    package var code: Finding.Code
    /// How many there are.
    package var count: Int
    /// What they say to do next, each once, ascending.
    package var next: [String]
  }

  /// What is kept of a damaged document and shows something else than the folder.
  package struct Difference: Hashable, Sendable {
    /// Where it is kept.
    package var place: String
    /// The path in the folder that it had.
    package var original: String
    /// What differs, a line each; nil if nothing of it can be read.
    package var lines: [String]?
  }

  /// An image with other bytes than in the newest backup, which the app may have put there.
  package struct ChangedImage: Hashable, Sendable {
    /// Its path in the folder.
    package var path: String
    /// The commands that keep it, and that bring the other back.
    package var commands: [NextCommand]
  }

  /// The absolute path of the folder.
  package var folder: String
  /// Where it stands; nil in the middle of a restore.
  package var status: StatusReport?
  /// What was found wrong with it; nil in the middle of a restore.
  package var verification: VerificationReport?
  /// What puts it right, in order.
  package var steps: [RecoveryStep] = []
  /// The places that nobody can look into.
  package var unseen: [String] = []
  /// The documents that are not made anew as long as a backup cannot be used.
  package var waiting: [String] = []
  /// Those backups, and why.
  package var unusableBackups: [String] = []
  package var changedImages: [ChangedImage] = []
  /// What differs from what is kept of damaged documents; looked at in the end.
  package var differences: [Difference] = []
  package var findings: [Finding] = []
  package var isDryRun = false
  /// Seconds from start to end.
  package var seconds = 0.0

  init(folder: String) {
    self.folder = folder
  }

  /// The findings that are errors, counted by code, in the order of the codes' names.
  package var left: [Left] { Self.left(of: findings) }

  static func left(of findings: [Finding]) -> [Left] {
    Dictionary(grouping: findings.filter { $0.severity == .error }, by: \.code)
      .map { code, findings in
        Left(code: code, count: findings.count, next: Set(findings.compactMap(\.next)).sorted())
      }
      .sorted { $0.code.rawValue < $1.code.rawValue }
  }

  /// How many images that records name are in no backup that was found.
  package var missingImageCount: Int {
    findings.count { $0.code == .missingImage && $0.severity == .warning }
  }

  /// Whether something is left that no step takes care of.
  package var leavesSomething: Bool {
    !left.isEmpty || missingImageCount > 0 || !waiting.isEmpty || !changedImages.isEmpty
  }

  /// The status is a look of its own: what only that one could not see is in the way, too.
  package var differs: Bool {
    !steps.isEmpty || leavesSomething || !differences.isEmpty || status?.differs ?? false
  }

  package var items: [ReportObject] {
    Self.items(of: steps)
      + differences.map { difference in
        var item = ReportObject()
        item.add("type", "salvaged")
        item.add("path", difference.place)
        item.add("original", difference.original)
        item.add("lines", .array((difference.lines ?? []).map { .string($0) }))
        return item
      }
  }

  static func items(of steps: [RecoveryStep]) -> [ReportObject] {
    steps.enumerated().map { number, step in
      var item = ReportObject()
      item.add("type", "step")
      item.add("number", number + 1)
      item.add("reason", step.reason)
      item.add("shell", step.shellText)
      if case .run(let command) = step.action { item.add("command", ReportValue(command)) }
      return item
    }
  }

  package var summary: ReportObject {
    func texts(_ texts: [String]) -> ReportValue { .array(texts.map { .string($0) }) }
    var summary = ReportObject()
    summary.add("folder", folder)
    summary.add("folderStatus", status.map { .string($0.status.rawValue) } ?? .null)
    summary.add("inRestore", status == nil)
    summary.add("steps", steps.count)
    var counts = ReportObject()
    for left in left { counts.add(left.code.rawValue, left.count) }
    summary.add("left", .object(counts))
    summary.add("missingImages", missingImageCount)
    summary.add("changedImages", texts(changedImages.map(\.path)))
    summary.add("waiting", texts(waiting))
    summary.add("unusableBackups", texts(unusableBackups))
    summary.add("unseen", texts(unseen))
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
