import Automerge
import Diagnostics
import Foundation
import Testing

@testable import MigrationCore
@testable import Runs
@testable import SafeFiles

/// What the next run does with what somebody wrote into the place of a document that a run replaced
/// when it died.
@Suite struct DisplacedFileTests {
  private static let document = "records/2024/01.automerge"

  /// A folder with one imported record and a file of somebody else under the name of a swap.
  private func folder(
    new: (TestFolder) throws -> [UInt8], theirs: [UInt8] = Array("theirs".utf8)
  ) throws -> (folder: TestFolder, swap: String) {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/one.json")
    try folder.importing()
    let name = SwapName(
      for: "01.automerge", new: ContentHash(of: try new(folder)), old: ContentHash(of: [1]))
    let swap = "records/2024/\(name.name)"
    try folder.write(theirs, to: swap)
    return (folder, swap)
  }

  private func quarantined(_ folder: TestFolder) throws -> [String: [UInt8]] {
    try folder.files(includingState: true).filter { $0.key.contains("/quarantine/") }
  }

  @Test func `until then who only looks says that it was not looked at`() throws {
    let (folder, swap) = try folder { _ in [2] }
    let report = try folder.verifying()
    let told = report.findings.filter { $0.code == .notLookedAt }
    #expect(told.map(\.path) == [swap])
    #expect(report.isSound && !report.isComplete)
    try folder.merging()
    #expect(try folder.verifying().isComplete)
  }

  @Test func `a clean-up touches it once its backup is proven, and tells of it`() throws {
    let (folder, swap) = try folder { _ in [2] }
    let backup = try folder.packing().archives[0].path
    let before = try folder.files()
    #expect(throws: MigrationError.self) { try folder.cleaning(backup: backup + ".not") }
    #expect(try folder.files() == before && folder.exists(swap))
    #expect(try quarantined(folder).isEmpty)
    let report = try folder.cleaning(backup: backup)
    #expect(report.findings.contains { $0.code == .displaced })
    #expect(report.files.map(\.outcome) == [.moved] && !folder.exists(swap))
  }

  @Test func `it goes to quarantine under its own name if the document was written since`() throws {
    let (folder, swap) = try folder { _ in [2] }
    let before = try folder.documents()
    let report = try folder.importing()
    #expect(!folder.exists(swap))
    #expect(try folder.documents() == before)
    let files = try quarantined(folder)
    let place = try #require(files.first { $0.value == Array("theirs".utf8) }?.key)
    #expect(place.hasSuffix("/" + Self.document))
    let manifest = try #require(files.first { $0.key.hasSuffix(".jsonl") })
    #expect(String(decoding: manifest.value, as: UTF8.self).contains("\"\(Self.document)\""))
    let finding = try #require(report.findings.first { $0.code == .displaced })
    #expect(finding.severity == .error && finding.path == Self.document)
    #expect(finding.message.contains(place))
    #expect(report.endsWithDifferences)
    #expect(try !folder.importing().findings.contains { $0.code == .displaced })
  }

  /// A swap that died may be an old one that a sync service brought: it takes no file's place.
  @Test func `it goes there also if the run that died wrote the document last, and comes back`()
    throws
  {
    let theirs = try AppDocument.editing(
      folder { _ in [] }.folder.document(Self.document), actor: 7
    ) { try $0.set("comment", of: DocumentMergeTests.identity(1), to: "theirs") }.encoded()
    let (folder, swap) = try folder(new: { try $0.bytes(Self.document) }, theirs: theirs)
    let document = try folder.bytes(Self.document)
    let report = try folder.importing()
    #expect(!folder.exists(swap))
    #expect(try folder.bytes(Self.document) == document)
    #expect(try quarantined(folder).values.contains(theirs))
    let next = try #require(report.findings.first { $0.code == .displaced }?.next)
    let run = try #require(
      next.firstMatch(of: /--bring-back (\S+) --apply, then merge-conflicts/)?.1)
    try folder.bringingBack(String(run))
    #expect(try folder.documents().values.contains(theirs))
    #expect(try folder.merging().bases.count == 1)
  }

  @Test func `a merge without copies, a clean-up and setting months aside find it, too`() throws {
    let works: [(TestFolder) throws -> Void] = [
      { try $0.merging() },
      {
        try $0.packing()
        try $0.cleaning(backup: $0.newestBackup())
      },
    ]
    for work in works {
      let (folder, swap) = try folder { _ in [2] }
      try work(folder)
      #expect(!folder.exists(swap))
      #expect(try quarantined(folder).values.contains(Array("theirs".utf8)))
    }
  }

  @Test func `several of one name all go to quarantine, and links and directories, too`() throws {
    let (folder, swap) = try folder { _ in [2] }
    let link = SwapName(for: "01.automerge", new: ContentHash(of: [3]), old: ContentHash(of: [4]))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/records/2024/\(link.name)", withDestinationPath: "nowhere")
    let second = SwapName(for: "01.automerge", new: ContentHash(of: [5]), old: ContentHash(of: [6]))
    try folder.write("theirs, too", to: "records/2024/\(second.name)")
    let report = try folder.importing()
    #expect(report.findings.filter { $0.code == .displaced }.count == 3)
    #expect(!folder.exists(swap))
    let held = try quarantined(folder).values
    #expect(held.contains(Array("theirs".utf8)) && held.contains(Array("theirs, too".utf8)))
    for name in [link.name, second.name] { #expect(!folder.exists("records/2024/\(name)")) }
  }

  @Test func `the commands that bring it back know the profile`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let swap = SwapName(
      for: "notebooks.automerge", new: ContentHash(of: [2]), old: ContentHash(of: [1]))
    try folder.folder.write(Array("theirs".utf8), to: "\(swap.name)")
    let finding = try #require(
      folder.importing().findings.first { $0.code == .displaced })
    let commands = try #require(finding.next).split(separator: ", then ")
    #expect(commands.count == 2 && commands.allSatisfy { $0.contains("--profile profile.json") })
    let command = try #require(finding.command)
    let run = try #require(command.arguments.firstIndex(of: "--bring-back").map { $0 + 1 })
    let back = try folder.bringingBack(command.arguments[run])
    #expect(back.files.map(\.outcome) == [.returned])
  }

  @Test func `a backup holds it as long as it is in the folder`() throws {
    let (folder, swap) = try folder { _ in [2] }
    try folder.packing()
    try folder.remove(swap)
    try folder.restoring(folder.newestBackup())
    #expect(try folder.bytes(swap) == Array("theirs".utf8))
  }
}
