import CommandLineSupport
import Diagnostics
import MigrationCore
import Testing

@Suite struct ExitStatusTests {
  @Test func `the numbers are those of the table everybody scripts against`() {
    let numbers = ExitStatus.allCases.map(\.rawValue)
    #expect(numbers == [0, 1, 64, 65, 66, 69, 70, 71, 73, 74, 75, 77, 78])
  }

  @Test func `every kind of failure has its own number`() {
    let statuses = Set(Diagnostic.Kind.allCases.map { ExitStatus($0) })
    #expect(statuses.count == Diagnostic.Kind.allCases.count)
    #expect(statuses.isDisjoint(with: [.done, .differs]))
  }

  @Test func `only a finding of severity error makes a run differ`() {
    var report = BackupReport(isDryRun: false)
    report.findings = [Finding(.syncedPlace, .warning, message: "a service copies it")]
    #expect(ExitStatus(report) == .done)
    report.findings.append(Finding(.unverifiedBackup, .error, message: "one hash differs"))
    #expect(ExitStatus(report) == .differs)
  }

  @Test func `an error that cannot say what it is counts as our mistake`() {
    struct Surprise: Error {}
    #expect(ExitStatus(Surprise()) == .internalError)
  }

  @Test func `a batch ends with the gravest of its statuses`() {
    #expect([ExitStatus.differs, .damagedInput, .done].max() == .damagedInput)
    #expect([ExitStatus.inputOutput, .damagedInput, .busy].max() == .inputOutput)
    #expect([ExitStatus.internalError, .systemCallFailed].max() == .internalError)
  }

  @Test func `a run that could not read what kept changing is to be run again`() {
    var report = ExportReport(kindNames: ["entity"])
    report.findings = [.gone]
    #expect(ExitStatus(report) == .busy)
  }
}
