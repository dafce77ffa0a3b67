import Diagnostics
package import MigrationCore
import Runs

extension StoreMigrationReport: ReadableReport {
  package var conclusion: [String] {
    guard let next else { return [] }
    return [
      "Done: every row is in a document of \(target), and was compared; the app's store is as it was.",
      "When the app has changed it since:", "  next: \(next.shellText)",
    ]
  }
}
