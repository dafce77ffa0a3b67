import Automerge
import Diagnostics
import Folders
import Testing

@testable import MigrationCore
@testable import Runs

/// Runs that end at the first item with an error.
@Suite struct FailingFastTests {
  private static var context: RunContext {
    var context = TestFolder.context(workers: 1)
    context.failsFast = true
    return context
  }

  /// Twelve months; the record of March is damaged.
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    for month in 1...12 {
      let text = month < 10 ? "0\(month)" : "\(month)"
      try folder.write(
        month == 3 ? "{" : Legacy.record(month, start: "2024-\(text)-15T09:30:00Z"),
        to: "records/2024/\(text)/2024-\(text)-15_093000.json")
    }
    return folder
  }

  private func rest(_ findings: [Finding]) -> String? {
    findings.first { $0.code == .notLookedAt }?.message
  }

  @Test func `an import writes nothing and looks no further`() throws {
    let folder = try folder()
    let before = try folder.files()
    let workflow = ImportWorkflow(
      ImportOptions(source: .folder(path: folder.path)), context: Self.context)
    let report = try workflow.perform()
    #expect(try folder.files() == before)
    #expect(report.endsWithDifferences)
    #expect(report.documents.isEmpty)
    #expect(report.records.imported == 0)
    #expect(report.records.read < 12)
    #expect(report.records.read == report.records.waiting + report.records.rejected)
    #expect(rest(report.findings)?.contains("nothing was written") == true)
    // Without it the other months are imported.
    #expect(try folder.importing().records.imported == 11)
  }

  @Test func `an import without an error is as any other`() throws {
    let folder = try folder()
    try folder.remove("records/2024/03/2024-03-15_093000.json")
    let report = try ImportWorkflow(
      ImportOptions(source: .folder(path: folder.path)), context: Self.context
    ).perform()
    #expect(report.records.imported == 11)
    #expect(rest(report.findings) == nil)
  }

  @Test func `a verification looks no further and says nothing about the rest`() throws {
    let folder = try folder()
    try folder.importing()
    let report = try VerificationWorkflow(
      VerificationOptions(folder: folder.path), context: Self.context
    ).perform()
    #expect(report.endsWithDifferences)
    #expect(report.documentsVerified < 11)
    #expect(rest(report.findings)?.contains(" of 12 groups") == true)
    let errors = report.findings.filter { $0.severity == .error }
    #expect(errors.allSatisfy { $0.path.hasPrefix("records/2024/03") }, "\(errors)")
  }

  @Test func `a verification against entities one by one looks no further`() throws {
    let folder = try folder()
    try folder.remove("records/2024/03/2024-03-15_093000.json")
    try folder.importing()
    let stream = try folder.exporting().stream
    try folder.remove("records/2024/02.automerge")
    try folder.remove("records/2024/04.automerge")
    for month in ["02", "04"] {
      try folder.remove("records/2024/\(month)/2024-\(month)-15_093000.json")
    }
    var options = VerificationOptions(folder: folder.path)
    options.reference = .stream(try stream.source())
    let report = try VerificationWorkflow(options, context: Self.context).perform()
    #expect(report.findings.count { $0.code == .missingEntity } == 1)
    #expect(rest(report.findings)?.contains("the rest was not looked at") == true)
  }

  @Test func `a clean-up moves nothing`() throws {
    let folder = try folder()
    try folder.importing()
    let backup = try folder.packing().archives[0].path
    let before = try folder.files()
    for month in [nil, "2024-12"] {
      var options = CleanUpOptions(folder: folder.path, backup: backup)
      options.monthsBefore = month
      let report = try CleanUpWorkflow(options, context: Self.context).perform()
      #expect(try folder.files() == before)
      #expect(report.endsWithDifferences)
      #expect(rest(report.findings) != nil)
    }
  }

  @Test func `a clean-up without the backup of a file moves nothing`() throws {
    let folder = try folder()
    try folder.remove("records/2024/03/2024-03-15_093000.json")
    try folder.importing()
    let backup = try folder.packing().archives[0].path
    try folder.write(
      Legacy.record(40, start: "2024-05-16T09:30:00Z"),
      to: "records/2024/05/2024-05-16_093000.json")
    try folder.importing()
    let before = try folder.files()
    let report = try CleanUpWorkflow(
      CleanUpOptions(folder: folder.path, backup: backup), context: Self.context
    ).perform()
    #expect(try folder.files() == before)
    #expect(report.findings.count { $0.code == .kept } == 1)
    #expect(rest(report.findings) != nil)
  }

  @Test func `an export keeps the files it has and ends a stream without its last line`() throws {
    let folder = try folder()
    try folder.importing()
    try folder.remove("records/2024/03/2024-03-15_093000.json")
    try folder.write("no document", to: "records/2024/05.automerge")
    for month in 1...12 where month != 3 {
      let text = month < 10 ? "0\(month)" : "\(month)"
      try folder.remove("records/2024/\(text)/2024-\(text)-15_093000.json")
    }
    let stream = try TestStream([])
    var report = try ExportWorkflow(
      ExportOptions(source: folder.path, destination: .stream(stream.sink)), context: Self.context
    ).perform()
    #expect(rest(report.findings)?.contains(" of 11 groups") == true)
    #expect(!stream.text.contains("\"end\":true"))
    let target = folder.beside("exported")
    report = try ExportWorkflow(
      ExportOptions(source: folder.path, destination: .folder(path: target)), context: Self.context
    ).perform()
    #expect(rest(report.findings) != nil)
    #expect(report.filesCreated > 0)
    #expect(report.filesCreated < 10)
  }

  @Test func `a merge finishes what it began and looks no further`() throws {
    let folder = try TestFolder()
    for month in ["01", "02", "03"] {
      try folder.write(Legacy.record(1), to: "records/2024/\(month)/a.json")
      try folder.importing()
      try folder.remove("records/2024/\(month)/a.json")
      let bytes = try folder.bytes("records/2024/01.automerge")
      try folder.write(bytes, to: "records/2024/\(month).automerge")
      try folder.write(
        month == "02" ? Array("damaged".utf8) : bytes, to: "records/2024/\(month) 2.automerge")
    }
    var workflow = MergeWorkflow(MergeOptions(folder: folder.path), context: Self.context)
    let report = try workflow.perform()
    #expect(
      report.outcomes == [
        "records/2024/01 2.automerge": .redundant, "records/2024/02 2.automerge": .damaged,
      ])
    #expect(!folder.exists("records/2024/01 2.automerge"))
    #expect(folder.exists("records/2024/03 2.automerge"))
    #expect(rest(report.findings)?.contains("1 of 3 files with copies") == true)
    // A document without copies is looked at last.
    try folder.remove("records/2024/02 2.automerge")
    try folder.write("damaged", to: "records/2024/04.automerge")
    workflow = MergeWorkflow(MergeOptions(folder: folder.path), context: Self.context)
    #expect(try workflow.perform().outcomes == ["records/2024/03 2.automerge": .redundant])
  }
}
