import Backups
import FileFaults
import Foundation
import SafeFiles
import Testing

@Suite struct RestoreCrashTests {
  @Test func `dying anywhere is finished or undone by the next run, and nothing is lost`() throws {
    var call = 1
    var stages: Set<String> = []
    while true {
      let place = try BackupPlace(["a": "backup", "d/f": "backup"])
      let backup = try place.pack()
      let restored = try place.snapshot()
      try place.write("edited", to: "a")
      try place.write("new", to: "n")
      let edited = try place.snapshot()
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? place.restore(backup, run: "one", faults: plan)
      if !plan.hasFired {
        #expect(try place.snapshot() == restored)
        break
      }
      if try RestorePlace.unfinishedRun(in: place.folder()) != nil {
        stages.insert("moving")
        #expect(try place.finishRestore() != nil, "call \(call)")
      } else {
        let now = try place.snapshot()
        #expect(now == edited || now == restored, "call \(call)")
        stages.insert(now == edited ? "before" : "after")
        if now == edited { try place.restore(backup, run: "two") }
      }
      #expect(try place.snapshot() == restored, "call \(call)")
      let state = try BackupPlace.snapshot(
        of: place.folderPath + "/.automerge-migrate.nosync/restore")
      // The edits are set aside, once, and nothing else is left but the empty run of a dead one.
      let kept = state.filter { $0.value != "/" }
      #expect(kept.values.sorted() == ["backup", "edited", "new"], "call \(call)")
      #expect(kept.keys.allSatisfy { $0.contains("/old/") }, "call \(call)")
      call += 1
    }
    #expect(stages == ["before", "moving", "after"])
  }

  @Test func `finishing an unfinished restore can die anywhere too`() throws {
    var call = 1
    while true {
      let place = try BackupPlace(["a": "backup", "d/f": "backup"])
      let backup = try place.pack()
      let restored = try place.snapshot()
      try place.write("edited", to: "a")
      try StagedRestore.stage(backup, into: place.folder(), run: "one").makeReady()
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? place.finishRestore(plan)
      if !plan.hasFired {
        #expect(try place.snapshot() == restored)
        break
      }
      _ = try place.finishRestore()
      #expect(try place.snapshot() == restored, "call \(call)")
      #expect(try RestorePlace.unfinishedRun(in: place.folder()) == nil)
      call += 1
    }
    #expect(call > 8)
  }
}

extension RestoreCrashTests {
  @Test(arguments: [FaultPlan.Fault.stop, .failure(5)])
  func `a restore of some entries that fails anywhere is completed by the next`(
    _ fault: FaultPlan.Fault
  ) throws {
    let origin = [
      "a": "backup", "d/f": "backup", "d/g": "backup", "d/e/h": "backup", "z": "backup",
    ]
    var call = 1
    var wasMoving = false
    while true {
      let place = try BackupPlace(origin)
      let backup = try place.pack().archive
      try place.write("edited", to: "a")
      try place.write("edited", to: "d/f")
      try place.write("edited", to: "z")
      try place.remove("d/e")
      let expected = try place.snapshot().merging(
        ["a": "backup", "d/f": "backup", "d/e": "/", "d/e/h": "backup"]
      ) { $1 }
      let plan = FaultPlan(atCall: call, fault)
      _ = try? place.restore(["a", "d"], of: backup, run: "one", faults: plan)
      // Each file is old or new, or its old one is aside and its new one waits.
      for name in ["a", "d/f", "z"] {
        let now = try BackupPlace.snapshot(of: place.folderPath)
        #expect(
          now.contains { $0.key.hasSuffix(name) && $0.value == "edited" },
          "call \(call): \(name) is lost")
      }
      if try RestorePlace.unfinishedRun(in: place.folder()) != nil {
        wasMoving = true
        #expect(try place.finishRestore() != nil, "call \(call)")
      }
      try place.restore(["a", "d"], of: backup, run: "two")
      #expect(try place.snapshot() == expected, "call \(call)")
      #expect(try RestorePlace.unfinishedRun(in: place.folder()) == nil)
      // What a dead run leaves in `staging` is debris, which the next command that writes sweeps.
      let aside = try BackupPlace.snapshot(
        of: place.folderPath + "/.automerge-migrate.nosync/restore"
      ).filter { $0.value != "/" && !$0.key.contains("/staging/") }
      #expect(aside.values.sorted() == ["edited", "edited"], "call \(call): \(aside)")
      #expect(aside.keys.allSatisfy { $0.contains("/old/") }, "call \(call)")
      if !plan.hasFired { break }
      call += 1
    }
    #expect(wasMoving && call > 25)
  }

  @Test func `finishing a restore of some entries can die anywhere too`() throws {
    var call = 1
    while true {
      let place = try BackupPlace(["a": "backup", "d/f": "backup"])
      let backup = try place.pack().archive
      try place.write("edited", to: "a")
      try place.write("edited", to: "d/f")
      try StagedRestore.stage(backup.choose(["a", "d"]), into: place.folder(), run: "one")
        .makeReady()
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? place.finishRestore(plan)
      if !plan.hasFired { break }
      _ = try place.finishRestore()
      #expect(try place.snapshot() == ["a": "backup", "d": "/", "d/f": "backup"], "call \(call)")
      call += 1
    }
    #expect(call > 8)
  }
}

extension RestoreCrashTests {
  @Test func `a quarantine that goes with the old content goes wherever the restore died`() throws {
    let quarantined = ".automerge-migrate.nosync/quarantine/20260106T120000Z/tags.json"
    let aside = ".automerge-migrate.nosync/restore/one/quarantine/20260106T120000Z/tags.json"
    var call = 1
    var wasMoving = 0
    while true {
      let place = try BackupPlace(["a": "backup"])
      let backup = try place.pack()
      try place.write("edited", to: "a")
      try place.write("imported", to: quarantined)
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? StagedRestore.stage(
        backup, into: place.folder(plan), run: "one", replacesQuarantine: true
      ).commit()
      if try RestorePlace.unfinishedRun(in: place.folder()) != nil {
        wasMoving += 1
        #expect(try place.finishRestore() != nil, "call \(call)")
        #expect(try RestorePlace.unfinishedRun(in: place.folder()) == nil, "call \(call)")
      }
      // One content and what lies in quarantine for it, or the other and none.
      let all = try BackupPlace.snapshot(of: place.folderPath)
      let isRestored = all["a"] == "backup"
      #expect(all[isRestored ? aside : quarantined] == "imported", "call \(call)")
      #expect(all[isRestored ? quarantined : aside] == nil, "call \(call)")
      if !plan.hasFired { break }
      call += 1
    }
    #expect(wasMoving > 10)
  }
}

extension RestoreCrashTests {
  /// Half of what was unpacked must never look like a content that waits for its place.
  @Test(arguments: [FaultPlan.Fault.stop, .failure(5)])
  func `giving a restore up can die anywhere, and leaves nothing to finish`(
    _ fault: FaultPlan.Fault
  ) throws {
    var call = 1
    while true {
      let place = try BackupPlace(["a": "backup", "b": "backup", "d/f": "backup"])
      let backup = try place.pack()
      let restored = try place.snapshot()
      try place.write("edited", to: "a")
      let edited = try place.snapshot()
      let plan = FaultPlan(atCall: call, fault)
      let staged = try? StagedRestore.stage(
        backup, into: place.folder(plan), run: "one", replacesQuarantine: true)
      try? staged?.discard()
      #expect(try place.finishRestore() == nil, "call \(call)")
      #expect(try place.snapshot() == edited, "call \(call)")
      try place.restore(backup, run: "two")
      #expect(try place.snapshot() == restored, "call \(call)")
      if !plan.hasFired { break }
      call += 1
    }
    #expect(call > 30)
  }
}
