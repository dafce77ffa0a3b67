import Automerge
import Diagnostics
import Folders
import Foundation
import Testing

@testable import MigrationCore
@testable import Runs

/// An app may keep the identity inside the entity, too.
@Suite struct ExportedIdentityTests {
  /// Two tags and a record that have an `id` of their own.
  private static func folder(_ id: (Int) -> ScalarValue) throws -> TestFolder {
    let folder = try TestFolder()
    let tags = Document()
    for number in 1...2 {
      let tag = try tags.putObject(obj: .ROOT, key: Legacy.id(number), ty: .Map)
      try tags.put(obj: tag, key: "name", value: .String("Work"))
      try tags.put(obj: tag, key: "color", value: .String("black"))
      try tags.put(obj: tag, key: "createdAt", value: .Timestamp(Date(timeIntervalSince1970: 0)))
      try tags.put(obj: tag, key: "id", value: id(number))
    }
    try folder.write([UInt8](tags.save()), to: "tags.automerge")
    let month = Document()
    let record = try month.putObject(obj: .ROOT, key: Legacy.id(3), ty: .Map)
    try month.put(obj: record, key: "startTime", value: .Timestamp(Date(timeIntervalSince1970: 0)))
    try month.put(obj: record, key: "id", value: id(3))
    try folder.write([UInt8](month.save()), to: "records/1970/01.automerge")
    return folder
  }

  @Test func `the identity inside an entity is not written twice`() throws {
    for isLower in [false, true] {
      let folder = try Self.folder {
        .String(isLower ? Legacy.id($0).lowercased() : Legacy.id($0))
      }
      let target = try TestFolder("out")
      let report = try folder.exporting(to: target.path)
      #expect(report.findings.allSatisfy { $0.code == .nameDerived })
      let files = try target.files()
      #expect(files.count == 2)
      for (path, bytes) in files {
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(
          text.components(separatedBy: "\"id\"").count == (path == "tags.json" ? 3 : 2), "\(text)")
      }
      let (stream, streamed) = try folder.exporting()
      #expect(streamed.findings.allSatisfy { $0.code == .nameDerived })
      #expect(stream.lines.filter { $0.contains("\"kind\"") }.count == 3)
      #expect(stream.text.components(separatedBy: "\"id\"").count == 4)
      #expect(try folder.verifying(against: .folder(path: target.path)).isSound)
      let (same, _) = try folder.exporting()
      #expect(try folder.verifying(against: .stream(same.source())).isSound)
      // An import refuses a member that is there twice.
      let other = try TestFolder("Other")
      for (path, bytes) in files { try other.write(bytes, to: path) }
      #expect(!(try other.importing().endsWithDifferences))
      let third = try TestFolder("Third")
      #expect(!(try third.importing(stream).endsWithDifferences))
    }
  }

  @Test func `another identity inside an entity is told, and not written`() throws {
    let folder = try Self.folder { $0 == 2 ? .Int(7) : .String(Legacy.id(9)) }
    let target = try TestFolder("out")
    let report = try folder.exporting(to: target.path)
    let told = report.findings.filter { $0.code == .notExported }
    #expect(told.count == 3 && told.allSatisfy { $0.severity == .error })
    #expect(
      told.allSatisfy {
        $0.message.hasSuffix("id is not exported: it is not what the entity is known by")
      })
    let tags = String(decoding: try target.bytes("tags.json"), as: UTF8.self)
    #expect(tags.components(separatedBy: "\"id\"").count == 3 && !tags.contains(Legacy.id(9)))
    let (stream, streamed) = try folder.exporting()
    #expect(streamed.findings.filter { $0.code == .notExported }.count == 3)
    #expect(!stream.text.contains(Legacy.id(9)))
  }
}
