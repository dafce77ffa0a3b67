import Runs
import SafeFiles
import SwiftDataStores

/// The proofs that stores are sound, which are made while their rows are read.
enum SoundnessProofs {
  /// Calls `body` while another thread makes the proofs, if there may be more than this one, and returns
  /// when all are made.
  ///
  /// What is wrong with a store tells more than what reading it ran into, so that is thrown first.
  ///
  /// - Parameter body: calls `wait` before anything that only a sound store may lead to; that throws what
  ///   is wrong.
  static func making<Value>(
    _ checks: [SoundnessCheck], context: RunContext,
    while body: (_ wait: () throws(MigrationError) -> Void) throws(MigrationError) -> Value
  ) throws(MigrationError) -> Value {
    if checks.isEmpty { return try body {} }
    var rest = checks[...]
    let proofs = PiecesAhead<Bool, StoreError> { () throws(StoreError) in
      guard let check = rest.popFirst() else { return nil }
      try check.perform()
      return true
    }
    func wait() throws(MigrationError) {
      do throws(StoreError) { while try proofs.next() != nil {} } catch {
        throw MigrationError(error)
      }
    }
    return try proofs.whileMaking(threads: context.workerCount) { () throws(MigrationError) in
      let outcome = Result { () throws(MigrationError) in try body(wait) }
      try wait()
      return try outcome.get()
    }
  }
}
