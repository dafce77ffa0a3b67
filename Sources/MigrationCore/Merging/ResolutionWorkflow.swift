import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
package import Runs
import SafeFiles

/// What `merge-conflicts --resolve` is asked to do.
package struct ResolutionOptions: Sendable {
  /// The folder of the document.
  package var folder: String
  /// The identity of the entity, its key, or the first digits of either; empty for what is beside the
  /// entities.
  package var id: String
  /// The field, with the names of the maps it lies in.
  package var field: String
  /// Which of its values stays.
  package var choice: ValueChoice

  /// Creates options.
  package init(folder: String, id: String, field: String, choice: ValueChoice) {
    self.folder = folder
    self.id = id
    self.field = field
    self.choice = choice
  }
}

/// Writes what a person decided about a field that has several values.
///
/// The document that is published was read back and compared: it has every change that was there and
/// one more, and no other value of it is another. A run that dies anywhere leaves the old document or
/// the new one; the next finds the field as it was, or that nothing is left to decide.
package struct ResolutionWorkflow: PlannedWorkflow {
  private let options: ResolutionOptions
  private let context: RunContext
  private let clock = RunClock()

  /// Creates a workflow; nothing is read yet.
  package init(_ options: ResolutionOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what would be written; writes nothing and needs no lock.
  package func plan() throws(MigrationError) -> ResolutionReport {
    let folder = try FolderAccess.open(options.folder, context: context)
    var report = try run(in: folder, writing: nil).report
    report.isDryRun = true
    return report
  }

  /// Writes the decision under the app's lock. A second run changes nothing.
  package func perform() throws(MigrationError) -> ResolutionReport {
    let folder = try FolderAccess.open(options.folder, context: context)
    if try !MergeWorkflow.isMarked(folder) {
      // A folder in which nothing is to be decided is not even locked: that would write a lock file.
      let (report, isTidy) = try run(in: folder, writing: nil)
      if !report.isWritten, isTidy { return report }
    }
    return try WritingRun.perform(in: folder, clock: clock, context: context) {
      writing throws(MigrationError) in
      try run(in: folder, writing: writing).report
    }
  }

  /// - Returns: what was done, and whether no run that failed has left anything in the folder.
  private func run(
    in folder: Directory, writing: WritingRun?
  ) throws(MigrationError) -> (report: ResolutionReport, isTidy: Bool) {
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: folder, for: writing, context: context, noting: &unlisted)
    try inventory.requireKnownApp(in: folder, at: options.folder, unlisted: unlisted)
    unlisted += inventory.unseen(inPlaceOfDocuments: true)
    let search = EntitySearch(options, in: inventory)
    let (found, defects) = try search.find(in: folder, besides: unlisted, context: context)
    let path = inventory.path(of: found.file)
    let (file, document) = try load(path, in: folder)
    guard let (place, way) = search.place(of: found, in: document) else {
      throw MigrationError.folderChanging(path: path.description)
    }

    var report = ResolutionReport(path: path.description, found.entity, field: options.field)
    // The same entity may be in one of those, with values that nobody has seen.
    report.findings = (unlisted + defects).withoutRepetitions().inReportOrder()
    let chosen: ChosenValue
    do throws(ChosenValue.Refusal) {
      chosen = try chosenValue(of: place, in: document)
    } catch {
      throw search.refusal(
        "\(options.field) of \(found.entity.title) \(error.problem)", error.remedy, found)
    }
    if place.values.count == 1 {
      report.kept = try document.reportValue(of: place.values[0])
    } else {
      let decision = try ConflictDecision(
        chosen, at: place, path: way, in: document, seconds: clock.begin.seconds,
        message: "merge-conflicts --resolve \(found.entity.identity) \(options.field) "
          + options.choice.text)
      try report.take(decision, over: place, in: document)
      if let writing {
        try publish(decision, at: path, over: file, in: folder, writing, &report)
      }
    }
    report.seconds = clock.seconds
    return (report, !inventory.holdsOwnTemporaries)
  }

  private func load(
    _ path: RelativePath, in folder: Directory
  ) throws(MigrationError) -> (MergeFile, DocumentState) {
    let file = try MigrationError.wrapping { () throws(FileError) in
      try MergeFile(path, in: folder)
    }
    do {
      return (file, try DocumentState(loading: file.bytes))
    } catch {
      throw .damagedDocument(
        path: path.description, offset: error.offset, problem: error.problem)
    }
  }

  /// The value that the field is to have: of a field that has one, only that can be.
  private func chosenValue(
    of place: FieldPlace, in document: DocumentState
  ) throws(ChosenValue.Refusal) -> ChosenValue {
    guard place.values.count == 1 else {
      let chosen = try ChosenValue(options.choice, at: place, in: document)
      if let obstacle = ConflictDecision.obstacle(to: chosen, at: place, in: document) {
        throw obstacle
      }
      return chosen
    }
    let only = ChosenValue.existing(place.values[0])
    guard case .value = options.choice else { return only }
    // A value of another type is another value.
    let chosen = try? ChosenValue(options.choice, at: place, in: document)
    if case .existing? = chosen { return only }
    throw ChosenValue.Refusal(
      problem: "has one value, \(ChosenValue.told(place.values[0], in: document))",
      remedy: "a decision is between values in conflict; write another one with the app")
  }

  private func publish(
    _ decision: ConflictDecision, at path: RelativePath, over file: MergeFile,
    in folder: Directory, _ writing: WritingRun, _ report: inout ResolutionReport
  ) throws(MigrationError) {
    writing.beginWriting()
    do throws(MergeFailure) {
      try MergePublisher.publish(decision.result(replacing: file), at: path, in: folder)
      report.change = decision.change.hex
    } catch {
      report.isWritten = false
      switch error {
      case .stopped(let error): throw error
      case .left(let finding): report.findings.append(finding)
      }
    }
  }
}
