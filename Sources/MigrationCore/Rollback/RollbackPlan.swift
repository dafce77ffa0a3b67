package import Diagnostics
import Folders
import Runs
package import SafeFiles

/// The paths that a rollback works with.
package struct RollbackPlaces: Hashable, Sendable {
  /// In the work: the path of the backup of what is replaced; there once the next content is whole.
  package static let today: FileName = "today"
  /// In the work: what is told of months that were purged.
  static let purged: FileName = "purged"
  /// In the work: the paths of files that held something else than what they get.
  static let displaced: FileName = "displaced"
  /// In the work: the content that the folder gets, made of a copy of what it holds.
  static let next: FileName = "next"
  /// In the work: the JSON that is made of the documents of that copy.
  static let json: FileName = "json"

  /// The absolute path of the folder.
  package let folder: String

  /// The places of a folder.
  package init(folder: String) { self.folder = folder }

  /// The directory beside the folder, because there is as much room there.
  package var work: String { "\(folder)-rollback.nosync" }

  var next: String { "\(work)/\(Self.next)" }
  var json: String { "\(work)/\(Self.json)" }
  var archive: String { "\(work)/next.tar" }
}

/// A step of a rollback.
package enum RollbackStep: Hashable, Sendable {
  /// Says what comes.
  case say(String)
  /// Runs a command, whose status 1 may be an answer: something differs, or was left out. Of one that is
  /// silent only errors are told.
  case run(NextCommand, isSilent: Bool, mayDiffer: Bool)
  /// Does what is no command.
  case act(Action)
  /// Runs the command that puts the next content in place. Stopped from here on, a run leaves its work
  /// behind: the next one has to know what it replaces.
  case putInPlace(NextCommand)

  /// What is no command.
  package enum Action: Hashable, Sendable {
    /// Copies the quarantine, which knows names of files, to the copy of the folder.
    case copyQuarantine
    /// Notes which backups hold months that were purged.
    case notePurged
    /// Removes the JSON files that hold several entities, to be written again with others.
    case dropShared
    /// Has the copy of the folder hold the JSON in the place of the documents.
    case assemble
    /// Notes that the next content is whole, and the backup of what it replaces.
    case settle(replacing: String)
  }
}

/// The steps of a rollback, in their order; reads no file.
///
/// A copy becomes the next content of the folder: of what was just backed up, so that nothing is
/// missing that a sync service had away for a moment.
struct RollbackPlan {
  let places: RollbackPlaces
  let options: RollbackOptions
  var kinds = EntityKinds.minuta
  /// The runs in quarantine that set old months aside.
  let monthsAside: [String]
  /// The backup that was just made.
  let today: String

  var steps: [RollbackStep] { copying + exporting + replacing }

  private var dates: [String] { NextCommand.options(numericDates: options.numericDates) }

  /// What has a command take private kinds, too: all of it stays in the folder.
  private var all: [String] { kinds.privateOptions }

  private var copying: [RollbackStep] {
    var steps = [
      silent(.restoreBackup, [today, "--into", places.next]), .act(.copyQuarantine),
    ]
    // Months that were set aside are exported, too: they come back to the copy, where they had been.
    // What has been put in their places since stays; their documents become conflict copies of it, and
    // are merged.
    for run in monthsAside {
      steps.append(
        silent(
          .cleanupLegacy, [places.next, "--bring-back", run, "--apply"], mayDiffer: true))
    }
    if !monthsAside.isEmpty {
      steps.append(told(.mergeConflicts, [places.next], mayDiffer: true))
    }
    // JSON that was not imported yet becomes part of what is exported; what cannot be imported stays.
    steps.append(silent(.importCRDT, [places.next] + all + dates, mayDiffer: true))
    return steps + [.act(.notePurged)]
  }

  private var exporting: [RollbackStep] {
    let export =
      [places.next, "--to", places.json, "--backup", options.backup] + all + dates
    // What was deleted is told where it is written, too.
    var steps: [RollbackStep] = [
      .say("export"),
      .run(
        command(.exportJSON, export), isSilent: options.bringsBackDeleted, mayDiffer: true),
      // This is what decides: a document that does not load, or a value that is not in the JSON, ends
      // it.
      told(.verifyCounts, [places.next, "--against", places.json, "--equal"] + all + dates),
    ]
    if options.bringsBackDeleted {
      // Files that hold several entities may get others. All others are there already: they are
      // compared, and not written again.
      steps += [
        .act(.dropShared), told(.exportJSON, export + ["--with-deleted"], mayDiffer: true),
      ]
    }
    return steps
  }

  private var replacing: [RollbackStep] {
    [
      .say("put the JSON in place"),
      // JSON that was imported must not stay beside what became of it, nor if that was deleted. What
      // was never imported as it is now stays, unless its record is exported.
      silent(
        .cleanupLegacy, [places.next, "--apply", "--backup", today] + dates, mayDiffer: true),
      .act(.assemble), silent(.packBackup, [places.next, "--output", places.archive]),
      .act(.settle(replacing: today)),
      // Whoever wrote to the folder meanwhile must not find that undone.
      .putInPlace(
        command(
          .restoreBackup, [places.archive, "--into", places.folder, "--replacing", today])),
    ]
  }

  private func silent(
    _ name: NextCommand.Name, _ arguments: [String], mayDiffer: Bool = false
  ) -> RollbackStep {
    .run(command(name, arguments), isSilent: true, mayDiffer: mayDiffer)
  }

  private func told(
    _ name: NextCommand.Name, _ arguments: [String], mayDiffer: Bool = false
  ) -> RollbackStep {
    .run(command(name, arguments), isSilent: false, mayDiffer: mayDiffer)
  }

  /// A command that knows the profile.
  private func command(_ name: NextCommand.Name, _ arguments: [String]) -> NextCommand {
    NextCommand(name, arguments + kinds.options)
  }
}
