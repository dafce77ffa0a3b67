import Backups
import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Testing

/// Undoing a restore: the way back, wherever it or an earlier undoing died.
@Suite struct RestoreUndoTests {
  private static let state = ".automerge-migrate.nosync"
  private static let quarantined = "\(state)/quarantine/20260106T120000Z/tags.json"

  /// What is below the folder but the states of runs, and the lock.
  private static func content(of place: BackupPlace) throws -> [String: String] {
    try BackupPlace.snapshot(of: place.folderPath).filter { path, _ in
      path != ".minuta.writelock.nosync" && path != state && !path.hasPrefix("\(state)/restore")
    }
  }

  /// Every content that a run of the folder has set aside.
  private static func setAside(in place: BackupPlace) throws -> [String] {
    let runs = place.folderPath + "/\(state)/restore"
    guard FileManager.default.fileExists(atPath: runs) else { return [] }
    return try BackupPlace.snapshot(of: runs).filter { path, content in
      // What a dead run leaves in `staging` is debris.
      content != "/" && !path.contains("/staging/")
    }.values.sorted()
  }

  @Test func `a restore that died anywhere is undone, quarantine and all`() throws {
    var call = 1
    var stages = 0
    while true {
      let place = try BackupPlace(["a": "backup", "b": "backup", "d/f": "backup"])
      let backup = try place.pack()
      try place.write("edited", to: "a")
      try place.write("new", to: "n/x")
      try place.remove("b")
      try place.write("imported", to: Self.quarantined)
      let edited = try Self.content(of: place)
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? StagedRestore.stage(
        backup, into: place.folder(plan), run: "one", replacesQuarantine: true
      ).commit()
      if !plan.hasFired { break }
      if let outcome = try place.undoRestore() {
        stages += 1
        #expect(outcome.isUndone && outcome.setAside == nil, "call \(call)")
        #expect(try Self.content(of: place) == edited, "call \(call)")
        // What had moved in may have been edited there, and is kept.
        #expect(try Self.setAside(in: place).allSatisfy { $0 == "backup" }, "call \(call)")
        #expect(try place.undoRestore() == nil, "call \(call)")
        #expect(try RestorePlace.unfinishedRun(in: place.folder()) == nil, "call \(call)")
        try place.restore(backup, run: "two")
        #expect(try place.snapshot()["b"] == "backup")
      }
      call += 1
    }
    #expect(stages > 10)
  }

  @Test(arguments: [false, true])
  func `undoing can die anywhere, and is completed by itself or by finishing`(
    isFinishing: Bool
  ) throws {
    // How far the restore came: while entries move out, and while they move in.
    for moved in [4, 9, 12, 15, 18] {
      var call = 1
      while true {
        let place = try BackupPlace(["a": "backup", "b": "backup", "d/f": "backup"])
        let backup = try place.pack()
        try place.write("edited", to: "a")
        try place.write("new", to: "n/x")
        try place.write("imported", to: Self.quarantined)
        let edited = try Self.content(of: place)
        try StagedRestore.stage(
          backup, into: place.folder(), run: "one", replacesQuarantine: true
        ).makeReady()
        _ = try? place.finishRestore(FaultPlan(atCall: moved, .stop))
        guard try RestorePlace.unfinishedRun(in: place.folder()) != nil else { break }
        let plan = FaultPlan(atCall: call, .stop)
        _ = try? place.undoRestore(plan)
        if try RestorePlace.unfinishedRun(in: place.folder()) != nil {
          // The first step decides that it is undone.
          let outcome =
            isFinishing && call > 1
            ? try place.finishRestore()
            : try place.undoRestore()
          #expect(outcome?.isUndone == true, "call \(call) after \(moved)")
        }
        #expect(try Self.content(of: place) == edited, "call \(call) after \(moved)")
        if !plan.hasFired { break }
        call += 1
      }
      #expect(call > 5)
    }
  }

  @Test func `a restore of some entries is undone, and what was added is taken away`() throws {
    var call = 1
    var stages = 0
    while true {
      let place = try BackupPlace(["a": "backup", "d/f": "backup", "d/g": "backup", "z": "backup"])
      let backup = try place.pack().archive
      try place.write("edited", to: "a")
      try place.remove("d/g")
      try place.write("kept", to: "d/k")
      let edited = try Self.content(of: place)
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? place.restore(["a", "d"], of: backup, run: "one", faults: plan)
      if !plan.hasFired { break }
      if try RestorePlace.unfinishedRun(in: place.folder()) != nil {
        stages += 1
        // It can die, too.
        _ = try? place.undoRestore(FaultPlan(atCall: 1 + call % 7, .stop))
        _ = try place.undoRestore()
        let content = try Self.content(of: place)
        #expect(content == edited, "call \(call): \(content)")
        #expect(try Self.setAside(in: place).allSatisfy { $0 == "backup" }, "call \(call)")
      }
      call += 1
    }
    #expect(stages > 5)
  }

  @Test func `what others wrote meanwhile stays or is set aside, and is told`() throws {
    let place = try BackupPlace(["tags.json": "backup", "n": "backup"])
    let backup = try place.pack()
    try place.write("before", to: "tags.json")
    try StagedRestore.stage(backup, into: place.folder(), run: "run").makeReady()
    let run = place.folderPath + "/\(Self.state)/restore/run"
    try FileManager.default.createDirectory(atPath: run + "/old", withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: place.folderPath + "/tags.json", toPath: run + "/old/tags.json")
    try place.write("app", to: "tags.json")
    try place.write("app", to: "o")
    let outcome = try #require(try place.undoRestore())
    #expect(
      outcome.arrived.map(\.description) == ["\(Self.state)/restore/run/arrived/tags.json"])
    #expect(
      try place.snapshot() == ["tags.json": "before", "n": "backup", "o": "app"])
    #expect(try Self.setAside(in: place) == ["app"])
  }

  /// Errors that a rename gives for directories of lower layers and for places of mounts.
  @Test(arguments: [Int32(18), 16])
  func `a directory that cannot be renamed is moved by its entries`(number: Int32) throws {
    var call = 1
    var copied = 0
    while true {
      let place = try BackupPlace(["a": "backup", "d/e/f": "backup"])
      let backup = try place.pack()
      try place.write("edited", to: "d/e/f")
      try place.write("new", to: "n/x")
      let plan = FaultPlan(atCall: call, .failure(number))
      let outcome = try? place.restore(backup, run: "one", faults: plan)
      if !plan.hasFired { break }
      if outcome != nil {
        copied += 1
        #expect(try place.snapshot() == ["a": "backup", "d": "/", "d/e": "/", "d/e/f": "backup"])
        #expect(
          try Self.setAside(in: place) == ["backup", "edited", "new"], "call \(call)")
      } else if try RestorePlace.unfinishedRun(in: place.folder()) != nil {
        #expect(try place.undoRestore()?.isUndone == true, "call \(call)")
        #expect(try place.snapshot()["d/e/f"] == "edited", "call \(call)")
      } else {
        // Only the last call of all comes when everything is in its place.
        let content = try place.snapshot()
        #expect(
          content["d/e/f"] == "edited"
            || content == ["a": "backup", "d": "/", "d/e": "/", "d/e/f": "backup"], "call \(call)")
      }
      call += 1
    }
    #expect(copied > 3)
  }

  @Test func `what cannot move out is put back at once, with what to do`() throws {
    var call = 1
    var undone = 0
    while true {
      let place = try BackupPlace(["a": "backup", "d/f": "backup"])
      let backup = try place.pack()
      try place.write("edited", to: "a")
      let edited = try place.snapshot()
      let plan = FaultPlan(atCall: call, .failure(1))
      do {
        try place.restore(backup, run: "one", faults: plan)
        if !plan.hasFired { break }
      } catch let error as BackupError {
        if case .restoreUndone = error {
          undone += 1
          #expect(error.diagnostic.remedy?.contains("everything was put back") == true)
          #expect(try place.snapshot() == edited, "call \(call)")
          #expect(try RestorePlace.unfinishedRun(in: place.folder()) == nil, "call \(call)")
        } else if case .restoreStopped = error {
          #expect(error.diagnostic.remedy?.contains("restore-backup --abort") == true)
        }
      }
      call += 1
    }
    #expect(undone > 3)
  }
}
