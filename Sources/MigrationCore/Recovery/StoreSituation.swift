import Backups
import Diagnostics
import Runs

/// What is wrong with a store and what there is to put it right, as far as a plan has to know.
struct StoreSituation: Hashable, Sendable {
  /// Why the store is not what its app needs.
  enum Problem: Hashable, Sendable {
    /// The database is gone; `isSomethingLeft` says whether its log, its journal or anything else of it
    /// is there.
    case missing(isSomethingLeft: Bool)
    /// It cannot be opened.
    case damaged
    /// The rows are gone that a backup holds.
    case emptied
  }

  /// A backup that was read whole.
  struct Backup: Hashable, Sendable {
    /// Its path, as a command takes it.
    var path: String
    /// How many rows it holds.
    var rowCount: Int
    /// Whether it is the app's own copy.
    var isMadeByApp = false
  }

  /// Files for large values that the store names and has lost, and the backup that holds them.
  struct LostFiles: Hashable, Sendable {
    /// The path of the backup, as a command takes it.
    var backup: String
    /// What of it is to be brought back: the files, or the directory of all of them.
    var paths: [String]
    /// How many files that is.
    var count: Int
  }

  /// The absolute path of the database.
  var store: String
  /// What it holds; nil if nobody can read that.
  var summary: StoreSummary?
  /// What is wrong; nil for a store that can be read.
  var problem: Problem?
  /// The newest backup that brings it back; nil if there is none.
  var backup: Backup?
  /// Whether something lies beside the database that the app takes in or overwrites when it starts.
  var hasLogToKeep = false
  /// The files for large values that backups hold and the store has lost, newest backup first.
  var lostFiles: [LostFiles] = []
  /// Whether an archive holds all files of the store as they are now.
  var isKept = false

  /// Creates the situation of a store with nothing wrong.
  init(store: String) {
    self.store = store
  }
}

/// Turns what is wrong with stores into steps, in the order in which they help. It reads no file.
struct StoreRecoveryPlanner {
  /// Returns the steps for some stores.
  ///
  /// - Parameters:
  ///   - restored: the place of a restore that was interrupted; nothing else is known then.
  ///   - backupDirectory: where backups go; nil means beside each store.
  static func steps(
    for stores: [StoreSituation], finishing restored: String? = nil, backupDirectory: String? = nil
  ) -> [RecoveryStep] {
    if let restored {
      return [
        step(
          "a restore was interrupted, and nobody may write before it is finished",
          .restoreBackup, ["--finish", restored, "--brief"])
      ]
    }
    return stores.flatMap { store in
      var steps: [RecoveryStep] = []
      if let reason = reasonToKeep(store), !store.isKept {
        steps.append(
          step(
            reason, .packBackup,
            [store.store, "--as-it-is"] + NextCommand.options(backupDirectory: backupDirectory)
              + ["--brief"]))
      }
      if let problem = store.problem, let backup = store.backup {
        steps.append(
          step(
            reasonToRestore(problem, backup), .restoreBackup,
            [backup.path, "--into", store.store, "--brief"]))
      }
      if store.problem == nil { steps += store.lostFiles.map { bringing($0, beside: store.store) } }
      return steps
    }
  }

  private static func bringing(
    _ lost: StoreSituation.LostFiles, beside store: String
  ) -> RecoveryStep {
    let slash = store.lastIndex(of: "/")
    let directory = slash.map { $0 == store.startIndex ? "/" : String(store[..<$0]) } ?? "."
    let files = lost.count.counted("file")
    return step(
      "\(files) for large values \(lost.count == 1 ? "is" : "are") gone from beside the store: a "
        + "backup that verifies brings them back, and nothing else",
      .restoreBackup, [lost.backup, "--into", directory, "--only"] + lost.paths + ["--brief"])
  }

  private static func step(
    _ reason: String, _ name: NextCommand.Name, _ arguments: [String]
  ) -> RecoveryStep {
    RecoveryStep(reason, .run(NextCommand(name, arguments)))
  }

  /// Why the files are backed up as they are; nil if there is nothing to keep.
  private static func reasonToKeep(_ store: StoreSituation) -> String? {
    switch store.problem {
    case .missing(isSomethingLeft: false): nil
    case .missing: "the database is gone: what is left beside it is kept as it is"
    case .damaged: "the store is damaged: its files are kept as they are"
    case .emptied: "rows are gone: the store is kept as it is, with its log"
    case nil where store.hasLogToKeep:
      "the app takes in or overwrites what is beside the store when it starts: it is kept as it is"
    case nil: nil
    }
  }

  private static func reasonToRestore(
    _ problem: StoreSituation.Problem, _ backup: StoreSituation.Backup
  ) -> String {
    let source =
      backup.isMadeByApp
      ? "the newest whole copy that the app made" : "the newest backup that verifies"
    let rows = backup.rowCount.counted("row")
    switch problem {
    case .missing: return "\(source) brings the store back, with \(rows)"
    case .damaged: return "\(source) brings \(rows) back, and sets the damaged store aside"
    case .emptied: return "\(source) and holds them brings \(rows) back, and sets the store aside"
    }
  }
}
