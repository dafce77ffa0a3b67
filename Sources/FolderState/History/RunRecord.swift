package import Backups
package import Diagnostics
import Folders
package import Runs
package import SafeFiles

/// What the history says about one run.
package struct RunRecord {
  /// How a run ended; the raw value is part of the format.
  package enum Outcome: String {
    /// Everything was done.
    case done
    /// Everything was done, and something differs or was left out.
    case differs
    /// The run stopped at an error.
    case failed
    /// The run was asked to stop, or died.
    case interrupted

    /// Whether the run came to its end, so that what its summary counts was done.
    package var isComplete: Bool { self == .done || self == .differs }
  }

  package static let schema = "automerge-migrate/history"
  /// How many arguments are kept; a shell passes any number of paths.
  private static let mostArguments = 64
  /// How many bytes of an argument are kept, so that a line stays one that is read again.
  private static let longestArgument = 1024

  /// Names the run, in the history and in the file that says it is at work.
  package let identity: String
  package private(set) var line = ReportObject()

  /// Begins the record of a run.
  package init(begun: FileTime, context: RunContext) {
    let random = String(decoding: Entropy.hexDigits(8), as: UTF8.self)
    identity = "\(UTCText.compact(begun))-\(random)"
    line.add("schema", Self.schema)
    line.add("version", 1)
    line.add("run", identity)
    line.add("start", UTCText.long(begun))
    line.add("command", context.command)
    line.add(
      "arguments",
      .array(
        context.arguments.prefix(Self.mostArguments).map {
          .string(String(decoding: $0.utf8.prefix(Self.longestArgument), as: UTF8.self))
        }))
    line.add("tool", context.version)
  }

  /// Notes how and when the run ended.
  package mutating func end(_ outcome: Outcome, at time: FileTime) {
    line.add("end", UTCText.long(time))
    line.add("status", outcome.rawValue)
  }

  /// Notes the backup the run relied on.
  package mutating func add(_ backup: VerifiedBackup) {
    var object = ReportObject()
    object.add("name", backup.archive.name.description)
    object.add("manifestSha256", backup.manifest.hash.description)
    line.add("backup", .object(object))
  }

  /// Notes what the run failed at.
  package mutating func add(_ problem: Diagnostic) {
    line.add(
      "problem",
      problem.subject.isEmpty ? problem.problem : "\(problem.subject): \(problem.problem)")
  }

  /// Notes the summary of the run's report: its counts and findings.
  package mutating func add(_ summary: ReportObject) { line.add("summary", .object(summary)) }
}
