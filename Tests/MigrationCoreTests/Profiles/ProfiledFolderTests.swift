import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// Folders of apps that nothing in the code knows, imported and verified with a profile alone.
@Suite struct ProfiledFolderTests {
  private static let lisbon = "45C48CCE-2E2D-4FBD-AA1A-FC51C7C60303"
  private static let lisbonFile = "notes/travel/lisbon.json"
  private static let january = "documents/2025-01.automerge"

  @Test(arguments: ProfiledFolder.samples)
  func `a sample becomes documents, is proven, and a second import changes nothing`(
    _ name: String
  ) throws {
    let folder = try ProfiledFolder(sample: name)
    let legacy = try folder.files()
    #expect(try !folder.verifying().isSound)
    let report = try folder.importing()
    #expect(!report.endsWithDifferences)
    let read = report.counts.reduce(0) { $0 + $1.read }
    #expect(read > 0 && report.counts.reduce(0) { $0 + $1.imported } == read)
    let files = try folder.files()
    for (path, bytes) in legacy { #expect(files[path] == bytes, "\(path)") }

    let verification = try folder.verifying()
    #expect(verification.isSound)
    #expect(verification.counts.reduce(0) { $0 + $1.proven } == read)
    #expect(verification.counts.reduce(0) { $0 + $1.equal } == read)

    let again = try folder.importing()
    #expect(again.counts.reduce(0) { $0 + $1.known } == read)
    #expect(again.documents.allSatisfy { $0.outcome == .unchanged })
    #expect(Set(again.documents.map(\.path)) == Set(try folder.documents().keys))
    #expect(try folder.files() == files)
  }

  @Test func `entities are in the documents that the profile says`() throws {
    let notes = try ProfiledFolder(sample: "notes")
    try notes.importing()
    // In UTC: the packing list was made at half past nine in Berlin, and Lisbon in January.
    #expect(
      try notes.documents().keys.sorted() == [
        "documents/2023-05.automerge", "documents/2024-11.automerge", "documents/2024-12.automerge",
        "documents/2025-01.automerge", "notebooks.automerge", "settings.automerge",
      ])
    let habits = try ProfiledFolder(sample: "habits")
    try habits.importing()
    #expect(
      try habits.documents().keys.sorted() == [
        "habits.automerge", "log/2025-01.automerge", "log/2025-02.automerge",
      ])
    let habit = try habits.folder.document("habits.automerge")
    #expect(habit.value(of: .root, key: Array("água".utf8)) != nil)
    let day = try habits.folder.document("log/2025-01.automerge")
    #expect(day.value(of: .root, key: Array("log/2025/2025-01-31".utf8)) != nil)
  }

  @Test(arguments: ProfiledFolder.samples)
  func `the documents do not depend on workers, names of files or their order`(
    _ name: String
  ) throws {
    let folder = try ProfiledFolder(sample: name)
    let other = try folder.copied()
    if name == "notes" {
      for path in try folder.files().keys.filter({ $0.hasPrefix("notes/") }).sorted() {
        let bytes = try other.folder.bytes(path)
        try other.folder.remove(path)
        try other.folder.write(bytes, to: "notes/z\(String(path.dropFirst(6).reversed())).json")
      }
      try other.folder.write(
        """
        {"notebooks":[{"order":2,"shared":["Ana","Rui"],"name":"Küche"},{"order":1,"color":"#2277CC",
        "name":"Travel"},{"name":"Inbox","color":"#888888","order":0}]}
        """, to: "notebooks.json")
    }
    try folder.importing(workers: 1)
    try other.importing(workers: 3)
    #expect(try folder.documents() == other.documents())
  }

  @Test func `what an app edited or deleted stays, and is told`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let identity = try #require(Identity(Self.lisbon))
    try folder.edit(Self.january) { try $0.set("title", of: identity, to: "Lisboa") }
    let edited = try folder.documents()
    #expect(try folder.importing().documents.allSatisfy { $0.outcome == .unchanged })
    #expect(try folder.documents() == edited)
    let report = try folder.verifying()
    #expect(report.isSound)
    let finding = try #require(report.findings.first { $0.code == .editedSince })
    #expect(finding.path == Self.lisbonFile && finding.message.contains("title"))

    try folder.edit(Self.january, actor: 9) { try $0.delete(identity) }
    let deleted = try folder.documents()
    let again = try folder.importing()
    #expect(again.findings.contains { $0.code == .deleted && $0.message.contains(Self.lisbon) })
    #expect(try folder.documents() == deleted)
    #expect(try folder.verifying().findings.contains { $0.code == .deletedSince })
  }

  @Test(arguments: [
    // A scalar, a container that is another, one that is gone, a link more, a link less.
    (#""title": "Lisbon""#, #""title": "Lisboa""#), (#""city","#, #""town","#),
    (#""mood": {"#, #""moods": {"#), (#""links": ["#, #""links": ["\#(lisbon)", "#),
    (#""C9F0F895-FB98-4B91-99F1-4B8D3A1C0202""#, ""),
  ])
  func `JSON that changed after its import is told by both, and nothing is written`(
    _ change: (from: String, to: String)
  ) throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let documents = try folder.documents()
    let text = String(decoding: try folder.folder.bytes(Self.lisbonFile), as: UTF8.self)
    #expect(text.contains(change.from))
    try folder.folder.write(
      text.replacingOccurrences(of: change.from, with: change.to), to: Self.lisbonFile)
    let report = try folder.verifying()
    #expect(!report.isSound)
    #expect(
      report.findings.contains { $0.severity == .error && $0.path == Self.lisbonFile })
    #expect(try folder.importing().findings.allSatisfy { $0.code != .deleted })
    #expect(try folder.documents() == documents)
  }

  @Test func `a list that is gone from the JSON is no proof that there never was one`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let text = String(decoding: try folder.folder.bytes(Self.lisbonFile), as: UTF8.self)
    let without = try #require(text.firstRange(of: /"tags": \[[^\]]*\],/))
    try folder.folder.write(text.replacingCharacters(in: without, with: ""), to: Self.lisbonFile)
    // Content is silent about lists: all changes of today are in the history, and one more.
    let report = try folder.verifying()
    #expect(!report.isSound)
    let counts = try #require(report.counts.first { $0.kind == "note" })
    #expect(counts.proven == 4 && counts.equal == 4 && counts.reference == 5)
  }

  @Test func `files that say different things of one entity are both kept`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    let text = String(decoding: try folder.folder.bytes(Self.lisbonFile), as: UTF8.self)
    try folder.folder.write(
      text.replacingOccurrences(of: "Tram 28", with: "Tram 12"), to: "notes/travel/again.json")
    try folder.folder.write(text, to: "notes/same.json")
    let report = try folder.importing()
    #expect(report.findings.filter { $0.code == .duplicateID }.count == 1)
    #expect(report.findings.filter { $0.code == .duplicateEntity }.count == 1)
    let document = try folder.folder.document(Self.january)
    let map = try #require(document.value(of: .root, key: Array(Self.lisbon.utf8)))
    let body = try #require(document.group(of: map.id, key: Array("body".utf8)))
    let texts = document.values(in: body).map {
      String(decoding: document.textBytes(of: $0.id), as: UTF8.self)
    }
    #expect(Set(texts) == ["Tram 28, early.", "Tram 12, early."])
  }

  @Test func `entities wait for a document that cannot be read`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    var bytes = try folder.folder.bytes(Self.january)
    bytes[bytes.count / 2] ^= 0x55
    try folder.folder.write(bytes, to: Self.january)
    let documents = try folder.documents()
    try folder.folder.write(
      """
      {"id":"00000001-0000-4000-8000-000000000001","title":"New","created":"2022-01-01T00:00:00Z"}
      """, to: "notes/new.json")
    // Its date may have been another when it was imported: it may be in any document of its kind.
    let report = try folder.importing()
    #expect(report.endsWithDifferences && report.counts[0].waiting == 3)
    #expect(try folder.documents() == documents)
    #expect(try !folder.verifying().isSound)
  }

  @Test func `what stays in a file is expected, what else is in it is told`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    #expect(try folder.importing(isDryRun: true).findings.allSatisfy { $0.code != .unknownMember })
    try folder.folder.write(
      #"{"version":3,"trash":[1],"notebooks":[{"name":"Inbox"},{"order":4},{"name":""},7]}"#,
      to: "notebooks.json")
    let report = try folder.importing()
    let findings = report.findings.filter { $0.path == "notebooks.json" }
    #expect(findings.filter { $0.code == .unknownMember }.map(\.message).count == 1)
    #expect(findings.contains { $0.message == "notebook 2: name is missing" })
    #expect(findings.contains { $0.message == "notebook 3: name is empty: \"\"" })
    #expect(
      findings.contains { $0.message == "notebook 4: a notebook is an object, found a number" })
    #expect(report.counts[1].rejected == 3 && report.counts[1].imported == 1)
  }

  @Test func `a copy of a file whose path is its identity is told`() throws {
    let folder = try ProfiledFolder(sample: "habits")
    let bytes = try folder.folder.bytes("log/2025/2025-01-30.json")
    try folder.folder.write(bytes, to: "log/2025/2025-01-30 2.json")
    let report = try folder.importing()
    #expect(report.counts[1].imported == 5)
    let copies = report.findings.filter { $0.code == .conflictCopy }
    #expect(copies.map(\.path) == ["log/2025/2025-01-30 2.json"])
    // What may be one too many does not count as complete.
    #expect(try folder.verifying().isSound && !folder.verifying().isComplete)
  }

  @Test func `a document that is no kind's is known for all of them`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    for path in ["notebooks.automerge", "settings.automerge", Self.january] {
      let bytes = try folder.folder.bytes(path)
      try folder.folder.remove(path)
      try folder.folder.write(bytes, to: "elsewhere/moved-\(path.replacing("/", with: "-"))")
    }
    let documents = try folder.documents()
    // What somebody moved is not made a second time.
    #expect(try folder.importing().counts.allSatisfy { $0.imported == 0 })
    #expect(try folder.documents() == documents)
  }

  @Test(arguments: [
    ("0000-01-01T00:00:00+23:59", "0000-01"), ("9999-12-31T23:59:59-23:59", "9999-12"),
    ("1969-12-31T23:59:59.9999Z", "1970-01"), ("2024-12-31T23:30:00-01:00", "2025-01"),
  ])
  func `a date at the edge of what has a month has one`(
    _ example: (date: String, month: String)
  ) throws {
    let folder = try ProfiledFolder(sample: "notes")
    for path in try folder.files().keys { try folder.folder.remove(path) }
    try folder.folder.write(
      #"{"id":"00000001-0000-4000-8000-000000000001","title":"x","created":"\#(example.date)"}"#,
      to: "notes/x.json")
    #expect(try !folder.importing().endsWithDifferences)
    #expect(try folder.documents().keys.sorted() == ["documents/\(example.month).automerge"])
    #expect(try folder.verifying().isSound)
  }

  @Test(arguments: [
    "[]", "7", "\"text\"", "{}", #"{"notebooks":{}}"#, #"{"notebooks":7}"#, #"{"other":[]}"#,
  ])
  func `a file without its entities is refused, never taken for an empty one`(text: String) throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.folder.write(text, to: "notebooks.json")
    let report = try folder.importing()
    #expect(report.endsWithDifferences)
    #expect(report.findings.contains { $0.path == "notebooks.json" && $0.severity == .error })
  }

  @Test(arguments: [FaultPlan.Fault.stop, .failure(ENOSPC), .failure(EIO)])
  func `an import that fails anywhere leaves old or new, and the next one completes it`(
    _ fault: FaultPlan.Fault
  ) throws {
    let undisturbed = try ProfiledFolder(sample: "notes")
    let legacy = try undisturbed.files()
    try undisturbed.importing()
    let expected = try undisturbed.files()
    var call = 1
    while true {
      let folder = try ProfiledFolder(sample: "notes")
      let faults = FaultPlan(atCall: call, fault)
      _ = try? folder.importing(workers: 1, faults: faults)
      for (name, bytes) in try folder.files() where !name.hasSuffix(".tmp.nosync") {
        #expect(
          bytes == legacy[name] || bytes == expected[name], "call \(call): \(name)")
      }
      try folder.importing()
      #expect(try folder.files() == expected, "call \(call)")
      if !faults.hasFired { break }
      call += fault == .stop ? 1 : 3
    }
    #expect(call > 10)
  }

  @Test(arguments: [false, true])
  func `a directory that cannot be opened once is never a verification without an error`(
    _ isCleaned: Bool
  ) throws {
    let folder = try ProfiledFolder(sample: "notes")
    let backup = try #require(try folder.folder.packing().archives.first?.path)
    try folder.importing()
    if isCleaned { try folder.cleaning(backup: backup) }
    func verify(_ faults: any FileOperations) throws -> VerificationReport {
      try VerificationWorkflow(
        VerificationOptions(folder: folder.folder.path),
        context: folder.context(workers: 1, faults: faults)
      ).perform()
    }
    let all = FaultPlan(atCall: .max, .stop, calls: .openingDirectories)
    #expect(try !verify(all).endsWithDifferences)
    var reasons: Set<String> = []
    for call in 1...all.callCount {
      let plan = FaultPlan(atCall: call, .failure(EIO), calls: .openingDirectories)
      do {
        let report = try verify(plan)
        #expect(report.endsWithDifferences, "call \(call), \(plan.opened)")
        reasons.formUnion(report.findings.map(\.message))
      } catch is MigrationError {
        // An error has a status of its own.
      }
      #expect(plan.hasFired)
    }
    // The second reading of a file whose date was wanted does not undo that the first one failed.
    #expect(reasons.contains(Finding.unreadAtFirst.message))
  }

  @Test func `a clean-up moves what is proven, and leaves what is no entity`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    let legacy = try folder.files()
    let backup = try #require(try folder.folder.packing().archives.first?.path)
    try folder.importing()
    try folder.folder.write(
      #"{"id":"00000001-0000-4000-8000-000000000001","created":"2022-01-01T00:00:00Z","title":7}"#,
      to: "notes/wrong.json")
    let documents = try folder.documents()
    let report = try folder.cleaning(backup: backup)
    let left = try folder.files().filter { $0.key.hasSuffix(".json") }
    // The version of the notebooks is in no document.
    #expect(left.keys.sorted() == ["notebooks.json", "notes/wrong.json"])
    #expect(left["notebooks.json"] != legacy["notebooks.json"])
    #expect(report.files.filter { $0.outcome == .moved }.count == 7)
    #expect(try folder.documents() == documents)
    try folder.folder.remove("notes/wrong.json")

    // The quarantine is what is compared with.
    let verification = try folder.verifying()
    #expect(verification.isSound && verification.isComplete)
    #expect(verification.counts.reduce(0) { $0 + $1.proven } == 9)
    #expect(try folder.importing().documents.allSatisfy { $0.outcome == .unchanged })

    let run = try #require(report.quarantine.split(separator: "/").last)
    try folder.bringingBack(String(run))
    for (path, bytes) in legacy { #expect(try folder.folder.bytes(path) == bytes, "\(path)") }
    #expect(try folder.verifying().isComplete)
  }

  @Test func `runs of two profiles on one folder exclude each other`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    let directory = try Directory.open(path: folder.folder.path)
    do {
      let locks = try FolderAccess.lock(directory, context: folder.context())
      #expect(locks.count == 2 && folder.folder.exists(".notes.lock"))
      var minuta = TestFolder.context()
      minuta.lockTimeoutSeconds = 0
      #expect(throws: MigrationError.self) { try FolderAccess.lock(directory, context: minuta) }
      withExtendedLifetime(locks) {}
    }
    let locks = try FolderAccess.lock(directory, context: TestFolder.context())
    var context = folder.context()
    context.lockTimeoutSeconds = 0
    #expect(throws: MigrationError.self) { try FolderAccess.lock(directory, context: context) }
    withExtendedLifetime(locks) {}
  }

  @Test func `two devices that import the same folder write the same changes`() throws {
    for name in ProfiledFolder.samples {
      let one = try ProfiledFolder(sample: name)
      let other = try ProfiledFolder(sample: name)
      try one.importing()
      try other.importing()
      #expect(try one.documents() == other.documents())
    }
  }

  @Test func `an older version of the profile makes entities that the newer one proves`() throws {
    let folder = try ProfiledFolder(sample: "notes", profile: "profile-1.json")
    try folder.folder.remove("notes/welcome.json")
    for path in [Self.lisbonFile, "notes/travel/porto.json"] { try folder.folder.remove(path) }
    try folder.importing()
    let newer = try ProfiledFolder(sample: "notes")
    for path in try newer.files().keys { try newer.folder.remove(path) }
    try folder.folder.copy(to: newer.folder)
    // What has no property of the new version has the same changes in both.
    let report = try newer.verifying()
    #expect(report.isSound)
    #expect(report.counts.first { $0.kind == "note" }?.proven == 2)
    #expect(try newer.importing().documents.allSatisfy { $0.outcome == .unchanged })
  }
}
