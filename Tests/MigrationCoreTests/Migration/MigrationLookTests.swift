import FileFaults
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a migration sees before it writes anything.
@Suite struct MigrationLookTests {
  /// The habits have no dates that say months: such files are read twice, and once is enough.
  @Test func `a look that cannot read something does not decide as if it were not there`() throws {
    let app = try ProfiledFolder(sample: "habits")
    try app.importing()
    try app.cleaning(backup: #require(app.packing().archives.first?.path))
    func look(_ faults: (any FileOperations)? = nil) throws -> MigrationReport {
      try MigrationWorkflow(
        MigrationOptions(folder: app.folder.path), context: app.context(workers: 1, faults: faults)
      ).look()
    }
    #expect(try look().decision.status == .cleaned)
    for number in [EIO, EMFILE] {
      var seen: [Int] = []
      for call in 1... {
        let plan = FaultPlan(atCall: call, .failure(number), calls: .looking)
        do {
          let report = try look(plan)
          guard plan.hasFired else { break }
          #expect(report.decision.status == .cleaned, "error \(number) at call \(call)")
          // That something is not all there is told.
          if !report.differs { seen.append(call) }
        } catch is MigrationError {
          // An error has a status of its own.
        }
      }
      // What nothing depends on, such as whether a run is at work.
      #expect(seen.count < 10, "error \(number) at calls \(seen)")
    }
  }
}
