import Diagnostics
import Folders
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// What is planned, decided over values: no folder is read.
@Suite struct RecoveryPlannerTests {
  private static let month: RelativePath = "records/2024/01.automerge"
  private static let stem: RelativePath = "records/2024/01"

  private func lines(_ change: (inout RecoverySituation) -> Void) -> [String] {
    var situation = RecoverySituation(folder: "/a/F")
    change(&situation)
    return RecoveryPlanner.steps(for: situation).map(\.shellText)
  }

  private func damaged(
    _ salvage: RecoverySituation.Salvage, _ source: RecoverySituation.Source
  ) -> RecoverySituation.DamagedDocument {
    .init(
      path: Self.month, salvage: salvage, place: "/a/F-salvaged",
      aside: "records/2024/01.automerge.damaged", source: source)
  }

  @Test func `nothing wrong is nothing to do`() {
    #expect(lines { _ in }.isEmpty)
  }

  @Test func `an interrupted restore is finished and nothing else`() {
    let lines = lines {
      $0.isInRestore = true
      $0.hasConflictCopies = true
    }
    #expect(lines == ["restore-backup --finish /a/F --brief"])
  }

  @Test func `what can be read of a damaged document is kept before anything takes its place`() {
    #expect(
      lines { $0.damaged = [damaged(.readable, .document(backup: "/b/1.tar"))] } == [
        "mkdir -p /a/F-salvaged/records/2024",
        "repair-crdt /a/F/records/2024/01.automerge -o "
          + "/a/F-salvaged/records/2024/01.automerge --brief",
        "restore-backup /b/1.tar --into /a/F --only records/2024/01.automerge --brief",
      ])
    #expect(
      lines { $0.damaged = [damaged(.unreadable, .nowhere)] } == [
        "mkdir -p /a/F-salvaged/records/2024",
        "cp -p /a/F/records/2024/01.automerge /a/F-salvaged/records/2024/01.automerge",
      ])
    #expect(lines { $0.damaged = [damaged(.kept, .waits)] }.isEmpty)
  }

  @Test func `a damaged document is moved away only where its JSON was found`() {
    let lines = lines {
      $0.damaged = [damaged(.kept, .legacy(backup: "/b/1.tar"))]
      $0.directories = ["/a/F-salvaged/records/2024"]
      $0.numericDates = .unixMilliseconds
    }
    #expect(lines.count == 3)
    #expect(
      lines.first
        == "restore-backup /b/1.tar --into /a/F-salvaged/records/2024/01.legacy --only "
        + "records/2024/01 --brief")
    #expect(
      lines[1].hasSuffix(
        "|| mv /a/F/records/2024/01.automerge "
          + "/a/F-salvaged/records/2024/01.automerge.damaged"))
    #expect(
      lines.last
        == "import-crdt /a/F-salvaged/records/2024/01.legacy --into /a/F --layout monthly "
        + "--numeric-dates unix-ms --brief")
  }

  @Test(arguments: [
    ("tags" as RelativePath, "auto", "tags.json"),
    ("records/2024/01", "monthly", "records/2024/01"),
    ("records/2024/01/2024-01-15_093000", "per-record", "records/2024/01/2024-01-15_093000.json"),
  ])
  func `JSON in quarantine is copied, and imported as the layout of the document`(
    stem: RelativePath, layout: String, chosen: String
  ) {
    let run: RelativePath = ".automerge-migrate.nosync/quarantine/20260106T120000Z"
    let lines = lines { $0.gone = [.init(stem: stem, source: .quarantine(run: run))] }
    #expect(lines.count == 3)
    #expect(lines[1].hasPrefix("cp -Rp /a/F/\(run)/\(chosen) /a/F-salvaged/\(stem).legacy"))
    #expect(lines[2].contains(" --layout \(layout) --brief"))
  }

  @Test func `changed JSON is taken over, which imports what is new as well`() {
    #expect(
      lines {
        $0.hasNewJSON = true
        $0.hasChangedJSON = true
        $0.hasConflictCopies = true
      } == ["merge-conflicts /a/F --brief", "import-crdt /a/F --update --brief"])
  }

  @Test func `any path is a word`() throws {
    let image: RelativePath = "records/2024/01/it's\n\"1\".jpg"
    var situation = RecoverySituation(folder: "/a\nb/F")
    situation.images = [.init(backup: "/b c/1.tar", paths: [image])]
    let step = try #require(RecoveryPlanner.steps(for: situation).first)
    #expect(
      step.action
        == .run(
          NextCommand(
            .restoreBackup,
            [
              "/b c/1.tar", "--into", "/a\nb/F", "--only", "records/2024/01/it's\n\"1\".jpg",
              "--brief",
            ]
          )))
    #expect(!step.shellText.contains("\n"))
  }

  @Test func `what is missing where nobody can look may be there`() {
    let run = ".automerge-migrate.nosync/quarantine/R"
    func missing(_ path: String) -> Finding {
      Finding(.missingEntity, .error, path: path, message: "is in no document")
    }
    let findings = RecoveryFindings([
      Finding(.unreadable, .error, path: "records/2024", message: "cannot be read"),
      missing("\(run)/records/2024/01/a.json"), missing("\(run)/records/2023/01/a.json"),
      missing("\(run)/tags.json"), missing("records/2024/02/b.json"),
    ])
    #expect(findings.stemsInQuarantine(.minuta) == ["records/2023/01", "tags"])
    #expect(!findings.holdsInFolder(.missingEntity))
    #expect(findings.isUnseen(Self.stem) && !findings.isUnseen("records/2023/01"))
    #expect(findings.quarantine(of: "tags", .minuta) == RelativePath(run))
  }
}
