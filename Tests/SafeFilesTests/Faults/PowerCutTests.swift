import FileFaults
import Foundation
import SafeFiles
import Testing

/// The model itself: it must find what a program forgot, or the tests that use it prove nothing.
@Suite struct PowerCutTests {
  /// What a file may hold after each step of `body`, seen over many samples; nil is no file.
  private func outcomes(
    of name: String, from old: String? = nil, onlyAtEnd: Bool = false,
    _ body: (Directory) throws -> Void
  ) throws -> Set<String?> {
    let place = try TestPlace()
    if let old { try place.write(old, to: name) }
    let recorder = try OperationRecorder(root: place.open())
    try body(place.open(recorder))
    var generator = SystemRandomNumberGenerator()
    let recording = recorder.recording
    var seen: Set<String?> = []
    for count in (onlyAtEnd ? recording.stepCount : 0)...recording.stepCount {
      for tree in PowerCut(recording, afterSteps: count).states(sampling: 50, using: &generator) {
        let entry = tree.entries.first { $0.path.description == name }
        seen.insert(entry.map { String(decoding: $0.content, as: UTF8.self) })
      }
    }
    return seen
  }

  @Test func `a published file is old or new after every power cut, and new once it is done`()
    throws
  {
    let publish: (Directory) throws -> Void = { try $0.publish(Array("new".utf8), as: "a") }
    #expect(try outcomes(of: "a", from: "old", publish) == ["old", "new"])
    #expect(try outcomes(of: "a", publish) == [nil, "new"])
    #expect(try outcomes(of: "a", from: "old", onlyAtEnd: true, publish) == ["new"])
  }

  @Test func `a name without a synchronized directory may be lost`() throws {
    let seen = try outcomes(of: "a", onlyAtEnd: true) {
      try $0.stage(Array("new".utf8), as: "a").publish()
    }
    #expect(seen == [nil, "new"])
  }

  @Test func `bytes that were not synchronized may be missing, torn or zeros`() throws {
    let text = String(repeating: "0123456789abcdef", count: 128)
    let seen = try outcomes(of: "a", onlyAtEnd: true) {
      try $0.createFile("a").write(Array(text.utf8))
      try $0.synchronize()
    }
    #expect(seen.contains("") && seen.contains(text))
    #expect(seen.contains { $0.map { $0.utf8.contains(0) } == true })
    #expect(seen.contains { $0.map { !$0.isEmpty && $0 != text && text.hasPrefix($0) } == true })
  }

  @Test func `an appended line may be lost or torn, what was there before stays`() throws {
    let seen = try outcomes(of: "log", from: "first\n") {
      try $0.appendLine(Array("second".utf8), to: "log")
    }
    #expect(seen.allSatisfy { $0?.hasPrefix("first\n") == true })
    #expect(seen.contains("first\n") && seen.contains("first\nsecond\n"))
  }

  @Test func `a move lasts as a whole; with its new directory synchronized no file is lost`() throws
  {
    func places(_ synchronized: [String]) throws -> Set<String> {
      let place = try TestPlace()
      let folder = try place.open()
      _ = try (folder.createDirectory("from"), folder.createDirectory("to"))
      try place.write("x", to: "from/x")
      let recorder = try OperationRecorder(root: folder)
      let recorded = try place.open(recorder)
      let from = try recorded.openDirectory("from" as FileName)
      let to = try recorded.openDirectory("to" as FileName)
      try from.move("x", to: to)
      if synchronized.contains("to") { try to.synchronize() }
      if synchronized.contains("from") { try from.synchronize() }
      var generator = SystemRandomNumberGenerator()
      let cut = PowerCut(recorder.recording, afterSteps: recorder.recording.stepCount)
      return Set(
        cut.states(sampling: 50, using: &generator).map { tree in
          tree.entries.filter { $0.kind == .regular }.map(\.path.description)
            .joined(separator: " ")
        })
    }
    #expect(try places([]) == ["from/x", "to/x"])
    #expect(try places(["to"]) == ["from/x to/x", "to/x"])
    #expect(try places(["from"]) == ["", "to/x"])
    #expect(try places(["to", "from"]) == ["to/x"])
  }

  @Test func `one call makes everything last`() throws {
    let seen = try outcomes(of: "a", onlyAtEnd: true) {
      try $0.createFile("a").write(Array("new".utf8))
      try $0.synchronizeFileSystem()
    }
    #expect(seen == ["new"])
  }

  @Test func `a state is written to a directory as it is`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    try folder.createDirectory("d/e" as RelativePath).publish([1, 2], as: "f")
    try folder.createSymbolicLink(
      "link", target: Array("d".utf8), modified: FileTime(seconds: 5), owner: nil)
    try place.setMode(0o640, of: "d/e/f")
    var generator = SystemRandomNumberGenerator()
    let recording = try OperationRecorder(root: folder).recording
    let states = PowerCut(recording, afterSteps: 0).states(sampling: 5, using: &generator)
    #expect(states.count == 1)
    let copy = try TestPlace()
    try states[0].write(into: copy.open())
    #expect(try copy.names() == place.names())
    #expect(try copy.mode("d/e/f") == 0o640)
    #expect(try copy.open().state(of: "link").modified == FileTime(seconds: 5))
    #expect(
      try copy.open().openDirectory("d/e" as RelativePath).state(of: "f").modified
        == folder.openDirectory("d/e" as RelativePath).state(of: "f").modified)
  }
}
