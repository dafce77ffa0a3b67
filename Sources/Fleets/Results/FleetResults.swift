import Diagnostics
package import Runs
package import SafeFiles

/// The file of results: a line for each folder that a command was run for. It alone says what is done.
///
/// One run appends to it at a time, and only whole lines. Of several lines of one folder the last
/// counts.
package final class FleetResults {
  /// How a folder stands, as its last line says.
  package struct Standing: Sendable {
    /// What became of it.
    package var outcome: FleetResult.Outcome
    /// The status that the command ended with.
    package var status: Int
    /// What is wrong, for people; empty if it is done.
    package var problem = ""
    /// The command that its first error tells to run.
    package var toldCommand: [String]?
    /// When the command was started, as the line says.
    let start: String

    init(_ result: FleetResult) {
      outcome = result.outcome
      status = result.status
      start = result.members.text("start") ?? ""
      // A fleet has many folders, and most are done.
      if outcome != .done {
        problem = result.problem
        toldCommand = result.toldCommand
      }
    }
  }

  /// The folders that have a line.
  package private(set) var standings: [String: Standing] = [:]
  /// How many lines are none of ours, such as one that a full disk tore.
  package private(set) var foreignLineCount = 0
  /// The path of the file in display form.
  package let path: String
  /// The command that all results are of, with its options; nil if there are none.
  package private(set) var words: [String]?

  private let directory: Directory
  private let name: FileName
  private let lock: FolderLock?

  /// Opens a file of results and reads it; a missing one has no lines.
  ///
  /// Throws a diagnostic of kind `busy` if another run appends to it, and `conflictsWithData` if it
  /// has results of another task, or of several.
  ///
  /// - Parameters:
  ///   - task: what they are of; nil means one task, whichever.
  ///   - isForWriting: whether lines will be appended. Without, anybody may, meanwhile.
  package init(
    at path: String, of task: FleetTask?, isForWriting: Bool, operations: any FileOperations
  ) throws(MigrationError) {
    (directory, name) = try MigrationError.wrapping { () throws(FileError) in
      try Directory.openParent(ofPath: path, operations: operations)
    }
    self.path = DisplayText.escaping(path.utf8)
    lock = isForWriting ? try Self.lock(name, in: directory) : nil
    words = task?.words
    try read()
  }

  /// Appends results, each a line, all at once.
  package func append(_ results: [FleetResult]) throws(MigrationError) {
    guard !results.isEmpty else { return }
    let lines = results.map(\.line).joined(separator: [UInt8(ascii: "\n")])
    try MigrationError.wrapping { () throws(FileError) in
      try directory.appendLine(Array(lines), to: name)
    }
    for result in results { standings[result.folder] = Standing(result) }
  }

  /// Whether the last line of a folder is this one.
  func holds(_ result: FleetResult) -> Bool {
    standings[result.folder].map { $0.start == result.members.text("start") } ?? false
  }

  /// The results of one part of a fleet, which are few.
  static func lines(
    of name: FileName, in directory: Directory
  ) throws(MigrationError) -> [FleetResult] {
    var results: [FleetResult] = []
    _ = try MigrationError.wrapping { () throws(FileError) in
      try eachLine(of: name, in: directory) { line in
        if let result = FleetResult(line) { results.append(result) }
        return true
      }
    }
    return results
  }

  private static func lock(
    _ name: FileName, in directory: Directory
  ) throws(MigrationError) -> FolderLock? {
    do throws(FileError) {
      // What it says of folders is its user's alone, so it is not made as the lock of a folder is.
      do throws(FileError) { _ = try directory.createFile(name) } catch {
        guard case .alreadyExists = error else { throw error }
      }
      return try FolderLock.acquire(in: directory, name: name, timeoutSeconds: 1, creating: false)
    } catch {
      guard case .lockTimeout = error else { throw MigrationError(error) }
      throw .underlying(
        Diagnostic(
          .busy, subject: directory.path(of: name),
          problem: "another run of migrate-fleet is at work with it",
          remedy: "wait until that has ended, then run again"))
    }
  }

  private func read() throws(MigrationError) {
    var other: [String]?
    foreignLineCount = try MigrationError.wrapping { () throws(FileError) in
      try Self.eachLine(of: name, in: directory) { line in
        guard let result = FleetResult(line) else { return false }
        words = words ?? result.taskWords
        if words != result.taskWords { other = other ?? result.taskWords }
        standings[result.folder] = Standing(result)
        return true
      }
    }
    guard let other else { return }
    throw .underlying(
      Diagnostic(
        .conflictsWithData, subject: path,
        problem: "holds results of \(ShellWord.line(of: other)), and not of "
          + ShellWord.line(of: words ?? []) + " alone",
        remedy: "name another file with --results"))
  }

  /// Reads a file line by line, a missing one as empty; returns how many lines are not whole, too long,
  /// or refused.
  ///
  /// - Parameter body: takes a line; false if it is none that it knows.
  private static func eachLine(
    of name: FileName, in directory: Directory, _ body: (ArraySlice<UInt8>) -> Bool
  ) throws(FileError) -> Int {
    guard try directory.stateIfPresent(of: name) != nil else { return 0 }
    let file = try directory.openForReading(name)
    var splitter = LineSplitter(limit: FleetResult.longestLine)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var refusedCount = 0
    while true {
      let count = try file.read(into: &buffer)
      splitter.take(buffer[..<count]) { line in if !body(line) { refusedCount += 1 } }
      if count < buffer.count { break }
    }
    return refusedCount + splitter.longLineCount + (splitter.isInLine ? 1 : 0)
  }
}
