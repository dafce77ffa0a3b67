import CommandLineSupport
import Diagnostics
import Foundation
import Testing

// Images that are gone or damaged, and what comes back into a folder that was emptied.
extension RecoverFolderTests {
  private var image: String { "records/2024/01/\(SmallFolder.firstID)_0.jpg" }

  @Test(arguments: [nil, "", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "not really"])
  func `an image that is gone, emptied, zeroed or cut short comes back`(left: String?) throws {
    try migrate()
    _ = try folder.backup()
    try folder.remove(image)
    if let left { try folder.write(left, to: image) }
    try expectPlan("restore-backup B-0002.tar --into F --only \(image) --brief")
    let run = try recover("--apply")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("Nothing is wrong."))
    #expect(try Data(contentsOf: folder.file(image)) == Data("not really a picture".utf8))
    // What was in its place is not lost either.
    let old = try folder.snapshot().filter { $0.key.contains("/old/") && $0.value.bytes != nil }
    #expect(old.values.map(\.bytes) == (left.map { [Data($0.utf8)] } ?? []))
  }

  @Test func `images of an older backup and of the alternative place come back, odd names too`()
    throws
  {
    let names = ["images/2024/02/it's one.jpg", "records/2024/02/zwei é.png"]
    let record =
      #"{"id":"\#(SmallFolder.secondID)","startTime":"2024-02-01T07:00:00Z","images":["it's one.jpg","zwei é.png"]}"#
    try folder.write(record, to: "records/2024/02/2024-02-01_070000.json")
    for name in names { try folder.write(name, to: name) }
    try migrate()
    _ = try folder.backup()
    for name in names { try folder.remove(name) }
    _ = try folder.backup()
    let run = try recover("--apply")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for name in names { #expect(try Data(contentsOf: folder.file(name)) == Data(name.utf8)) }
  }

  @Test func `an image that no backup holds is told, and one that no record names stays away`()
    throws
  {
    try migrate()
    try folder.write("nobody's", to: "records/2024/01/nobody.jpg")
    _ = try folder.backup()
    try folder.remove("records/2024/01/nobody.jpg")
    #expect(try recover().status == 0)
    try folder.remove(image)
    try FileManager.default.removeItem(atPath: folder.path + "-backups")
    let run = try recover("--apply")
    #expect(run.status == 1)
    #expect(run.output.contains("  1 missing-image\n    next: "), "\(run.output)")
    #expect(!run.output.contains("Nothing is wrong"))
  }

  @Test func `an image that may have been replaced in the app is left to a person`() throws {
    try migrate()
    let backup = try folder.backup()
    try folder.write("quite another picture", to: image)
    let run = try recover()
    #expect(run.status == 1)
    #expect(run.output.contains("\(image) has other bytes than in the newest backup"))
    #expect(run.output.contains("restore-backup \(backup) --into \(folder.path) --only \(image)"))
    #expect(try Data(contentsOf: folder.file(image)) == Data("quite another picture".utf8))
    _ = try folder.backup()
    #expect(try recover().output.contains("Nothing is wrong."))
  }

  @Test func `what comes back by itself into an emptied folder is not set aside`() throws {
    try migrate()
    _ = try folder.backup()
    let tags = try Data(contentsOf: folder.file("tags.automerge"))
    for path in ["tags.automerge", "records", "notes.txt", ".automerge-migrate.nosync"] {
      try folder.remove(path)
    }
    // A sync service brings the first document in the instant before the restore.
    let place = folder.file("tags.automerge")
    let run = try SteppedRun.recovering(folder.path) { command, run in
      if command.arguments.contains("--replacing") { try tags.write(to: place) }
      return try run()
    }
    #expect(run.status == 75, "\(run.output)\(run.errors)")
    #expect(try Data(contentsOf: folder.file("tags.automerge")) == tags)
    #expect(!folder.exists("records"))
    let again = try recover("--apply")
    #expect(!again.output.contains("the folder holds neither documents nor JSON"))
    #expect(try Data(contentsOf: folder.file("tags.automerge")) == tags)
  }

  @Test func `nothing is made anew from JSON while a backup cannot be used`() throws {
    try migrate()
    let backup = try folder.backup()
    var bytes = try Data(contentsOf: URL(filePath: backup))
    bytes[bytes.count / 2] ^= 0xFF
    try bytes.write(to: URL(filePath: backup))
    try folder.remove("records/2024/02.automerge")
    let run = try recover("--apply")
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(run.output.contains("records/2024/02.automerge waits"))
    #expect(run.output.contains("\(backup): "))
    #expect(!run.output.contains("Nothing is wrong"))
    #expect(!folder.exists("records/2024/02.automerge"))
    // Somebody has decided that it is lost.
    try FileManager.default.removeItem(atPath: backup)
    #expect(try recover("--apply").status == 0)
    #expect(folder.exists("records/2024/02.automerge"))
  }

  @Test func `JSON that cannot be copied whole is not imported in part`() throws {
    try migrate()
    try FileManager.default.removeItem(atPath: folder.path + "-backups")
    try folder.remove("records/2024/02.automerge")
    // As somebody else left it there.
    let month = folder.path + "-salvaged/records/2024/02.legacy/records/2024/02"
    try FileManager.default.createDirectory(atPath: month, withIntermediateDirectories: true)
    try Data("{}".utf8).write(to: URL(filePath: month + "/2024-02-01_070000.json"))
    let run = try recover("--apply")
    #expect(run.status == 73, "\(run.output)\(run.errors)")
    #expect(!folder.exists("records/2024/02.automerge"))
  }

  @Test func `dates that are numbers are read as they were imported`() throws {
    try folder.write(
      #"{"id":"\#(SmallFolder.secondID)","startTime":728463600}"#,
      to: "records/2024/02/2024-02-01_070000.json")
    let dates = ["--numeric-dates", "reference"]
    let run = try scripts.run(
      "migrate-folder", [folder.path, "--cleanup", "--layout", "monthly"] + dates)
    try #require(run.status == 0, "\(run.errors)")
    try FileManager.default.removeItem(atPath: folder.path + "-backups")
    try folder.remove("records/2024/02.automerge")
    let recovered = try scripts.run("recover-folder", [folder.path, "--apply"] + dates)
    #expect(recovered.status == 0, "\(recovered.output)\(recovered.errors)")
    #expect(folder.exists("records/2024/02.automerge"))
  }
}
