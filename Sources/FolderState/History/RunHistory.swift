package import Backups
package import Diagnostics
import Folders
package import Runs
package import SafeFiles

/// The append-only log of runs that wrote to a folder, for people to read.
///
/// No program trusts it: what was done shows in the folder itself. Everything here happens under
/// the folder's lock.
package enum RunHistory {
  /// A log that is longer becomes the older log, which takes the place of the one before.
  package static let longestLog: Int64 = 1 << 20
  /// The longest line that is read; longer ones are none of ours.
  package static let longestLine = 1 << 19

  /// Says which run is at work, and that it lives for as long as the result is kept.
  package static func begin(_ record: RunRecord, in state: Directory) throws(FileError)
    -> StagedFile
  {
    let file = try state.stage(record.line.jsonBytes, as: FolderNames.currentRun)
    try StagedFile.publish([file])
    return file
  }

  /// Appends the line of a run that ended, and takes back what `begin` said.
  package static func append(_ record: RunRecord, in state: Directory) throws(FileError) {
    try append(record.line.jsonBytes, in: state)
    try removeCurrentRun(in: state)
  }

  /// Appends a line for an earlier run that died, if there is one.
  ///
  /// Whatever goes wrong here is no reason to stop: the next run tries again.
  static func closeInterruptedRun(in state: Directory) {
    // Usually there is none, and one that cannot be read is left to the next run.
    guard let bytes = try? state.contents(of: FolderNames.currentRun, limit: longestLine) else {
      return
    }
    if let line = interruptedLine(bytes), !isLogged(bytes, in: state) {
      // The file stays until its line is written.
      guard (try? append(line, in: state)) != nil else { return }
    }
    // If it stays, the next run finds that its line is there.
    try? removeCurrentRun(in: state)
  }

  /// Turns what `begin` wrote into the line of a run that died; nil if it is not that.
  static func interruptedLine(_ bytes: [UInt8]) -> [UInt8]? {
    guard RunHistoryLine(bytes) != nil, bytes.last == UInt8(ascii: "}") else { return nil }
    return bytes.dropLast()
      + Array(",\"status\":\"\(RunRecord.Outcome.interrupted.rawValue)\"}".utf8)
  }

  /// Whether the log ends with the line of this run: then only its mark was left behind.
  private static func isLogged(_ bytes: [UInt8], in state: Directory) -> Bool {
    guard let run = RunHistoryLine(bytes)?.run,
      // A log that cannot be read may get the line twice; nothing depends on it.
      let log = try? state.contents(of: FolderNames.history, limit: Int(longestLog) + longestLine)
    else { return false }
    return log.split(separator: UInt8(ascii: "\n")).contains { RunHistoryLine($0)?.run == run }
  }

  private static func append(_ line: [UInt8], in state: Directory) throws(FileError) {
    if let log = try state.stateIfPresent(of: FolderNames.history), log.size >= longestLog {
      try state.renameOwn(FolderNames.history, to: FolderNames.olderHistory)
    }
    try state.appendLine(line, to: FolderNames.history)
  }

  private static func removeCurrentRun(in state: Directory) throws(FileError) {
    guard let current = try state.stateIfPresent(of: FolderNames.currentRun) else { return }
    try state.removeFile(FolderNames.currentRun, ifUnchangedSince: current)
  }
}

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
  package mutating func add(_ backup: BackupHold) {
    var object = ReportObject()
    object.add("name", backup.archive.name.description)
    object.add("manifestSha256", backup.manifestHash.description)
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

/// One line of a folder's history that makes sense.
package struct RunHistoryLine {
  /// The name of the run.
  package let run: String
  /// Everything the line says, in its order.
  package let members: ReportObject

  /// Reads a line; nil if it is torn, or was written by somebody else.
  package init?(_ bytes: some Sequence<UInt8>) {
    // A line that cannot be read is skipped: the history only informs.
    guard let members = ReportObject(jsonLine: bytes),
      members["schema"] == .string(RunRecord.schema), let run = members.text("run")
    else { return nil }
    self.run = run
    self.members = members
  }

  /// Returns a member that is a string.
  package func text(_ name: String) -> String? { members.text(name) }
}
