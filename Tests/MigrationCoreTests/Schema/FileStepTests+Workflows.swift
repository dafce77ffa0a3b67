import FileFaults
import Folders
import Foundation
import Runs
import SchemaMigrations

@testable import MigrationCore

// What other tests of steps over files run, too.
extension FileStepTests {
  /// The steps of a plan over the files of a folder.
  static func workflow(
    _ folder: ProfiledFolder, _ plan: Plan, faults: FaultPlan? = nil,
    undoing id: MigrationID? = nil, forcing forced: MigrationID? = nil,
    _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> FileStepWorkflow {
    let context = folder.context(faults: faults)
    var options = SchemaOptions(plans: [plan], source: .file(path: folder.folder.path))
    options.undone = id
    options.forced = forced.map { [$0] } ?? []
    configure(&options)
    return FileStepWorkflow(
      options, in: try ListedFolder(folder.folder.path, context: context), context: context)
  }

  /// A folder of notes, and a plan whose step `bang` adds an exclamation mark to the body of each.
  static func exclaimedNotes() throws -> (folder: ProfiledFolder, plan: Plan) {
    let folder = try ProfiledFolder(sample: "notes")
    let profile = folder.profile
    let text = """
      {"plan": "p", "profile": "notes", "steps": [
        {"id": "bang", "risk": "transformative", "entities": {"note": [
          {"set": "body", "to": {"concatenate": [{"copy": "/body"}, {"constant": "!"}]}}]}}]}
      """
    return (folder, try Plan(parsing: Array(text.utf8), of: "plan.json") { _ in profile })
  }
}
