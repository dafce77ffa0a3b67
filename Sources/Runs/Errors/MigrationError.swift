package import Diagnostics

/// Why a workflow stopped before its report.
package enum MigrationError: DiagnosableError, Hashable {
  /// The caller asked to stop; every file is old or new.
  case interrupted
  /// A lower layer failed; the diagnostic says which file and why.
  case underlying(Diagnostic)
  /// A document of the folder cannot be read and the run cannot go on without it.
  case damagedDocument(path: String, offset: Int?, problem: String)
  /// Nothing tells which kind of entity a document holds.
  case unknownDocument(path: String, expected: [String])
  /// There is nothing at a path that must exist.
  case missing(path: String, expected: String)
  /// Something went wrong while files moved to a run in quarantine; `undo` brings back what had moved.
  case stoppedMoving(Diagnostic, run: String, undo: NextCommand?)
  /// A run is not in quarantine, where `next` lists what is.
  case noQuarantineRun(path: String, next: NextCommand)
  /// A directory cannot be looked at, and the run cannot go on without it.
  case unlisted(path: String, problem: String)
  /// Source and target overlap without being the same.
  case nestedPlaces(source: String, target: String)
  /// What is to be written would be content of a data folder that was not given to be written to.
  case insideFolder(path: String, folder: String)
  /// The source holds documents and the caller did not agree to copy values without history.
  case sourceHoldsDocuments(path: String)
  /// Nothing in a folder is of the app that its profile, or the built-in one, describes.
  case unknownApp(UnknownApp)
  /// An option is needed that was not given.
  case optionMissing(option: String, reason: String)
  /// An option asks for what the profile of the folder does not have.
  case notInProfile(option: String, reason: String)
  /// Dates that are text now were numbers in a backup, and nobody has said what these count.
  case datesWereNumbers(path: String, count: Int, units: [String])
  /// A backup does not hold what it should.
  case unprovenBackup(path: String, problem: String)
  /// The rows of a store are gone that its newest backup holds, and nobody said that this is right.
  case storeEmptied(path: String, problem: String)
  /// A file exists with other bytes and is not replaced.
  case existsWithOtherBytes(path: String)
  /// A file kept changing while it was read.
  case folderChanging(path: String)
  /// A folder does not hold what a backup holds any more.
  case folderDiffers(path: String, backup: String)
  /// Something that cannot be is; the message is for the programmer.
  case brokenInvariant(String)
  /// A stream's bytes could not be read or written.
  case streamFailed(name: String, problem: String)

  /// Wraps an error of a lower layer.
  package init(_ error: any DiagnosableError) {
    self = .underlying(error.diagnostic)
  }

  /// Wraps an error of a stream that the caller gave.
  package init(streamFailure error: any Error, name: String) {
    if let error = error as? any DiagnosableError {
      self.init(error)
    } else {
      self = .streamFailed(name: name, problem: "\(error)")
    }
  }

  package var diagnostic: Diagnostic {
    switch self {
    case .interrupted:
      Diagnostic(
        .busy, subject: "", problem: "interrupted", remedy: "run the same command again")
    case .underlying(let diagnostic):
      diagnostic
    case .damagedDocument(let path, let offset, let problem):
      Diagnostic(
        .damagedInput, subject: path, offset: offset, problem: problem,
        remedy: "fetch the document again, or restore it from a backup")
    case .unknownDocument(let path, let expected):
      Diagnostic(
        .conflictsWithData, subject: path,
        problem: "its name does not tell which kind of entity it holds",
        remedy: "copy it to a name of the profile: \(expected.joined(separator: ", "))")
    case .missing(let path, let expected):
      Diagnostic(.missingInput, subject: path, problem: "there is no \(expected) here")
    case .stoppedMoving(let reason, let run, let undo):
      reason.whileMoving(to: run, undo: undo)
    case .noQuarantineRun(let path, let next):
      Diagnostic(
        .missingInput, subject: path,
        problem: "there is no quarantine run here, as when all of it is back or was purged",
        remedy: "see what is in quarantine with \(next.shellText)")
    case .unlisted(let path, let problem):
      Diagnostic(
        .inputOutput, subject: path, problem: problem, remedy: "make it readable, then run again")
    case .nestedPlaces(let source, let target):
      Diagnostic(
        .usage, subject: target, problem: "source and target overlap: \(source)",
        remedy: "give the same directory twice, or two that do not contain each other")
    case .insideFolder(let path, let folder):
      Diagnostic(
        .usage, subject: path,
        problem: "lies inside the data folder \(DisplayText.escaping(folder.utf8))",
        remedy: "choose a place beside that folder")
    case .sourceHoldsDocuments(let path):
      Diagnostic(
        .conflictsWithData, subject: path,
        problem: "the source holds documents, whose history would not be copied",
        remedy: "copy the documents themselves, or add --flatten to copy their values only")
    case .unknownApp(let unknown):
      unknown.diagnostic
    case .notInProfile(let option, let reason):
      Diagnostic(.usage, subject: option, problem: reason, remedy: "leave it out")
    case .optionMissing(let option, let reason):
      Diagnostic(.usage, subject: option, problem: reason)
    case .datesWereNumbers(let path, let count, let units):
      Diagnostic(
        .conflictsWithData, subject: path,
        problem:
          "holds dates as numbers, \(count.grouped) of which documents show: they would be text",
        remedy: "add --numeric-dates \(units.joined(separator: " or ")), which fits them, and "
          + "they are numbers again")
    case .unprovenBackup(let path, let problem):
      Diagnostic(
        .conflictsWithData, subject: path, problem: problem,
        remedy: "make a new backup with pack-backup and name it")
    case .storeEmptied(let path, let problem):
      Diagnostic(
        .conflictsWithData, subject: path, problem: problem,
        remedy: "bring them back with restore-backup, or say --allow-empty if they are to be gone")
    case .existsWithOtherBytes(let path):
      Diagnostic(
        .cannotCreate, subject: path, problem: "exists with other bytes and is not replaced",
        remedy: "choose an empty directory, or move the file away")
    case .folderChanging(let path):
      Diagnostic(
        .busy, subject: path, problem: "keeps changing while it is read",
        remedy: "wait until the sync service or the app is done, then try again")
    case .folderDiffers(let path, let backup):
      Diagnostic(
        .busy, subject: path, problem: "changed meanwhile: it is not what \(backup) holds",
        remedy: "close the app, then run again; nothing was changed")
    case .brokenInvariant(let problem):
      Diagnostic(
        .internalError, subject: "", problem: problem,
        remedy: "report this with the command and its input; nothing was written")
    case .streamFailed(let name, let problem):
      Diagnostic(.inputOutput, subject: name, problem: problem)
    }
  }
}

extension MigrationError {
  /// Says that there is no layout to choose.
  package static let noLayouts = notInProfile(
    option: "--layout", reason: "documents lie where the profile says")
}

extension Diagnostic {
  /// The same with where files are that had moved when it came.
  fileprivate func whileMoving(to run: String, undo: NextCommand?) -> Diagnostic {
    var diagnostic = self
    diagnostic.problem += "; what had moved before is in \(run)"
    let again = "run again to move the rest"
    diagnostic.remedy = [remedy, undo.map { "\(again), or \($0.shellText) to undo it" } ?? again]
      .compactMap(\.self).joined(separator: ", then ")
    return diagnostic
  }
}
