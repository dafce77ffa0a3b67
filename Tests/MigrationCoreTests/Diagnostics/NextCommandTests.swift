import Diagnostics
import Testing

@testable import MigrationCore

@Suite struct NextCommandTests {
  @Test func `options stand as they are and other words are quoted where a shell needs it`() {
    let command = NextCommand(
      .restoreBackup, ["a b.tar", "--into", "it's", "-o", "-5", "--", "--Only", ""])
    #expect(
      command.shellText == #"restore-backup 'a b.tar' --into 'it'\''s' -o '-5' '--' '--Only' ''"#)
  }

  @Test func `a finding with a command and no text tells to run the command`() {
    let command = NextCommand(.verifyCounts, ["a folder"])
    let finding = Finding(.kept, .error, message: "stays", command: command)
    #expect(finding.next == "verify-counts 'a folder'")
  }

  @Test(arguments: [
    [], [0x61], Array("a\\n\n\r\t\u{1}Küche\u{202e}\\x41".utf8), [0xff, 0x5c, 0xc3], Array(0...255),
  ])
  func `what is shown of a name tells its bytes`(bytes: [UInt8]) {
    #expect(DisplayText.bytes(shownAs: DisplayText.escaping(bytes)) == bytes)
  }

  @Test(arguments: ["\\", "a\\", "\\x", "\\x4", "\\xg0", "\\q"])
  func `what shows no name has no bytes`(text: String) {
    #expect(DisplayText.bytes(shownAs: text) == nil)
  }

  @Test func `what is to be run on the folder is there as a command, too`() throws {
    let folder = try OldMonthsTests.folder()
    let document = "records/2019/05"
    try folder.write(
      folder.bytes("\(document).automerge"), to: "\(document) (conflicted copy).automerge")
    let told = try folder.verifying().findings.filter { $0.next?.contains(" FOLDER") ?? false }
    #expect(told.contains { $0.code == .conflictCopy })
    for finding in told {
      #expect(finding.command == NextCommand(.mergeConflicts, [folder.path]), "\(finding)")
    }
  }
}
