import Diagnostics
import Folders
package import MigrationCore
import Runs

extension MigrationReport: ReadableReport {
  /// How many names are told of a folder that is none of ours.
  private static let mostNames = 3

  package var conclusion: [String] {
    if let lost {
      return ["Nothing to migrate, but what was migrated is not all there:"]
        + lost.conclusion.dropFirst().map { "  \($0)" }
    }
    switch decision.status {
    case .empty: return ["Nothing to migrate: \(folder) is empty."]
    case .unknown:
      let rest = foreign.count - Self.mostNames
      let names = foreign.prefix(Self.mostNames).joined(separator: ", ")
      return [
        "Nothing to migrate: \(folder) holds \(names)\(rest > 0 ? " and \(rest.grouped) more" : "").",
        "Looked for \(lookedFor), and the documents they become, and found none.",
      ] + toRun
    case .cleaned:
      // Files of other apps may stay when their entities are out of them.
      let json = decision.hasOneLayout ? "JSON with entities" : "JSON"
      return ["Nothing to migrate: \(folder) holds documents, and no \(json)."]
    case .legacy, .migrating, .migrated, .mixed: return backup == nil ? [] : outcome
    }
  }

  private var lookedFor: String {
    expectedFiles.isEmpty
      ? "tags.json, records/YYYY/MM/*.json" : expectedFiles.joined(separator: ", ")
  }

  /// What is told after everything was done.
  private var outcome: [String] {
    if decision.cleansUp { return nextLines.map { "Done. To undo it: \($0)" } }
    if decision.hasOneLayout { return ["Done; the JSON is still there."] + toRun }
    let done = [
      "Done; the JSON is still there. Do not open the app on another device before clean-up:",
      "an app whose preference automerge_migration_complete_v1 is not set would migrate it once "
        + "more.",
    ]
    if let unread = decision.unread, let layout = decision.layout {
      return done + [
        "There is \(unread.documents), of which an app with --layout \(layout.rawValue) reads "
          + "nothing."
      ] + toRun
    }
    guard !decision.isLayoutKnown, toRun.count == 2 else { return done + toRun }
    return done + [
      "No --layout was given, so there is a document for each month. For an app that reads those:",
      toRun[0], "For Minuta as released, which reads a document for each record:", toRun[1],
    ]
  }

  private var toRun: [String] { nextLines.map { "  next: \($0)" } }
}
