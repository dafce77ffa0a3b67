import Automerge
import Foundation
import Testing

/// Two folders that are brought together by two processes.
@Suite struct SyncFolderTests {
  @Test func `each side gets what it does not have, and nothing is left for a second run`() throws {
    let folders = try SyncedFolders()
    let before = try [folders.one, folders.two].map(SyncedFolders.changes)
    let first = try folders.sync("--json")
    #expect(first.status == 0, "\(first.output)\(first.errors)")
    #expect(first.errors == "")
    #expect(try folders.areEqual())
    #expect(try SyncedFolders.images(in: folders.one).count == 2)
    let after = try SyncedFolders.changes(of: folders.one)
    #expect(after == before[0].merging(before[1]) { $0.union($1) })
    for (name, old) in [("changesReceived", before[0]), ("changesSent", before[1])] {
      let added = after.values.reduce(0) { $0 + $1.count } - old.values.reduce(0) { $0 + $1.count }
      #expect(added > 0 && first.summary?[name] as? Int == added, "\(name)")
    }
    #expect(first.summary?["filesReceived"] as? Int == 1)
    #expect(first.summary?["filesSent"] as? Int == 1)
    let documents = first.jsonLines.filter { $0["type"] as? String == "document" }
    #expect(
      documents.map { $0["path"] as? String }
        == ["01", "02", "03"].map { "records/2024/\($0).automerge" })
    #expect(documents.map { $0["newThere"] as? Bool } == [false, true, false])
    #expect(documents.map { $0["newHere"] as? Bool } == [false, false, true])
    #expect(documents.allSatisfy { $0["equal"] as? Bool == true })

    let written = try [folders.one, folders.two].map(SmallFolder.snapshot)
    let second = try folders.sync("--json")
    #expect(second.status == 0, "\(second.output)\(second.errors)")
    #expect(second.summary?["equalBefore"] as? Int == 4)
    #expect(second.summary?["documents"] as? Int == 4)
    #expect(try [folders.one, folders.two].map(SmallFolder.snapshot) == written)
    for folder in [folders.one, folders.two] {
      let history = try run("inspect-crdt", "--history", folder.path)
      #expect(history.output.contains("sync-folder"), "\(history.output)")
    }
  }

  @Test func `a picture that is edited in its place, with its time set back, is not equal`() throws
  {
    let folders = try SyncedFolders(isParted: false)
    let name = "records/2024/01/\(SmallFolder.firstID)_0.jpg"
    let old = Date(timeIntervalSince1970: 1_000_000_000)
    for folder in [folders.one, folders.two] {
      try FileManager.default.setAttributes(
        [.modificationDate: old], ofItemAtPath: folder.appending(path: name).path)
    }
    #expect(try folders.sync("-q").status == 0)
    let known = try folders.sync("--json")
    #expect(known.status == 0, "\(known.output)\(known.errors)")
    let picture = folders.one.appending(path: name)
    let bytes = try Data(contentsOf: picture)
    let file = try FileHandle(forUpdating: picture)
    try file.write(contentsOf: Data(bytes.map { $0 ^ 1 }))
    try file.close()
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: picture.path)
    let edited = try folders.sync("--brief")
    #expect(edited.status == 1, "\(edited.output)")
    #expect(edited.output.contains(name), "\(edited.output)")
    #expect(try Data(contentsOf: folders.two.appending(path: name)) == bytes)
  }

  @Test func `a side writes now and then where more comes than fits into its memory`() throws {
    let folders = try SyncedFolders(isParted: false)
    var random = SystemRandomNumberGenerator()
    // After the fourth the other side is full.
    for month in ["04", "05", "06", "07", "08", "09"] {
      let document = Document()
      var noise = Data(count: 9 << 19)
      for index in noise.indices { noise[index] = .random(in: 0...255, using: &random) }
      try document.put(obj: .ROOT, key: "noise", value: .Bytes(noise))
      try document.save().write(to: folders.one.appending(path: "records/2024/\(month).automerge"))
    }
    let run = try folders.sync("--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for path in SyncedFolders.documents(in: folders.one) {
      let files = [folders.one, folders.two].map { $0.appending(path: path) }
      #expect(try Data(contentsOf: files[0]) == Data(contentsOf: files[1]), "\(path)")
    }
  }

  @Test func `the report says what was done, in words`() throws {
    let folders = try SyncedFolders()
    let run = try folders.sync()
    #expect(run.output.contains("records/2024/03.automerge  new"), "\(run.output)")
    #expect(
      run.output.contains(
        "Equal in \(folders.two.path): 4 documents and 2 files, 3 and 2 of them by this run"),
      "\(run.output)")
  }

  @Test func `a plan writes nothing on either side`() throws {
    let folders = try SyncedFolders()
    let before = try SmallFolder.snapshot(of: folders.place.url)
    let plan = try folders.sync("--dry-run", "--json")
    #expect(plan.status == 0, "\(plan.output)\(plan.errors)")
    #expect(plan.summary?["dryRun"] as? Bool == true)
    #expect(plan.jsonLines.count { $0["type"] as? String == "document" } == 3)
    #expect(try SmallFolder.snapshot(of: folders.place.url) == before)
  }

  @Test func `edits of both sides to one record are both in the document of each`() throws {
    let folders = try SyncedFolders()
    #expect(try folders.sync("-q").status == 0)
    try folders.edit("hier", in: folders.one)
    try folders.edit("dort", in: folders.two)
    let run = try folders.sync("--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try folders.areEqual())
    let conflicts = try CommandTests.run(
      "inspect-crdt", folders.one.appending(path: "records/2024/01.automerge").path, "--conflicts")
    #expect(conflicts.output.contains("hier") && conflicts.output.contains("dort"))
  }

  @Test func `what both remember makes the next sync small`() throws {
    let folders = try SyncedFolders()
    #expect(try folders.sync("-q").status == 0)
    try folders.edit("neu", in: folders.two)
    let known = try folders.sync("--json")
    #expect(known.summary?["changesReceived"] as? Int == 1, "\(known.output)")
    try folders.edit("noch neuer", in: folders.two)
    // What one side has lost is not used by the other.
    try FileManager.default.removeItem(
      at: folders.one.appending(path: ".automerge-migrate.nosync/sync"))
    let lost = try folders.sync("--json")
    #expect(lost.status == 0, "\(lost.output)\(lost.errors)")
    #expect(try folders.areEqual())
    let bytes = try [known, lost].map { run in
      try #require(run.summary?["bytesReceived"] as? Int)
    }
    #expect(bytes[0] < bytes[1], "\(bytes)")
    // And a memory that was damaged is one that was lost.
    for folder in [folders.one, folders.two] {
      let place = folder.appending(path: ".automerge-migrate.nosync/sync")
      for name in try FileManager.default.contentsOfDirectory(atPath: place.path) {
        var bytes = try Data(contentsOf: place.appending(path: name))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: place.appending(path: name))
      }
    }
    try folders.edit("am neuesten", in: folders.one)
    #expect(try folders.sync().status == 0)
    #expect(try folders.areEqual())
  }

  @Test func `a copy of a folder is another folder`() throws {
    let folders = try SyncedFolders()
    #expect(try folders.sync("-q").status == 0)
    try FileManager.default.removeItem(at: folders.two)
    try FileManager.default.copyItem(at: folders.one, to: folders.two)
    try folders.edit("neu", in: folders.two)
    #expect(try folders.sync().status == 0)
    #expect(try folders.areEqual())
    #expect(try folders.sync().status == 0)
  }

  @Test func `an empty folder gets everything`() throws {
    let folders = try SyncedFolders()
    try FileManager.default.removeItem(at: folders.two)
    try FileManager.default.createDirectory(at: folders.two, withIntermediateDirectories: true)
    #expect(try folders.sync().status == 0)
    #expect(try folders.areEqual())
    #expect(!FileManager.default.fileExists(atPath: folders.two.appending(path: "tags.json").path))
  }

  @Test func `a file that is another on each side stays, and that is said`() throws {
    let folders = try SyncedFolders()
    try folders.write("mine", to: "01/x.jpg", in: folders.one)
    try folders.write("theirs", to: "01/x.jpg", in: folders.two)
    let run = try folders.sync("--json")
    #expect(run.status == 1)
    #expect(run.summary?["filesDiffering"] as? Int == 1)
    let findings = run.jsonLines.filter { $0["code"] as? String == "changed-image" }
    #expect(findings.count == 2, "\(run.output)")
    for (folder, text) in [(folders.one, "mine"), (folders.two, "theirs")] {
      #expect(
        try String(contentsOf: folder.appending(path: "records/2024/01/x.jpg"), encoding: .utf8)
          == text)
    }
    // The rest was synced.
    #expect(try SyncedFolders.heads(of: folders.one) == SyncedFolders.heads(of: folders.two))
  }

  @Test func `files that were deleted on one side come back`() throws {
    let folders = try SyncedFolders()
    #expect(try folders.sync("-q").status == 0)
    for path in ["records/2024/02.automerge", "records/2024/01/\(SmallFolder.firstID)_0.jpg"] {
      try FileManager.default.removeItem(at: folders.two.appending(path: path))
    }
    #expect(try folders.sync().status == 0)
    #expect(try folders.areEqual())
    #expect(SyncedFolders.documents(in: folders.two).count == 4)
  }

  @Test func `an unfinished folder is synced as far as its documents go, and that is said`() throws
  {
    let folders = try SyncedFolders()
    let document = folders.two.appending(path: "records/2024/01.automerge")
    try FileManager.default.removeItem(at: document)
    try folders.write(
      SyncedFolders.record(3, "2024-01-21T10:00:00Z", "vierte"), to: "01/2024-01-21_100000.json",
      in: folders.two)
    let run = try folders.sync("--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(
      run.jsonLines.contains {
        $0["code"] as? String == "not-synced"
          && ($0["message"] as? String)?.contains("on the other side: there are JSON files") == true
      })
    #expect(try folders.areEqual())
    // Its import makes the same changes as any, so nothing is there twice in the end.
    #expect(try CommandTests.run("import-crdt", folders.two.path).status == 0)
    #expect(try folders.sync().status == 0)
    #expect(try folders.areEqual())
    let verification = try CommandTests.run("verify-counts", folders.two.path, "--json")
    #expect(verification.status == 0, "\(verification.output)")
  }

  @Test func `two layouts are refused, and nothing is written`() throws {
    let folders = try SyncedFolders()
    for path in SyncedFolders.documents(in: folders.two) {
      try FileManager.default.removeItem(at: folders.two.appending(path: path))
    }
    #expect(
      try CommandTests.run("import-crdt", folders.two.path, "--layout", "per-record").status == 0)
    let before = try SmallFolder.snapshot(of: folders.place.url)
    let run = try folders.sync()
    #expect(run.status == 78, "\(run.output)\(run.errors)")
    #expect(
      run.errors.contains(
        "it has a document for each record, here there is a document for each month"),
      "\(run.errors)")
    #expect(run.errors.contains("migrate-schema"))
    #expect(try SmallFolder.snapshot(of: folders.place.url) == before)
  }

  @Test func `two folders of records are synced, too`() throws {
    let folders = try SyncedFolders()
    for folder in [folders.one, folders.two] {
      for path in SyncedFolders.documents(in: folder) {
        try FileManager.default.removeItem(at: folder.appending(path: path))
      }
      #expect(
        try CommandTests.run("import-crdt", folder.path, "--layout", "per-record").status == 0)
    }
    #expect(try folders.sync().status == 0)
    #expect(try folders.areEqual())
    #expect(SyncedFolders.documents(in: folders.one).count == 5)
  }

  /// Two folders that hold the same, but that one has set January aside.
  private func foldersWithoutJanuary() throws -> SyncedFolders {
    let folders = try SyncedFolders()
    #expect(try folders.sync("-q").status == 0)
    let backup = folders.place.url.appending(path: "one.tar").path
    #expect(try CommandTests.run("pack-backup", folders.one.path, "--output", backup).status == 0)
    let months = try CommandTests.run(
      "cleanup-legacy", folders.one.path, "--months-before", "2024-02", "--apply", "--backup",
      backup, "--json")
    #expect(months.status == 0, "\(months.output)\(months.errors)")
    return folders
  }

  @Test func `months that were set aside stay so`() throws {
    let folders = try foldersWithoutJanuary()
    #expect(!SyncedFolders.documents(in: folders.one).contains("records/2024/01.automerge"))
    let there = try Data(contentsOf: folders.two.appending(path: "records/2024/01.automerge"))
    let run = try folders.sync("--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(!SyncedFolders.documents(in: folders.one).contains("records/2024/01.automerge"))
    #expect(
      try Data(contentsOf: folders.two.appending(path: "records/2024/01.automerge")) == there)
    // Its picture went with it.
    #expect(run.summary?["leftOut"] as? Int == 2, "\(run.output)")
    let isBack = try SyncedFolders.images(in: folders.one).keys.contains {
      $0.hasPrefix("records/2024/01/")
    }
    #expect(!isBack)
    let findings = run.jsonLines.filter { $0["code"] as? String == "set-aside" }
    #expect(findings.count == 2, "\(run.output)")
    for finding in findings {
      #expect((finding["command"] as? [String])?.contains("--bring-back") == true, "\(finding)")
    }
  }

  @Test func `pictures come back with the month that is brought back`() throws {
    let folders = try foldersWithoutJanuary()
    let declined = try folders.sync("--json")
    let finding = try #require(declined.jsonLines.first { $0["code"] as? String == "set-aside" })
    let words = try #require(finding["command"] as? [String])
    #expect(try CommandTests.run(words[0], Array(words.dropFirst())).status == 0)
    let run = try folders.sync("--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.summary?["leftOut"] as? Int == 0, "\(run.output)")
    #expect(try SyncedFolders.images(in: folders.one).count == 2)
  }

  @Test func `a side that waits for the app's lock is not taken for gone`() throws {
    let folders = try SyncedFolders()
    var lock: FolderLockHolder? = try FolderLockHolder(folders.two)
    let command = try RunningCommand(
      BuiltCommands.directory.appending(path: "sync-folder"),
      [folders.one.path, folders.two.path, "--timeout", "1", "--lock-timeout", "60"])
    try command.input.close()
    Thread.sleep(forTimeInterval: 4)
    withExtendedLifetime(lock) {}
    lock = nil
    let run = try command.wait()
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try folders.areEqual())
  }

  @Test func `documents that were made apart do not hide each other`() throws {
    let folders = try SyncedFolders()
    for folder in [folders.one, folders.two] {
      for path in SyncedFolders.documents(in: folder) {
        try FileManager.default.removeItem(at: folder.appending(path: path))
      }
      #expect(
        try CommandTests.run("import-crdt", folder.path, "--history", "plain").status == 0)
    }
    let before = try [folders.one, folders.two].map { folder in
      try Data(contentsOf: folder.appending(path: "records/2024/01.automerge"))
    }
    let run = try folders.sync("--json")
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(
      run.jsonLines.contains {
        $0["code"] as? String == "unrelated-copy"
          && $0["path"] as? String == "records/2024/01.automerge"
      }, "\(run.output)")
    #expect(
      try [folders.one, folders.two].map { folder in
        try Data(contentsOf: folder.appending(path: "records/2024/01.automerge"))
      } == before)
  }

  @Test func `what cannot be read is left on both sides, and the rest is synced`() throws {
    let folders = try SyncedFolders()
    try Data("no document".utf8).write(to: folders.two.appending(path: "records/2024/01.automerge"))
    try FileManager.default.copyItem(
      at: folders.one.appending(path: "tags.automerge"),
      to: folders.one.appending(path: "tags 2.automerge"))
    let before = try SyncedFolders.changes(of: folders.one)
    let run = try folders.sync("--json")
    #expect(run.status == 1)
    let codes = run.jsonLines.compactMap { $0["code"] as? String }
    #expect(codes.contains("damaged-document") && codes.contains("conflict-copy"), "\(codes)")
    #expect(
      try String(
        contentsOf: folders.two.appending(path: "records/2024/01.automerge"), encoding: .utf8)
        == "no document")
    #expect(
      try SyncedFolders.changes(of: folders.one)["records/2024/01.automerge"]
        == before["records/2024/01.automerge"])
    #expect(SyncedFolders.documents(in: folders.two).contains("records/2024/02.automerge"))
    #expect(!SyncedFolders.documents(in: folders.two).contains("tags 2.automerge"))
  }

  @Test func `a link in the place of a directory is told, and nothing goes through it`() throws {
    let folders = try SyncedFolders()
    let elsewhere = folders.place.url.appending(path: "elsewhere")
    try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: folders.two.appending(path: "images"), withDestinationURL: elsewhere)
    let image = folders.one.appending(path: "images/2024/01/x.jpg")
    try FileManager.default.createDirectory(
      at: image.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("picture".utf8).write(to: image)
    let run = try folders.sync("--json")
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(
      run.jsonLines.contains {
        $0["path"] as? String == "images" && $0["severity"] as? String == "error"
      }, "\(run.output)")
    #expect(run.summary?["leftOut"] as? Int == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).isEmpty)
    // The rest was synced.
    #expect(try SyncedFolders.heads(of: folders.one) == SyncedFolders.heads(of: folders.two))
  }

  @Test func `a folder is not synced with itself, or with what lies in it`() throws {
    let folders = try SyncedFolders()
    let sync = BuiltCommands.directory.appending(path: "sync-folder")
    for other in [folders.one.path, folders.one.path + "/records", folders.place.url.path] {
      let run = try CommandTests.run(sync, [folders.one.path, other], input: nil)
      #expect(run.status == 64, "\(run.errors)")
      #expect(run.errors.contains("or one lies in the other"), "\(run.errors)")
    }
    let gone = try CommandTests.run(sync, [folders.one.path, "/nowhere/at/all"], input: nil)
    #expect(gone.status == 66, "\(gone.errors)")
  }

  @Test func `profiles that are not the same are refused`() throws {
    let app = try ProfiledApp("notes")
    #expect(try app.run("import-crdt", app.folder).status == 0)
    let folders = try SyncedFolders()
    let program = BuiltCommands.directory.appending(path: "sync-folder").path
    let run = try folders.sync(
      through: "exec '\(program)' --serve '\(app.folder)' --profile '\(app.profile)'")
    #expect(run.status == 78, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("its profile is notes, here it is minuta"), "\(run.errors)")
  }

  @Test func `folders of an app that a profile describes are synced`() throws {
    let (one, two) = (try ProfiledApp("notes"), try ProfiledApp("notes"))
    let gone = try #require(two.files().keys.filter { $0.hasSuffix(".json") }.sorted().last)
    try FileManager.default.removeItem(at: two.url(gone))
    for app in [one, two] { #expect(try app.run("import-crdt", app.folder).status == 0) }
    let run = try one.run("sync-folder", one.folder, two.folder, "--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.summary?["changesSent"] as? Int ?? 0 > 0, "\(run.output)")
    #expect(
      try SyncedFolders.heads(of: URL(filePath: one.folder))
        == SyncedFolders.heads(of: URL(filePath: two.folder)))
  }

  @Test func `what is no other side is told`() throws {
    let folders = try SyncedFolders()
    let before = try SmallFolder.snapshot(of: folders.place.url)
    let noise = try folders.sync(through: "echo Welcome; exec \(folders.server)")
    #expect(noise.status == 65, "\(noise.errors)")
    #expect(noise.errors.contains("begins with \"Welcome"), "\(noise.errors)")
    let silent = try folders.sync(through: "exit 3")
    #expect(silent.status == 74, "\(silent.errors)")
    #expect(silent.errors.contains("ended with status 3 and said nothing"), "\(silent.errors)")
    let absent = try CommandTests.run(
      BuiltCommands.directory.appending(path: "sync-folder"),
      [folders.one.path, "--", "/nowhere/at/all"], input: nil)
    #expect(absent.status == 66, "\(absent.errors)")
    let deaf = try folders.sync(through: "sleep 20", "--timeout", "1")
    #expect(deaf.status == 74, "\(deaf.errors)")
    #expect(deaf.errors.contains("nothing moved for 1 second"), "\(deaf.errors)")
    #expect(try SmallFolder.snapshot(of: folders.place.url) == before)
  }

  @Test func `a side that is locked ends the run with 75, and nothing is lost`() throws {
    let folders = try SyncedFolders()
    let lock = try FileHandle(
      forUpdating: folders.two.appending(path: ".minuta.writelock.nosync"))
    #expect(flock(lock.fileDescriptor, LOCK_EX) == 0)
    let run = try folders.sync("--lock-timeout", "0")
    #expect(run.status == 75, "\(run.output)\(run.errors)")
    #expect(run.errors.contains(".minuta.writelock.nosync"), "\(run.errors)")
    try lock.close()
    #expect(try folders.sync().status == 0)
    #expect(try folders.areEqual())
  }
}
