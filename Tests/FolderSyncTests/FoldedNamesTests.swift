@testable import FolderSync
import SafeFiles
import Testing

/// Paths that some disks take for one.
@Suite struct FoldedNamesTests {
  private func twins(
    _ ours: [String], _ theirs: [String], files: [String] = []
  ) throws -> [String: String] {
    func names(_ texts: [String]) throws -> FoldedNames.Names {
      FoldedNames.Names(try texts.map { (try #require(RelativePath($0)), files.contains($0)) })
    }
    let twins = try FoldedNames(names(ours), names(theirs)).twins
    return Dictionary(
      uniqueKeysWithValues: twins.map { ($0.key.description, $0.value.description) })
  }

  @Test func `names that only one side has are told with what they are like`() throws {
    #expect(
      try twins(["a/Habits.automerge", "b.automerge"], ["a/habits.automerge", "b.automerge"])
        == ["a/Habits.automerge": "a/habits.automerge", "a/habits.automerge": "a/Habits.automerge"])
    // A directory counts as a file does, and so do letters beyond ASCII.
    #expect(try twins(["Ä/x.automerge"], ["ä/x.automerge"]).count == 2)
    #expect(try twins(["x.automerge", "X.automerge"], []).count == 2)
  }

  @Test func `what both sides have is synced`() throws {
    #expect(try twins(["x.automerge", "X.automerge"], ["X.automerge", "x.automerge"]).isEmpty)
    #expect(
      try twins(["x.automerge", "X.automerge"], ["X.automerge"]) == ["x.automerge": "X.automerge"])
    #expect(try twins(["x.automerge"], ["y.automerge"]).isEmpty)
  }

  @Test func `files whose names are composed in two ways are one already`() throws {
    let (composed, decomposed) = ("\u{e4}.jpg", "a\u{308}.jpg")
    #expect(try twins([composed], [decomposed], files: [composed, decomposed]).isEmpty)
    #expect(try twins([composed], ["A\u{308}.jpg"], files: [composed, "A\u{308}.jpg"]).count == 2)
  }
}
