import Diagnostics
package import MigrationCore
import Runs

extension StoreMigrationReport: ReadableReport {
  package var conclusion: [String] {
    guard let next else { return [] }
    let store = "the app's store is as it was."
    let done =
      leftOut.isEmpty
      ? ["Done: every row is in a document of \(target), and was compared; \(store)"]
      : [
        "Done: what was imported is in documents of \(target), and was compared; \(store)",
        "Not in a document, or not looked at:",
      ] + leftOut.map { "  \($0)" }
    return done + ["When the app has changed it since:", "  next: \(next.shellText)"]
  }
}
