import Automerge
import Foundation
import Testing

// Dates that were numbers in the JSON before.
extension RollbackFolderTests {
  /// A folder whose app writes dates as numbers, one of them with more digits than a document holds.
  private func numericFolder() throws -> SmallFolder {
    let folder = try SmallFolder()
    try folder.write(
      ##"{"tags":[{"id":"\##(SmallFolder.tagID)","name":"Tee","color":"#34C759","createdAt":725875200}]}"##,
      to: "tags.json")
    try folder.write(
      #"{"id":"\#(SmallFolder.firstID)","startTime":726917400.1234567,"endTime":7.269192E8,"comment":"erste"}"#,
      to: "records/2024/01/2024-01-15_093000.json")
    try folder.write(
      #"{"id":"\#(SmallFolder.secondID)","startTime":728463600,"endTime":728467200}"#,
      to: "records/2024/02/2024-02-01_070000.json")
    return folder
  }

  private var numbers: [String] { ["--numeric-dates", "reference"] }

  private func putEnd(_ end: Date, in document: Document) throws {
    guard
      case .Object(let record, .Map)? = try document.get(obj: .ROOT, key: SmallFolder.secondID)
    else { throw CocoaError(.fileReadCorruptFile) }
    try document.put(obj: record, key: "endTime", value: .Timestamp(end))
  }

  @Test(arguments: [[], ["--with-deleted"]])
  func `dates that were numbers are the same numbers again`(options: [String]) throws {
    let scripts = try InstalledScripts()
    let folder = try numericFolder()
    let backup = try folder.backup()
    let call = [folder.path, "--cleanup", "--layout", "monthly"] + numbers
    let migrated = try scripts.run("migrate-folder", call)
    #expect(migrated.status == 0, "\(migrated.output)\(migrated.errors)")
    try edit("records/2024/01.automerge", of: folder) {
      try put("edited since", as: "comment", of: SmallFolder.firstID, in: $0)
    }
    // Moved by an hour and a half second, and no longer as the backup has it.
    try edit("records/2024/02.automerge", of: folder) {
      try putEnd(Date(timeIntervalSinceReferenceDate: 728_470_800.5), in: $0)
    }
    let run = try scripts.run("rollback-folder", [folder.path, backup] + numbers + options)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    func text(_ path: String) throws -> String {
      String(decoding: try Data(contentsOf: folder.file(path)), as: UTF8.self)
    }
    #expect(try text("tags.json").contains(#""createdAt":725875200}"#))
    let first = try text("records/2024/01/2024-01-15_093000.json")
    #expect(first.contains(#""startTime":726917400.1234567,"endTime":7.269192E8,"#))
    #expect(first.contains("edited since"))
    #expect(
      try text("records/2024/02/2024-02-01_070000.json")
        .contains(#""startTime":728463600,"endTime":728470800.5,"#))
  }

  @Test func `without a word about what numbers count nothing moves, and the word is named`() throws
  {
    let scripts = try InstalledScripts()
    let folder = try numericFolder()
    let backup = try folder.backup()
    let call = [folder.path, "--cleanup", "--layout", "monthly"] + numbers
    #expect(try scripts.run("migrate-folder", call).status == 0)
    let before = try folder.snapshot()
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 78, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("holds dates as numbers, 5 of which documents show"))
    #expect(run.errors.contains("add --numeric-dates reference, which fits them"))
    let files = try folder.snapshot().filter { !$0.key.hasPrefix(".") }
    #expect(files == before.filter { !$0.key.hasPrefix(".") })
    #expect(!FileManager.default.fileExists(atPath: folder.path + "-rollback.nosync"))
  }

  @Test func `dates that were text stay text, also beside numbers nobody imported`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    try folder.write(
      #"{"id":"7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04","startTime":728463600}"#,
      to: "records/2024/03/2024-03-01_070000.json")
    let backup = try folder.backup()
    #expect(try scripts.run("migrate-folder", folder.path).status == 1)
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    let json = try Data(contentsOf: folder.file("records/2024/02/2024-02-01_070000.json"))
    #expect(String(decoding: json, as: UTF8.self).contains(#""startTime":"2024-02-01T07:00:00Z""#))
    let other = try Data(contentsOf: folder.file("records/2024/03/2024-03-01_070000.json"))
    #expect(String(decoding: other, as: UTF8.self).contains(#""startTime":728463600"#))
  }
}
