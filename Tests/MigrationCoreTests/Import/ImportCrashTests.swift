import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import SampleFolders
import Testing

@testable import MigrationCore
@testable import Runs

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The commonest fault comes at every call; the others at some, at all with AUTOMERGE_MIGRATE_SLOW=1.
@Suite struct ImportCrashTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil

  static func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.makeSample {
      $0.recordCount = 8
      $0.monthCount = 2
      $0.imageInterval = 0
    }
    return folder
  }

  @Test(arguments: [FaultPlan.Fault.stop, .failure(ENOSPC), .failure(EIO)])
  func `an import that fails anywhere leaves old or new, and the next one completes it`(
    _ fault: FaultPlan.Fault
  ) throws {
    let undisturbed = try Self.folder()
    let legacy = try undisturbed.files()
    try undisturbed.importing()
    let expected = try undisturbed.files()
    let step = Self.isSlow || fault == .stop ? 1 : 3
    var call = 1
    while true {
      let folder = try Self.folder()
      let faults = FaultPlan(atCall: call, fault)
      _ = try? folder.importing(workers: 1, faults: faults)
      for (name, bytes) in try folder.files() where !name.hasSuffix(".tmp.nosync") {
        #expect(
          bytes == legacy[name] || bytes == expected[name], "call \(call): \(name)")
      }
      try folder.importing()
      #expect(try folder.files() == expected, "call \(call)")
      #expect(try folder.verifying().isSound, "call \(call)")
      if !faults.hasFired { break }
      call += step
    }
    #expect(call > 10)
  }

  @Test(arguments: [LayoutChoice.monthly, .perRecord], [EIO, EACCES, EMFILE])
  func `an import into another folder that cannot read everything leaves no month in part`(
    layout: LayoutChoice, number: Int32
  ) throws {
    let source = try Self.folder()
    let whole = try TestFolder()
    func importing(into target: TestFolder, _ faults: FaultPlan? = nil) throws -> ImportReport {
      try source.importing(workers: 1, faults: faults) {
        $0.target = target.path
        $0.layout = layout
      }
    }
    _ = try importing(into: whole)
    let expected = try whole.documents()
    func month(_ path: String) -> Substring { path.dropLast(10).prefix(15) }
    let step = Self.isSlow || number == EIO ? 1 : 5
    var call = 1
    var withheldCount = 0
    while true {
      let target = try TestFolder()
      let faults = FaultPlan(atCall: call, .failure(number), calls: .looking)
      let report = try? importing(into: target, faults)
      let documents = try target.documents()
      for path in documents.keys {
        let others = expected.filter { month($0.key) == month(path) }
        #expect(others.allSatisfy { documents[$0.key] == $0.value }, "call \(call): \(path)")
      }
      if let report, documents.count < expected.count {
        withheldCount += report.findings.contains { $0.code == .kept } ? 1 : 0
        #expect(report.endsWithDifferences, "call \(call)")
      }
      _ = try importing(into: target)
      #expect(try target.documents() == expected, "call \(call)")
      if !faults.hasFired { break }
      call += step
    }
    #expect(withheldCount > (step == 1 ? 4 : 0))
  }

  @Test func `an import that extends documents and fails anywhere can be run again`() throws {
    let origin = try Self.folder()
    try origin.importing()
    for month in ["01", "02"] {
      try origin.write(
        Legacy.record(Int(month) ?? 0, start: "2023-\(month)-05T00:00:00Z"),
        to: "records/2023/\(month)/new.json")
    }
    let old = try origin.files()
    let undisturbed = try TestFolder()
    try origin.copy(to: undisturbed)
    try undisturbed.importing()
    let expected = try undisturbed.files()
    var call = 1
    while true {
      let folder = try TestFolder()
      try origin.copy(to: folder)
      let faults = FaultPlan(atCall: call, .stop)
      _ = try? folder.importing(workers: 1, faults: faults)
      for (name, bytes) in try folder.files() where !name.hasSuffix(".tmp.nosync") {
        #expect(bytes == old[name] || bytes == expected[name], "call \(call): \(name)")
      }
      try folder.importing()
      #expect(try folder.files() == expected, "call \(call)")
      if !faults.hasFired { break }
      call += 1
    }
  }

  @Test func `an interrupted import says so and changes nothing visible`() throws {
    let folder = try Self.folder()
    let before = try folder.files()
    var context = TestFolder.context()
    context.isInterrupted = { true }
    #expect(throws: MigrationError.interrupted) {
      try ImportWorkflow(
        ImportOptions(source: .folder(path: folder.path)), context: context
      ).perform()
    }
    #expect(try folder.files() == before)
  }
}
