import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

@Suite struct OldMonthsTests {
  /// A folder of two old months and a new one, with images and tags, imported.
  static func folder(_ layout: LayoutChoice = .monthly) throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write(Legacy.tags(Legacy.tag(90)), to: "tags.json")
    for (number, month) in [(1, "2019-05"), (2, "2020-12"), (3, "2021-01"), (4, "2019-05")] {
      let place = "records/" + month.replacing("-", with: "/")
      let image = "\(Legacy.id(number))_0.jpg"
      try folder.write(
        Legacy.record(
          number, start: "\(month)-0\(number)T09:30:00Z",
          "\"tagId\":\"\(Legacy.id(90))\",\"images\":[\"\(image)\"]"),
        to: "\(place)/\(month)-0\(number)_093000.json")
      try folder.write("picture \(number)", to: "\(place)/\(image)")
    }
    try folder.write("a note", to: "records/2019/05/note.txt")
    try folder.importing { $0.layout = layout }
    return folder
  }

  private func old(_ path: String) -> Bool {
    path.hasPrefix("records/2019") || path.hasPrefix("records/2020")
  }

  @Test(arguments: [LayoutChoice.monthly, .perRecord], [false, true])
  func `old months move whole, and nothing else does`(
    layout: LayoutChoice, isCleaned: Bool
  ) throws {
    let folder = try Self.folder(layout)
    if isCleaned { try folder.cleaning(backup: folder.packing().archives[0].path) }
    let before = try folder.files()
    let backup = try folder.packing().archives[0].path
    let plan = try folder.cleaning(backup: backup, monthsBefore: "2021-01", isDryRun: true)
    #expect(try folder.files() == before)
    let report = try folder.cleaning(backup: backup, monthsBefore: "2021-01")
    #expect(plan.months == report.months)
    #expect(report.months.map(\.month) == ["2019-05", "2020-12"])
    #expect(report.months.allSatisfy { $0.outcome == .moved })
    #expect(!report.endsWithDifferences, "\(report.findings)")
    let moved = before.filter { old($0.key) && !$0.key.hasSuffix("note.txt") }
    #expect(report.files.map(\.path) == moved.keys.sorted())
    #expect(try folder.files() == before.filter { moved[$0.key] == nil })
    for (path, bytes) in moved {
      #expect(try folder.bytes("\(report.quarantine)/\(path)") == bytes)
    }

    // What is left stands for itself.
    let verified = try folder.verifying()
    #expect(verified.isSound, "\(verified.findings)")
    #expect(verified.counts.allSatisfy { $0.reference == $0.documents })
    #expect(verified.findings.contains { $0.code == .setAside })
    #expect(try folder.verifying(against: .backup(path: backup)).isSound)
    let after = try folder.files()
    try folder.importing()
    #expect(try folder.files() == after)
    #expect(try folder.exporting().report.records == 1)
    #expect(try folder.cleaning(backup: backup, monthsBefore: "2021-01").months.isEmpty)

    // And the months come back.
    #expect(
      !(try folder.restoring(backup, only: ["records/2019", "records/2020"]).endsWithDifferences))
    #expect(try folder.files() == before)
    #expect(try folder.verifying().isSound)
  }

  @Test func `a purge unlinks what was set aside`() throws {
    let folder = try Self.folder()
    let backup = try folder.packing().archives[0].path
    let report = try folder.cleaning(backup: backup, monthsBefore: "2021-01")
    let purged = try folder.purging(backup: backup, age: 0)
    #expect(purged.files.count { $0.outcome == .purged } == report.files.count)
    #expect(try folder.verifying().isSound)
    #expect(try folder.purging(backup: backup, age: 0).task == .purge)
  }

  /// What keeps 2019-05 where it is; everything else moves.
  enum Obstacle: String, CaseIterable {
    case copy, copiedDirectory, copyPlaceholder, placeholder, damagedDocument, damagedFile,
      changedFile
    case changedDocument, newImage, link

    func prepare(_ folder: TestFolder) throws {
      let month = "records/2019/05"
      switch self {
      case .copy:
        try folder.write(folder.bytes("\(month).automerge"), to: "\(month) 2.automerge")
      case .copyPlaceholder: try folder.write("x", to: "records/2019/.05 2.automerge.icloud")
      case .copiedDirectory:
        try folder.write("x", to: "records 2/2019/05/\(Legacy.id(1))_0.jpg")
      case .placeholder: try folder.write("x", to: "\(month)/.x_0.jpg.icloud")
      case .damagedDocument: try folder.write("broken", to: "\(month).automerge")
      case .damagedFile: try folder.write("{", to: "\(month)/x.json")
      case .changedFile:
        try folder.write(Legacy.record(1), to: "\(month)/2019-05-01_093000.json")
      case .link:
        try FileManager.default.createSymbolicLink(
          atPath: folder.path + "/\(month)/y.jpg", withDestinationPath: "/etc/passwd")
      case .changedDocument, .newImage: break
      }
    }

    func changeAfterBackup(_ folder: TestFolder) throws {
      switch self {
      case .changedDocument:
        let identity = try #require(Identity(Legacy.id(1)))
        try folder.edit("records/2019/05.automerge", actor: 7) {
          try $0.set("comment", of: identity, to: "new")
        }
      case .newImage: try folder.write("x", to: "records/2019/05/x_1.jpg")
      default: break
      }
    }
  }

  @Test(arguments: Obstacle.allCases)
  func `a month with anything unproven stays whole`(name: Obstacle) throws {
    let folder = try Self.folder()
    try name.prepare(folder)
    let backup = try folder.packing().archives[0].path
    try name.changeAfterBackup(folder)
    let before = try folder.files()
    let report = try folder.cleaning(backup: backup, monthsBefore: "2021-01")
    #expect(
      report.months.map { "\($0.month) \($0.outcome)" } == ["2019-05 kept", "2020-12 moved"],
      "\(name)")
    #expect(report.endsWithDifferences)
    #expect(
      report.findings.contains { $0.code == .kept && $0.message.hasPrefix("2019-05 stays whole") },
      "\(name): \(report.findings)")
    let after = try folder.files()
    for (path, bytes) in before where !path.hasPrefix("records/2020") {
      #expect(after[path] == bytes, "\(name): \(path)")
    }
  }

  @Test func `a month that JSON of another month was imported to waits for that`() throws {
    let folder = try Self.folder()
    // The record's start was moved to a later month in the JSON app; it was imported before.
    try folder.write(
      folder.bytes("records/2020/12/2020-12-02_093000.json"),
      to: "records/2021/02/2020-12-02_093000.json")
    try folder.remove("records/2020/12/2020-12-02_093000.json")
    let backup = try folder.packing().archives[0].path
    let report = try folder.cleaning(backup: backup, monthsBefore: "2021-01")
    #expect(
      report.months.map { "\($0.month) \($0.outcome)" } == ["2019-05 moved", "2020-12 kept"])
    try folder.cleaning(backup: backup)
    let again = try folder.cleaning(backup: backup, monthsBefore: "2021-01")
    #expect(again.months.map { "\($0.month) \($0.outcome)" } == ["2020-12 moved"])
    let documents = try folder.documents()
    try folder.importing()
    #expect(try folder.documents() == documents)
  }

  @Test func `a month that stays keeps the month that its JSON was imported to`() throws {
    let folder = try Self.folder()
    // JSON of the new month was imported to 2019-05, and JSON of 2019-05 to 2020-12.
    try folder.write(
      folder.bytes("records/2019/05/2019-05-01_093000.json"),
      to: "records/2021/02/2019-05-01_093000.json")
    try folder.remove("records/2019/05/2019-05-01_093000.json")
    try folder.write(
      folder.bytes("records/2020/12/2020-12-02_093000.json"),
      to: "records/2019/05/2020-12-02_093000.json")
    try folder.remove("records/2020/12/2020-12-02_093000.json")
    let before = try folder.files()
    let backup = try folder.packing().archives[0].path
    let report = try folder.cleaning(backup: backup, monthsBefore: "2021-01")
    #expect(report.months.map { "\($0.month) \($0.outcome)" } == ["2019-05 kept", "2020-12 kept"])
    #expect(try folder.files() == before)
    #expect(report.undo == nil)
  }

  @Test func `a month that changes midway is put back whole, or told what of it is where`() throws {
    let origin = try Self.folder()
    let path = "records/2020/12/\(Legacy.id(2))_0.jpg"
    for place in [path, "records/2020/12/2020-12-02_093000.json"] {
      var outcomes: Set<String> = []
      for call in 1... {
        let folder = try TestFolder()
        try origin.copy(to: folder)
        let backup = try folder.packing().archives[0].path
        let target = URL(filePath: folder.path).appending(path: place)
        // Somebody writes the image in place before each call in turn, or JSON anew.
        let faults = FaultPlan(beforeCall: call) {
          try? Data("written by somebody else".utf8).write(to: target)
        }
        let before = try folder.files()
        guard
          let report = try? folder.cleaning(
            backup: backup, monthsBefore: "2021-01", faults: faults)
        else {
          #expect(faults.hasFired)
          continue
        }
        if !faults.hasFired { break }
        let after = try folder.files()
        let month = try #require(report.months.first { $0.month == "2020-12" })
        outcomes.insert("\(month.outcome)")
        for file in report.files where file.path.hasPrefix("records/2020") {
          let isThere = after[file.path] != nil
          let isAway = folder.exists("\(report.quarantine)/\(file.path)")
          #expect(file.outcome == .moved ? isAway : isThere && !isAway, "call \(call): \(file)")
          if file.path != place {
            #expect(isThere == (file.outcome == .kept), "call \(call): \(file)")
            #expect(isThere != isAway)
          }
          if month.outcome == .kept, file.outcome == .moved {
            #expect(
              report.findings.contains { $0.path == file.path && $0.command == report.undo },
              "call \(call): \(report.findings)")
          }
        }
        if month.outcome == .kept {
          for name in before.keys where name.hasPrefix("records/2020") && name != place {
            #expect(after[name] == before[name], "call \(call): \(name)")
          }
        }
      }
      #expect(outcomes == ["kept", "moved"], "\(place)")
    }
  }

  @Test func `an error while months move says where those are that had moved`() throws {
    let origin = try Self.folder()
    var told = 0
    for call in 1... {
      let folder = try TestFolder()
      try origin.copy(to: folder)
      let backup = try folder.packing().archives[0].path
      let faults = FaultPlan(atCall: call, .failure(EACCES))
      do {
        try folder.cleaning(backup: backup, monthsBefore: "2021-01", faults: faults)
        if !faults.hasFired { break }
      } catch let error as MigrationError {
        if try folder.requireToldMoves(of: origin, in: error.diagnostic, "call \(call)") {
          told += 1
        }
        #expect(error.diagnostic.kind == .permissionDenied, "call \(call)")
      }
    }
    #expect(told > 10)
  }

  @Test func `without a backup nothing moves, and what is no month is wrong usage`() throws {
    let folder = try Self.folder()
    let before = try folder.files()
    #expect(throws: MigrationError.self) {
      try folder.cleaning(backup: nil, monthsBefore: "2021-01")
    }
    let plan = try folder.cleaning(backup: nil, monthsBefore: "2021-01", isDryRun: true)
    #expect(plan.months.count == 2)
    for text in ["2021", "2021-13", "2021-1", "2021-01-01", ""] {
      let error = #expect(throws: MigrationError.self) {
        try folder.cleaning(backup: nil, monthsBefore: text, isDryRun: true)
      }
      #expect(error?.diagnostic.kind == .usage)
    }
    #expect(try folder.files() == before)
  }

  @Test(arguments: [LayoutChoice.monthly, .perRecord])
  func `dying anywhere loses nothing, imports nothing twice and is completed by the next run`(
    layout: LayoutChoice
  ) throws {
    let origin = try Self.folder(layout)
    let all = try origin.files()
    var call = 1
    while true {
      let folder = try TestFolder()
      try origin.copy(to: folder)
      let backup = try folder.packing().archives[0].path
      let faults = FaultPlan(atCall: call, .stop)
      _ = try? folder.cleaning(backup: backup, monthsBefore: "2021-01", faults: faults)
      // Every file is in exactly one place.
      let now = try folder.files(includingState: true)
      for (name, bytes) in all {
        let places = now.filter { $0.key == name || $0.key.hasSuffix("Z/\(name)") }
        #expect(places.values.map { $0 } == [bytes], "call \(call): \(name) in \(places.keys)")
      }
      // Nobody takes for new what is only half set aside.
      let documents = try folder.documents()
      try folder.importing { $0.layout = layout }
      #expect(try folder.documents() == documents, "call \(call)")
      let report = try folder.cleaning(backup: backup, monthsBefore: "2021-01")
      #expect(!report.endsWithDifferences, "call \(call): \(report.findings)")
      #expect(
        try folder.files().keys.filter { old($0) && !$0.hasSuffix("note.txt") } == [],
        "call \(call)")
      #expect(try folder.verifying().isSound, "call \(call)")
      if !faults.hasFired { break }
      call += 1
    }
    #expect(call > 20)
  }
}

@Suite struct ConflictCopyProofTests {
  @Test func `what only a conflict copy holds is not cleaned up before that is merged`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    let base = try folder.bytes("records/2024/01.automerge")
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    try folder.importing()
    try folder.write(
      folder.bytes("records/2024/01.automerge"), to: "records/2024/01 2.automerge")
    try folder.write(base, to: "records/2024/01.automerge")
    let backup = try folder.packing().archives[0].path
    let report = try folder.cleaning(backup: backup)
    #expect(report.files.map(\.path) == ["records/2024/01/a.json", "records/2024/01/b.json"])
    #expect(report.files.map(\.outcome) == [.moved, .kept])
    #expect(
      report.findings.contains {
        $0.path == "records/2024/01/b.json" && $0.next?.contains("merge-conflicts") ?? false
      })
  }

  @Test func `of a month that is kept, what could not go back from quarantine is told`() throws {
    let origin = try OldMonthsTests.folder(.monthly)
    try origin.packing()
    let tree = try origin.storedTree()
    let file = "records/2019/05/2019-05-01_093000.json"
    let quarantine = ".automerge-migrate.nosync/quarantine"
    // Somebody writes to a file that has just moved, and another one to where it was.
    func run(_ call: Int) throws -> (TestFolder, CleanUpReport?, FaultPlan) {
      let folder = try TestFolder(tree)
      let plan = FaultPlan(beforeCall: call, calls: .looking) {
        let runs = try? FileManager.default.contentsOfDirectory(
          atPath: "\(folder.path)/\(quarantine)")
        for run in runs ?? [] where folder.exists("\(quarantine)/\(run)/\(file)") {
          try? folder.write("of one", to: "\(quarantine)/\(run)/\(file)")
          try? folder.write("of another", to: file)
        }
      }
      let backup = try folder.newestBackup()
      return (
        folder, try? folder.cleaning(backup: backup, monthsBefore: "2021-01", faults: plan), plan
      )
    }
    let count = try run(.max).2.callCount
    var stuck = 0
    // At each call: few lie between the move of a file and the look at it, and which those are
    // changes with the threads.
    for call in 1...count {
      let (folder, report, _) = try run(call)
      guard let report else { continue }
      for item in report.files {
        let isAway = folder.exists("\(report.quarantine)/\(item.path)")
        #expect((item.outcome == .moved) == isAway, "call \(call): \(item.path)")
      }
      for month in report.months where month.outcome == .kept {
        stuck += month.movedCount
        #expect(report.endsWithDifferences, "call \(call)")
      }
    }
    #expect(stuck > 0)
  }
}
