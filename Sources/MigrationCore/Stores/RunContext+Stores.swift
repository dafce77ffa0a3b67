import Diagnostics
import Runs
import SafeFiles
import SwiftDataStores

extension RunContext {
  /// Returns what opens stores in this run.
  func storeOpener() throws(StoreError) -> StoreOpener {
    try StoreOpener(workingDirectory: temporaryDirectory, operations: operations) {
      [noteLeftBehind] error in
      noteLeftBehind(
        Finding(
          .leftBehind, .error, path: error.path,
          message: "a private copy of a store is still there: \(error.diagnostic.problem)",
          next: "remove its directory; otherwise the next command that reads a store tries to"))
    }
  }
}
