import Diagnostics
import Folders
import Foundation
import SwiftDataStores
import TestStores
import Testing

@testable import MigrationCore
@testable import Runs

/// Values that have a column for each of their parts, and none of their own, are maps in documents.
@Suite struct CompositeTests {
  private static let parts: [(name: String, type: AttributeType, declaration: String)] = [
    ("at", .date, "TIMESTAMP"), ("badge", .uuid, "BLOB"), ("cost", .decimal, "DECIMAL"),
    ("far", .double, "FLOAT"), ("isNear", .boolean, "INTEGER"), ("raw", .binary, "BLOB"),
    ("shape", .transformable, "BLOB"), ("steps", .integer32, "INTEGER"),
    ("town", .string, "VARCHAR"),
  ]

  private static let statements =
    parts.map { "ALTER TABLE ZSHELF ADD COLUMN Z\($0.name.uppercased()) \($0.declaration)" } + [
      """
      UPDATE ZSHELF SET ZAT = 0.5, ZBADGE = x'00112233445566778899AABBCCDDEEFF', ZCOST = 9.90, \
      ZFAR = 4, ZISNEAR = 1, ZRAW = x'FFD8', ZSHAPE = CAST('{"a":[1]}' AS BLOB), ZTOWN = 'Rome' \
      WHERE Z_PK = 1
      """,
      "UPDATE ZBOOK SET ZID = CAST(printf('%016d', Z_PK) AS BLOB)",
    ]

  /// Writes a store of which each shelf has a place.
  private static func write(to path: String, _ more: [String] = []) throws {
    var model = StoreModel.library
    var place = ModelAttribute(name: "place", type: .composite)
    place.isOptional = true
    place.elements = parts.map { ModelAttribute(name: $0.name, type: $0.type) }
    for index in model.entities.indices where model.entities[index].name == "Shelf" {
      model.entities[index].attributes.append(place)
    }
    var made = TestStore()
    made.model = model
    made.usesLog = false
    made.statements += statements + more
    _ = try made.write(to: path)
  }

  private static func verify(_ folder: TestFolder, _ path: String) throws -> VerificationReport {
    var options = VerificationOptions(folder: folder.path)
    options.reference = .stores(path: path)
    return try VerificationWorkflow(options, context: TestFolder.context()).perform()
  }

  /// The lines of shelves that an export writes.
  private static func shelves(
    of place: String, as kinds: EntityKinds? = nil
  ) throws -> [String] {
    var context = TestFolder.context()
    if let kinds { context.kinds = kinds }
    final class Collected { var bytes: [UInt8] = [] }
    let collected = Collected()
    _ = try ExportWorkflow(
      ExportOptions(
        source: place, destination: .stream(ByteSink(name: "test") { collected.bytes += $0 })),
      context: context
    ).perform()
    return String(decoding: collected.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { $0.hasPrefix(#"{"kind":"Shelf""#) }
  }

  private static let first =
    #""place":{"at":"2001-01-01T00:00:00.500Z","badge":"#
    + #""00112233-4455-6677-8899-AABBCCDDEEFF","cost":"9.9","far":4.0,"isNear":true,"raw":"/9g=","#
    + #""shape":{"a":[1]},"steps":null,"town":"Rome"}"#

  @Test func `a composite is a map of its parts, each by its type, and is proven`() throws {
    let folder = try TestFolder("Data")
    let path = folder.beside("Library.store")
    try Self.write(to: path)
    let lines = try Self.shelves(of: path)
    #expect(lines.count == 2)
    #expect(lines.first?.contains(Self.first) == true, "\(lines)")
    #expect(
      lines.first?.contains(#""types":{"/place/at":"timestamp","/place/raw":"bytes"}"#) == true,
      "\(lines)")
    // A value of which no part says something is none.
    #expect(lines.last?.contains(#""place":null"#) == true)
    let imported = try ImportWorkflow(
      ImportOptions(source: .folder(path: path), target: folder.path),
      context: TestFolder.context()
    ).perform()
    #expect(imported.findings.filter { $0.severity == .error } == [])
    let verified = try Self.verify(folder, path)
    #expect(verified.isSound, "\(verified.findings)")
    let source = try #require(try StoreSource.open(path, context: TestFolder.context()))
    let shown = try Self.shelves(of: folder.path, as: source.kinds)
    #expect(shown.contains { $0.contains(Self.first) })
  }

  @Test(arguments: [
    "ZTOWN = 'Roma'", "ZAT = 0.501", "ZISNEAR = 0", "ZSTEPS = 1", "ZRAW = x'FFD9'", "ZCOST = 9.91",
    "ZFAR = 4.5", "ZBADGE = NULL",
  ])
  func `a part that changed is told`(change: String) throws {
    let folder = try TestFolder("Data")
    let (path, other) = (folder.beside("Library.store"), folder.beside("Other.store"))
    try Self.write(to: path)
    try Self.write(to: other, ["UPDATE ZSHELF SET \(change) WHERE Z_PK = 1"])
    _ = try ImportWorkflow(
      ImportOptions(source: .folder(path: path), target: folder.path),
      context: TestFolder.context()
    ).perform()
    let verified = try Self.verify(folder, other)
    #expect(!verified.isSound)
    #expect(
      verified.findings.contains { [.diverged, .fieldDiffers].contains($0.code) },
      "\(verified.findings)")
  }
}
