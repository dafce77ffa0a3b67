import Foundation
import Testing

/// Images are compared with what the documents are compared with, where that holds images.
@Suite struct ImageComparisonTests {
  private let image = "records/2024/01/\(SmallFolder.firstID)_0.jpg"

  /// How the reference is made of a whole folder.
  enum Reference: CaseIterable {
    case backup
    case folder
  }

  @Test(arguments: Reference.allCases)
  func `an image that is gone is an error where the reference has it`(
    reference: Reference
  ) throws {
    let (folder, other) = try pair(reference)
    try folder.remove(image)
    let run = try run("verify-counts", folder.path, "--against", other, "--json")
    #expect(run.status == 1)
    let finding = try #require(run.findings("missing-image").first)
    #expect(finding["severity"] as? String == "error")
    #expect((finding["next"] as? String)?.contains(image) == true)
    #expect(run.summary?["complete"] as? Bool == false)
  }

  @Test(arguments: Reference.allCases, ["", "not really a pictura", "longer than the one before"])
  func `one with other bytes is an error`(reference: Reference, bytes: String) throws {
    let (folder, other) = try pair(reference)
    try folder.write(bytes, to: image)
    let run = try run("verify-counts", folder.path, "--against", other, "--json")
    #expect(run.status == 1)
    #expect(run.findings("changed-image").compactMap { $0["path"] as? String } == [image])
  }

  @Test func `what the finding says to do brings the image back`() throws {
    let (folder, backup) = try pair(.backup)
    let before = try Data(contentsOf: folder.file(image))
    for damage in [nil, ""] {
      if let damage { try folder.write(damage, to: image) } else { try folder.remove(image) }
      let found = try run("verify-counts", folder.path, "--against", backup, "--json")
      let words = try #require(
        found.jsonLines.lazy.compactMap { $0["command"] as? [String] }.first)
      #expect(
        try CommandTests.run(
          BuiltCommands.directory.appending(path: words[0]), Array(words.dropFirst()), input: nil
        ).status == 0)
      #expect(try Data(contentsOf: folder.file(image)) == before)
      #expect(try run("verify-counts", folder.path, "--against", backup).status == 0)
    }
  }

  @Test func `without a reference an empty image is told, and everything is not there`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    try folder.write("", to: image)
    let run = try run("verify-counts", folder.path)
    #expect(run.status == 0)
    #expect(run.output.contains("warning changed-image: \(image): is an empty file"))
    #expect(!run.output.contains("Everything"))
    #expect(run.output.hasSuffix("or was not compared, is told in 1 finding.\n"))
  }

  @Test func `an image that a record does not name any more is not missed`() throws {
    let (folder, backup) = try pair(.backup)
    try folder.write(
      #"{"id":"\#(SmallFolder.firstID)","startTime":"2024-01-15T09:30:00Z"}"#,
      to: "records/2024/01/2024-01-15_093000.json")
    _ = try run("import-crdt", folder.path, "--update")
    try folder.remove(image)
    let run = try run("verify-counts", folder.path, "--against", backup, "--json")
    #expect(run.findings("missing-image").isEmpty)
  }

  @Test func `a member of the tags file that nobody imports is a gap`() throws {
    let folder = try SmallFolder()
    try folder.write(#"{"tags":[],"surprise":{"a":1}}"#, to: "tags.json")
    _ = try run("import-crdt", folder.path)
    let run = try run("verify-counts", folder.path)
    #expect(run.output.contains("unknown-member"))
    #expect(!run.output.contains("Everything is there"))
  }

  private func pair(_ reference: Reference) throws -> (SmallFolder, other: String) {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    #expect(try run("import-crdt", folder.path).status == 0)
    guard reference == .folder else { return (folder, backup) }
    let other = folder.parent.appending(path: "Other")
    try FileManager.default.copyItem(at: folder.url, to: other)
    return (folder, other.path)
  }
}

extension CommandRun {
  fileprivate func findings(_ code: String) -> [[String: Any]] {
    jsonLines.filter { $0["code"] as? String == code }
  }
}
