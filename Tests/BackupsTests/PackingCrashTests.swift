import Backups
import Diagnostics
import FileFaults
import SafeFiles
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct PackingCrashTests {
  @Test(arguments: [false, true])
  func `dying anywhere leaves no backup or a whole one`(isCompressed: Bool) throws {
    let place = try BackupPlace.sample()
    var call = 1
    var published = 0
    while true {
      let plan = FaultPlan(atCall: call, .stop)
      let before = try place.backupNames().count { $0.hasSuffix(".tar") || $0.hasSuffix(".zst") }
      let packed = try? place.pack(isCompressed: isCompressed, faults: plan)
      if !plan.hasFired {
        #expect(packed != nil)
        break
      }
      #expect(packed == nil, "call \(call)")
      let items = try place.store().list()
      for item in items { _ = try item.archive.verify() }
      published += items.count - before
      call += 1
    }
    #expect(call > 5)
    #expect(published == 1, "only the last call, the directory's synchronize, comes after the name")
    #expect(try place.backupNames().count == 2, "the next run swept what the dead ones left")
  }

  @Test func `a full disk is said, and leaves nothing`() throws {
    let place = try BackupPlace.sample()
    var call = 1
    while true {
      let plan = FaultPlan(atCall: call, .failure(ENOSPC))
      do {
        try place.pack(faults: plan)
        #expect(!plan.hasFired)
        break
      } catch let error as BackupError {
        #expect(error.diagnostic.kind == .inputOutput)
        #expect(error.diagnostic.problem.contains("full"))
      }
      call += 1
    }
    #expect(try place.backupNames().allSatisfy { $0.hasSuffix(".tar") })
  }

  @Test(arguments: [FaultPlan.Fault.shortWrite, .interruption])
  func `short writes and signals change nothing`(fault: FaultPlan.Fault) throws {
    let place = try BackupPlace.sample()
    var call = 1
    while true {
      let plan = FaultPlan(atCall: call, fault)
      let backup = try place.pack(isCompressed: call % 2 == 0, faults: plan)
      _ = try backup.archive.verify()
      if !plan.hasFired { break }
      call += 1
    }
    #expect(call > 5)
  }
}
