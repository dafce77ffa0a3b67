import Folders
import Runs
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
