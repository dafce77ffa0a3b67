import Diagnostics
import FolderDocuments
import Runs
import SchemaMigrations

// What the next run begins with where one was stopped in the middle of a step: it ends that.
extension FileStepWorkflow {
  /// Does what may be refused once files were given back, which an error tells then, as no report does.
  func telling(
    _ givenBack: SchemaReport.GivenBack?, _ body: () throws(MigrationError) -> Void
  ) throws(MigrationError) {
    do throws(MigrationError) { try body() } catch {
      guard let givenBack else { throw error }
      let (refusal, count) = (error.diagnostic, givenBack.fileCount)
      throw .underlying(
        Diagnostic(
          refusal.kind, subject: refusal.subject,
          problem: "\(refusal.problem); \(count.counted("file")) "
            + "\(count == 1 ? "is" : "are") again as before "
            + "\(givenBack.steps.map(\.rawValue).listed), at which a run was stopped",
          remedy: refusal.remedy))
    }
  }

  /// Returns the options that the command needs that goes on where a run was stopped: what is given back may
  /// again be of no known version, as it was when that run was told one.
  func consents(after look: Look) throws(MigrationError) -> [String] {
    guard look.standing.isUnfinished, options.undone == nil,
      let settled = try look.storage.settled(in: look.inventory)
    else { return look.report.consents }
    let next = try self.look(at: folder, after: settled)
    guard next.standing.version == nil, options.baseline == nil,
      let taken = try TakenVersion.noted(in: folder.directory),
      options.steps.compactMap(\.versions).contains(where: { taken == $0.from || taken == $0.to })
    else { return next.report.consents }
    var options = options
    options.baseline = .version(taken)
    do throws(MigrationError) {
      let told = try FileStepWorkflow(options, in: folder, context: context)
        .look(at: folder, after: settled)
      return ["--baseline", String(taken)] + told.report.consents
    } catch {
      // The data does not fit that version any more.
      guard error.diagnostic.kind == .conflictsWithData else { throw error }
      return next.report.consents
    }
  }
}

extension SchemaReport {
  /// Says what ending a run that was stopped leaves of files, or would.
  ///
  /// - Parameter standing: how it stood with the steps before.
  mutating func note(ended settled: SettledFiles, of standing: PlanStanding) {
    if settled.isUndoing {
      note(finished: standing, ([], settled.count))
    } else if settled.count > 0 {
      givenBack = GivenBack(
        steps: standing.standings.filter { $0.state == .unfinished }.map(\.id),
        fileCount: settled.count)
    }
  }

  /// Says which steps wait once a run that was stopped is ended.
  mutating func note(waiting standing: PlanStanding) {
    let waiting = standing.standings.filter { $0.state == .waiting }
    standings = standings.map { known in waiting.first { $0.id == known.id } ?? known }
  }
}
