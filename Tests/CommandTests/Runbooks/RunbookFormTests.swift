import Foundation
import Testing

/// A test that reads pages must not pass over what it does not understand.
@Suite struct RunbookFormTests {
  private let page = """
    # A page

    Example: a folder.

    1. Look:

       ```console
       $ first \\
         --option
       one
       ...
       last
       (status 1)
       $ second
       ```
    """

  @Test func `commands, output and status are told apart`() {
    let runbook = Runbook("page.md", text: page)
    #expect(runbook.defects.isEmpty)
    #expect(runbook.examples.map(\.situation) == ["a folder"])
    #expect(runbook.commands == ["first \\\n  --option", "second"])
    let step = runbook.examples[0].steps[0]
    #expect(step.expected == ["one", "...", "last"])
    #expect(step.status == 1)
    #expect(runbook.lines[step.outputRange] == ["   one", "   ...", "   last", "   (status 1)"])
    #expect(runbook.examples[0].steps[1].outputRange.isEmpty)
  }

  @Test func `left out lines may be any, the others may not`() {
    let step = Runbook("page.md", text: page).examples[0].steps[0]
    #expect(step.matches(["one", "last"]))
    #expect(step.matches(["one", "two", "three", "last"]))
    for wrong in [[], ["one"], ["last"], ["one", "last", "more"], ["zero", "one", "last"]] {
      #expect(!step.matches(wrong))
    }
    let silent = Runbook("page.md", text: page).examples[0].steps[1]
    #expect(silent.matches([]))
    #expect(!silent.matches(["something"]))
  }

  @Test(arguments: [
    "```sh\nimport-crdt Minuta\n```", "$ import-crdt Minuta", "```console\n$ a\n```",
    "Example: a folder.\n```console\noutput\n```",
  ])
  func `what would not be executed is a defect`(text: String) {
    #expect(Runbook("page.md", text: text).defects.count == 1)
  }

  @Test func `names of runs are shown as the page has them and typed as they are`() {
    var names = RunbookNames(home: .temporaryDirectory)
    let shown = names.shown("Minuta-20301121T061358Z-0007.tar quarantine/20301121T061358Z")
    #expect(shown == "Minuta-20260106T120700Z-0007.tar quarantine/20260106T130000Z")
    #expect(
      names.typed("restore-backup Minuta-20260106T120700Z-0007.tar")
        == "restore-backup Minuta-20301121T061358Z-0007.tar")
    #expect(names.shown("restore/20301121T061359Z-ab12") == "restore/20260106T130100Z-0001")
    #expect(names.shown("2024-01-15T09:30:00Z") == "2024-01-15T09:30:00Z")
  }
}
