import Diagnostics
import Folders
import Foundation
import SafeFiles
import SampleStores
import TestStores
import Testing

@testable import MigrationCore
@testable import Runs

/// Stores of every version become documents that hold what their rows say.
@Suite struct StoreImportTests {
  private static let versions = SampleApp.all.flatMap { app in
    app.versions.map { "\(app.name) \($0.name)" }
  }

  private static func place(
    _ version: String, rows: Int = 120, _ damages: Set<StoreDamage> = []
  ) throws -> StorePlace {
    let words = version.split(separator: " ").map(String.init)
    guard let app = SampleApp.named(words[0]) else { throw CocoaError(.featureUnsupported) }
    return try StorePlace(StorePlace.plan(app, words[1], rows: rows, damages))
  }

  @Test(arguments: versions)
  func `every version is imported, proven, and known the second time`(version: String) throws {
    let place = try Self.place(version)
    let before = try SmallTree(place.stores.path)
    let report = try place.importing { $0.includesPrivate = true }
    #expect(report.findings.filter { $0.severity == .error } == [])
    #expect(!report.findings.contains { $0.code == .unknownVersion })
    #expect(report.counts.reduce(0) { $0 + $1.imported } == 120)
    let documents = try place.documents()
    let verified = try place.verifying { $0.includesPrivate = true }
    #expect(verified.isSound, "\(verified.findings)")
    #expect(verified.counts.reduce(0) { $0 + $1.equal } == 120)
    let again = try place.importing { $0.includesPrivate = true }
    #expect(again.counts.reduce(0) { $0 + $1.known } == 120)
    #expect(try place.documents() == documents)
    #expect(try SmallTree(place.stores.path) == before)
  }

  /// So many rows that they are several parts of a table.
  @Test(arguments: ["ritualist V11", "laundrytime shipped"])
  func `many rows make the same documents by one thread and by several`(version: String) throws {
    let places = try (0..<2).map { _ in try Self.place(version, rows: 20_000) }
    let reports = [
      try places[0].importing(workers: 1), try places[1].importing(workers: 3),
    ]
    #expect(try places[0].documents() == places[1].documents())
    #expect(reports[0].counts.reduce(0) { $0 + $1.imported } > 16_000)
    #expect(reports[0].findings.map(\.message) == reports[1].findings.map(\.message))
  }

  @Test(arguments: ["ritualist V11", "laundrytime shipped", "library V2"])
  func `the stream of a store imports to the same documents`(version: String) throws {
    let place = try Self.place(version)
    try place.importing { $0.includesPrivate = true }
    let lines = try place.exporting { $0.includesPrivate = true }.lines
    let file = place.folder.beside("stream.jsonl")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
    let handle = try #require(FileHandle(forReadingAtPath: file))
    let source = try #require(
      try StoreSource.open(place.stores.path, context: TestFolder.context()))
    var options = ImportOptions(
      source: .stream(.init(name: "stream", descriptor: handle.fileDescriptor)),
      target: place.folder.beside("Other"))
    options.includesPrivate = true
    var context = TestFolder.context()
    context.kinds = source.kinds
    _ = try ImportWorkflow(options, context: context).perform()
    for (path, bytes) in try place.documents() where path.hasSuffix(".automerge") {
      let other = try Data(contentsOf: URL(filePath: place.folder.beside("Other") + "/" + path))
      #expect(bytes == [UInt8](other), "\(path)")
    }
  }

  @Test func `without its model a store of a known app makes the same documents`() throws {
    let whole = try Self.place("ritualist V11")
    let bare = try Self.place("ritualist V11", [.noModel])
    for place in [whole, bare] { try place.importing() }
    #expect(try whole.documents() == bare.documents())
  }

  @Test func `private kinds stay in their store until somebody asks`() throws {
    let place = try Self.place("ritualist V11", rows: 240)
    let report = try place.importing()
    #expect(report.findings.contains { $0.code == .privateKind })
    #expect(try !place.documents().keys.contains("personality.automerge"))
    let exported = try place.exporting()
    #expect(exported.report.leftOut.reduce(0, +) == 1)
    #expect(!exported.lines.contains { $0.contains(#""kind":"personality""#) })
    #expect(try place.verifying().isSound)
    let all = try place.importing { $0.includesPrivate = true }
    #expect(all.counts.reduce(0) { $0 + $1.imported } == 1)
    #expect(try place.documents().keys.contains("personality.automerge"))
  }

  @Test func `the first line names profile, stores and their versions`() throws {
    let lines = try Self.place("ritualist V10", rows: 240).exporting().lines
    #expect(
      lines[0].contains(
        #""profile":"ritualist","profileVersion":13,"stores":[{"name":"CloudKit.store","uuid":""#))
    #expect(lines[0].contains(#""version":10},{"name":"Local.store""#))
    #expect(lines[0].contains(#""scheduleData":"json""#))
    #expect(lines.last == #"{"end":true,"entities":239}"#)
  }

  @Test func `the snapshot of a plan is a version that its tables tell, and has a name`() throws {
    let place = try Self.place("ritualist plan")
    let lines = try place.exporting().lines
    #expect(
      lines[0].contains(#""name":"default.store","uuid":""#) && lines[0].contains(#""version":13}"#)
    )
    // What the model says of its version is not needed for that, and no other version is taken for it.
    let told = try Self.place("ritualist plan", [.otherVersion])
    let source = try #require(
      try StoreSource.open(told.stores.path, context: TestFolder.context()))
    #expect(source.stores.map(\.version) == [13])
    #expect(source.findings.contains { $0.message.hasSuffix("those of version plan") })
    #expect(StoreVersion(of: source).text == "plan")
    // What its tables do not have is not missed.
    #expect(!(try place.importing().findings.contains { $0.code == .unexpectedValue }))
    let strange = try Self.place("ritualist plan", [.unknownColumns])
    #expect(try strange.importing().findings.contains { $0.code == .unknownVersion })
  }

  @Test(arguments: [1, 2])
  func `damage that no row shows ends an import before anything is written`(workers: Int) throws {
    let place = try Self.place("laundrytime shipped")
    do {
      let database = try TestDatabase(at: place.stores.path + "/default.store")
      // The pages of an index that nothing names are in no table, and every row is read as before.
      try database.run(
        """
        CREATE INDEX LOST ON ZPET (Z_PK); PRAGMA writable_schema = ON;
        DELETE FROM sqlite_schema WHERE name = 'LOST'
        """)
    }
    var context = TestFolder.context()
    context.workerCount = workers
    let options = ImportOptions(
      source: .folder(path: place.stores.path), target: place.folder.path)
    let error = try #require(throws: MigrationError.self) {
      try ImportWorkflow(options, context: context).perform()
    }
    #expect(error.diagnostic.problem.hasPrefix("is damaged: "), "\(error)")
    #expect(try place.documents().isEmpty)
  }

  @Test func `a dry run writes nothing, and says the same`() throws {
    let place = try Self.place("laundrytime shipped")
    let planned = try place.importing(isDryRun: true)
    #expect(try place.documents().isEmpty)
    #expect(planned.counts == (try place.importing()).counts)
  }

  @Test func `values too large for a document are files before a document names them`() throws {
    let place = try Self.place("library V2")
    let report = try place.importing()
    let documents = try place.documents()
    let blobs = documents.keys.filter { $0.hasPrefix("blobs/") }
    #expect(!blobs.isEmpty)
    for blob in blobs {
      let hash = ContentHash(of: documents[blob] ?? []).description
      #expect(blob == "blobs/\(hash)")
    }
    #expect(!report.findings.contains { $0.code == .imagesNotCopied })
    #expect(try place.verifying().imagesFound > 0)
    let first = try #require(blobs.sorted().first)
    try FileManager.default.removeItem(atPath: place.folder.path + "/" + first)
    #expect(try place.verifying().findings.contains { $0.code == .missingImage })
  }

  @Test(arguments: ["gone", "empty", "short", "zeroed"])
  func `a file beside documents that is not what they say is told, and an import brings it back`(
    damage: String
  ) throws {
    let place = try Self.place("library V2")
    try place.importing()
    let whole = try place.documents()
    let blob = try #require(whole.keys.filter { $0.hasPrefix("blobs/") }.sorted().first)
    let bytes = try #require(whole[blob])
    let path = place.folder.path + "/" + blob
    let damaged: [UInt8]? =
      switch damage {
      case "gone": nil
      case "empty": []
      case "short": Array(bytes.dropLast())
      default: bytes.map { _ in 0 }
      }
    if let damaged {
      try Data(damaged).write(to: URL(filePath: path))
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
    let code: Finding.Code = damaged == nil ? .missingImage : .changedImage
    let verified = try place.verifying()
    #expect(verified.findings.contains { $0.code == code && $0.severity == .error })
    #expect(!verified.isSound && !verified.isComplete)
    let planned = try place.importing(isDryRun: true)
    #expect(planned.findings.contains { $0.code == code })
    #expect(try place.documents()[blob] == damaged)
    let report = try place.importing()
    #expect(report.findings.contains { $0.code == code && $0.severity < .error })
    #expect(try place.documents() == whole)
    #expect(try place.verifying().isSound)
    // What was in its place is not lost.
    let quarantined = try FileManager.default.subpathsOfDirectory(atPath: place.folder.path)
      .filter { $0.contains("quarantine/") && $0.hasSuffix(blob) }
    #expect(quarantined.count == (damaged == nil ? 0 : 1))
    for name in quarantined { #expect(try place.folder.bytes(name) == damaged) }
    let again = try place.importing()
    #expect(!again.findings.contains { $0.code == code })
  }

  @Test func `a file of the same length that was there before is not taken for what a store holds`()
    throws
  {
    let (place, other) = (try Self.place("library V2"), try Self.place("library V2"))
    try other.importing()
    let whole = try other.documents()
    let blob = try #require(whole.keys.filter { $0.hasPrefix("blobs/") }.sorted().first)
    try place.folder.write(Array(repeating: 0, count: whole[blob]?.count ?? 0), to: blob)
    #expect(try place.importing().findings.contains { $0.code == .changedImage })
    #expect(try place.documents() == whole)
    #expect(try place.verifying().isSound)
  }

  @Test func `data beside files stay what they are when no row names a file any more`() throws {
    let place = try Self.place("library V2")
    func books() throws -> Set<String> {
      Set(try place.exporting().lines.filter { $0.contains(#""kind":"Book""#) })
    }
    let all = try books()
    let database = try TestDatabase(at: place.stores.path + "/Library.store")
    try database.run("DELETE FROM ZBOOK WHERE length(ZCOVER) = 38")
    try database.checkpoint()
    let left = try books()
    #expect(
      left.count < all.count
        && left.contains { $0.contains(#""cover":""#) && !$0.contains("sha256:") })
    #expect(left.isSubset(of: all))
  }

  @Test func `a value that goes back to an earlier one is told as what readers do not see`() throws
  {
    let place = try Self.place("library V2")
    let database = try TestDatabase(at: place.stores.path + "/Library.store")
    func set(_ pages: Int) throws {
      try database.run(
        "UPDATE ZBOOK SET ZPAGES = \(pages) WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZBOOK)")
      try database.checkpoint()
    }
    try set(12_345)
    try place.importing()
    #expect(try place.verifying().otherViewCount == 0)
    try set(54_321)
    #expect(try place.importing { $0.updates = true }.documents.contains { $0.changesAdded > 0 })
    #expect(try place.verifying().otherViewCount == 0)
    try set(12_345)
    #expect(try place.importing { $0.updates = true }.documents.allSatisfy { $0.changesAdded == 0 })
    let verified = try place.verifying()
    #expect(verified.findings.map(\.code).contains(.editedSince))
    #expect(verified.isSound && verified.isComplete && verified.otherViewCount == 1)
  }

  /// What an import tells of a damage, and whether it goes on.
  private static let damages: [(StoreDamage, String, Finding.Code, Severity)] = [
    (.emptyBlobs, "ritualist V11", .emptyBlob, .warning),
    (.oddDates, "ritualist V11", .otherStorage, .warning),
    (.orphans, "ritualist V11", .danglingReference, .warning),
    (.textIdentities, "ritualist V11", .otherStorage, .warning),
    (.mixedVersions, "ritualist V11", .mixedVersions, .warning),
    (.otherVersion, "ritualist V11", .dormantVersioning, .warning),
    (.unknownColumns, "ritualist V11", .unknownEntity, .warning),
    (.duplicateIdentities, "ritualist V11", .duplicateID, .error),
    (.twoSingletons, "laundrytime shipped", .duplicateEntity, .info),
    (.missingExternal, "library V2", .missingFile, .error),
    (.noModel, "library V2", .namesFromColumns, .warning),
    (.staleLog, "ritualist V11", .staleLog, .warning),
  ]

  @Test(arguments: damages.indices)
  func `a damage of rows ends in its finding, and the rest is imported`(index: Int) throws {
    let (damage, version, code, severity) = Self.damages[index]
    let place = try Self.place(version, [damage])
    let report = try place.importing()
    let found = report.findings.filter { $0.code == code }
    #expect(found.contains { $0.severity == severity }, "\(damage): \(report.findings)")
    #expect(report.counts.reduce(0) { $0 + $1.imported } > 20, "\(damage)")
  }

  @Test func `what a known profile does not know is carried, and compared both ways`() throws {
    let place = try Self.place("ritualist V11", [.unknownColumns])
    let report = try place.importing()
    #expect(report.findings.filter { $0.severity == .error } == [])
    #expect(try place.documents().keys.contains("Sticker.automerge"))
    let lines = try place.exporting().lines
    #expect(lines[0].contains(#""profile":"ritualist-extended""#))
    #expect(lines.count { $0.contains(#""kind":"Sticker""#) && $0.contains(#""star""#) } == 1)
    #expect(lines.count { $0.contains(#""mood":"calm""#) } > 0)
    let verified = try place.verifying()
    #expect(verified.isSound, "\(verified.findings)")
    let stickers = verified.counts.filter { $0.kind == "Sticker" }
    #expect(stickers.map(\.proven) == [1])
    let documents = try place.documents()
    #expect(try place.importing().documents.allSatisfy { $0.changesAdded == 0 })
    #expect(try place.documents() == documents)
    // An entity that is not there is missed.
    try FileManager.default.removeItem(atPath: place.folder.path + "/Sticker.automerge")
    let missed = try place.verifying().findings.filter { $0.code == .missingEntity }
    #expect(missed.contains { $0.message.contains("Sticker") })
  }

  @Test(arguments: [StoreDamage.corrupt, .encrypted, .emptyFile, .truncated])
  func `a store that cannot be read publishes nothing`(damage: StoreDamage) throws {
    let place = try Self.place("ritualist V11", [damage])
    let error = #expect(throws: MigrationError.self) { try place.importing() }
    #expect(error?.diagnostic.kind == .damagedInput)
    #expect(try place.documents().isEmpty)
  }
}

/// The files of a directory with their bytes.
struct SmallTree: Equatable {
  private var files: [String: Data] = [:]

  init(_ path: String) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      files[name] = FileManager.default.contents(atPath: path + "/" + name)
    }
  }
}
