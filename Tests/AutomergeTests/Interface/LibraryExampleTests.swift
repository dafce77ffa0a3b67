import Foundation
import Testing

@testable import Automerge

/// The example of the README, line by line.
@Suite struct LibraryExampleTests {
  @Test func `the example does what it says`() throws {
    let note = Document()
    let title = try note.putObject(obj: .ROOT, key: "title", ty: .Text)
    try note.spliceText(obj: title, start: 0, delete: 0, value: "Shopping")

    let copy = note.fork()
    try copy.spliceText(obj: title, start: 8, delete: 0, value: " list")
    try note.put(obj: .ROOT, key: "done", value: .Boolean(false))

    try note.merge(other: copy)
    #expect(try note.text(obj: title) == "Shopping list")
    let file = note.save()
    #expect(try Document(file).get(obj: .ROOT, key: "done") == .Scalar(.Boolean(false)))
  }

  @Test func `the example is what this test runs`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let example = try #require(
      readme.split(separator: "```swift\n").dropFirst().first?.split(separator: "```").first)
    let test = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    for line in example.split(separator: "\n").dropFirst() {
      // Results are shown as comments there and expected here.
      let code = line.split(separator: "  //")[0]
      #expect(test.contains(code), "\(line)")
    }
  }
}
