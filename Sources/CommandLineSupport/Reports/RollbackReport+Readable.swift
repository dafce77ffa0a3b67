import Diagnostics
package import MigrationCore
import Runs

extension RollbackReport: ReadableReport {
  package var conclusion: [String] {
    switch stop {
    case .before: return ["Stopped: nothing in the folder has changed."]
    case .whileReplacing: return []
    case nil: break
    }
    guard let undoing else { return ["Nothing to roll back: the folder holds no document."] }
    return purged + done + ["To undo this: \(undoing.shellText)"]
  }

  private var done: [String] {
    guard let preference else { return ["Done."] }
    return [
      "Done. Before the app is opened again, clear its preference \(preference), on each",
      "device: with it set the app looks for documents only. On a Mac, with the app's bundle "
        + "identifier:",
      "  defaults delete BUNDLE-IDENTIFIER \(preference)",
    ]
  }
}
