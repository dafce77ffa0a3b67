import FileFaults
import Foundation
import Synchronization
import Testing

@testable import SafeFiles

/// One file takes the place of another while somebody who takes no lock writes there, and the
/// program or the machine dies: nothing that he wrote is ever unlinked.
@Suite struct SwapTests {
  private static let old = "old"
  private static let new = "ours"

  /// What is under which name, the quarantine that a caller would make of displaced files included.
  private struct Outcome {
    var content: [String: String]
    var displaced: [DisplacedFile]

    func holds(_ text: String) -> Bool { content.values.contains(text) }
  }

  private func publish(in place: TestPlace, _ operations: any FileOperations) {
    // Whether it comes to its end is up to the faults.
    guard let version = try? place.open().version(of: "a") else { return }
    try? place.open(operations).publish(
      Array(Self.new.utf8), as: "a", replacing: .unchanged(version))
  }

  private func sweep(_ place: TestPlace) throws -> Outcome {
    var displaced = try place.open().sweepTemporaries()
    // A process that another test is starting has our open files, and their locks, until it runs.
    for _ in 0..<1_000 where try place.names().count > 1 + displaced.count {
      usleep(1_000)
      displaced = try place.open().sweepTemporaries()
    }
    #expect(try place.open().sweepTemporaries() == displaced, "a second sweep changes nothing")
    var content: [String: String] = [:]
    for name in try place.names() { content[name] = try place.read(name) }
    #expect(Set(content.keys) == Set(["a"] + displaced.map(\.name.description)))
    return Outcome(content: content, displaced: displaced)
  }

  @Test(arguments: [FaultPlan.Calls.changing, .looking])
  func `whoever writes at whatever moment, what he wrote outlives a death at any later one`(
    _ moments: FaultPlan.Calls
  ) throws {
    var (deaths, displaced) = (0, 0)
    for moment in 1... {
      var isReached = false
      for death in 1... {
        let place = try TestPlace()
        try place.write(Self.old, to: "a")
        let rude = FaultPlan(beforeCall: moment, calls: moments) {
          try? place.replace("a", with: "theirs")
        }
        let plan = FaultPlan(atCall: death, .stop, on: rude)
        publish(in: place, plan)
        isReached = isReached || rude.hasFired
        let before = try place.read("a")
        let outcome = try sweep(place)
        if rude.hasFired {
          #expect(outcome.holds("theirs"), "\(moments) call \(moment), death at \(death)")
          #expect(outcome.displaced.isEmpty == (before == "theirs"))
          displaced += outcome.displaced.count
        }
        guard plan.hasFired else { break }
        deaths += 1
      }
      guard isReached else { break }
    }
    #expect(deaths > 20)
    // Looks come before the exchange or after it, so who writes then is not in its way.
    #expect(displaced > 0 || moments == .looking)
  }

  @Test func `whoever writes twice finds the last in place, and what he did not replace himself`()
    throws
  {
    var (deaths, displaced) = (0, 0)
    for first in 1...12 {
      for second in first + 1...first + 6 {
        for death in 1... {
          let place = try TestPlace()
          try place.write(Self.old, to: "a")
          let isReplaced = Mutex(false)
          let one = FaultPlan(beforeCall: first) { try? place.replace("a", with: "first") }
          let two = FaultPlan(beforeCall: second, on: one) {
            isReplaced.withLock { $0 = (try? place.read("a")) == "first" }
            try? place.replace("a", with: "second")
          }
          let plan = FaultPlan(atCall: death, .stop, on: two)
          publish(in: place, plan)
          let outcome = try sweep(place)
          let comment: Comment = "calls \(first) and \(second), death at \(death)"
          if one.hasFired, !two.hasFired || !isReplaced.withLock({ $0 }) {
            #expect(outcome.holds("first"), comment)
          }
          if two.hasFired { #expect(outcome.holds("second"), comment) }
          displaced += outcome.displaced.count
          guard plan.hasFired else { break }
          deaths += 1
        }
      }
    }
    #expect(deaths > 100 && displaced > 0)
  }

  @Test func `what somebody wrote and made last outlives a power cut at any later moment`() throws {
    var random = TestRandom(seed: 20_240_115)
    var states = 0
    for moment in 1... {
      let place = try TestPlace()
      try place.write(Self.old, to: "a")
      let recorder = try OperationRecorder(root: place.open())
      let written = Mutex(0)
      let rude = FaultPlan(beforeCall: moment, on: recorder) {
        try? place.open(recorder).publish(Array("theirs".utf8), as: "a")
        written.withLock { $0 = recorder.recording.stepCount }
      }
      publish(in: place, rude)
      guard rude.hasFired else {
        #expect(moment > 5)
        break
      }
      let recording = recorder.recording
      for step in written.withLock({ $0 })...recording.stepCount {
        for tree in PowerCut(recording, afterSteps: step).states(sampling: 20, using: &random) {
          let after = try TestPlace()
          try tree.write(into: after.open())
          #expect(try sweep(after).holds("theirs"), "call \(moment), power cut after \(step)")
          states += 1
        }
      }
    }
    #expect(states > 30)
  }

  @Test func `a swap that died says by its name what may go`() throws {
    let (new, old) = (ContentHash(of: Array("new".utf8)), ContentHash(of: Array("old".utf8)))
    let name = SwapName(for: "a", new: new, old: old)
    #expect(SwapName(name.name)?.target == "a")
    #expect(!TemporaryName.matches(name.name))
    for (swapped, inPlace, expected) in [
      ("new", "old", ["a": "old"]), ("old", "new", ["a": "new"]), ("old", "third", ["a": "third"]),
      ("third", "new", ["a": "new", name.name.description: "third"]), ("new", nil, [:]),
      ("third", "fourth", ["a": "fourth", name.name.description: "third"]),
      ("third", "old", ["a": "old", name.name.description: "third"]),
      ("third", nil, [name.name.description: "third"]),
    ] as [(String, String?, [String: String])] {
      let place = try TestPlace()
      try place.write(swapped, to: name.name.description)
      if let inPlace { try place.write(inPlace, to: "a") }
      let displaced = try place.open().sweepTemporaries()
      #expect(
        displaced.map(\.originalName) == (expected[name.name.description] == nil ? [] : ["a"]))
      var content: [String: String] = [:]
      for name in try place.names() { content[name] = try place.read(name) }
      #expect(content == expected, "\(swapped), \(inPlace ?? "nothing")")
    }
  }

  @Test func `a link or a directory under the name of a swap is somebody else's`() throws {
    let name = SwapName(for: "a", new: ContentHash(of: [1]), old: ContentHash(of: [2])).name
    let place = try TestPlace()
    try place.write("b", to: "a")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/" + name.description, withDestinationPath: "a")
    #expect(try place.open().sweepTemporaries().map(\.name) == [name])
    try FileManager.default.removeItem(atPath: place.path + "/" + name.description)
    _ = try place.open().createDirectory(name)
    #expect(try place.open().sweepTemporaries().map(\.name) == [name])
  }

  @Test func `a swap of a living run is left alone`() throws {
    let place = try TestPlace()
    let folder = try place.open()
    let writer = try folder.stageFile(as: "a")
    try writer.write([1])
    let staged = try writer.finish()
    let name = SwapName(for: "b", new: ContentHash(of: [1]), old: ContentHash(of: [2])).name
    try FileManager.default.moveItem(
      atPath: place.path + "/" + staged.temporaryName.description,
      toPath: place.path + "/" + name.description)
    #expect(try folder.sweepTemporaries().isEmpty)
    #expect(place.exists(name.description))
    withExtendedLifetime(staged) {}
  }

  @Test(arguments: [1, 42, 43, 154, 155, 156, 255])
  func `a name of any length can be swapped, on file systems with short names, too`(
    _ length: Int
  ) throws {
    let text = String(repeating: "é", count: length / 2) + (length % 2 == 1 ? "x" : "")
    let target = try #require(FileName(text))
    let hash = ContentHash(of: [1])
    for longest in [FileName.longest, SwapName.shortestLength] {
      let name = SwapName(for: target, new: hash, old: hash, longest: longest)
      #expect(name.target == target && name.name.bytes.count <= longest)
      #expect(String(validating: name.name.bytes, as: UTF8.self) != nil)
      let again = try #require(SwapName(name.name))
      #expect(target.bytes.starts(with: again.target.bytes))
    }
    let place = try TestPlace()
    try place.write("old", to: text)
    let folder = try place.open()
    try folder.publish([1], as: target, replacing: .unchanged(folder.version(of: target)))
    #expect(try place.names() == [text])
  }

  @Test func `nothing else is taken for a swap`() throws {
    let name = SwapName(for: "a.b", new: ContentHash(of: [1]), old: ContentHash(of: [2])).name
    let text = name.description
    #expect(SwapName(name)?.target == "a.b")
    for other in [
      String(text.dropFirst()), text + "x", text.replacingOccurrences(of: ".swap", with: ""),
      ".a.swap.tmp.nosync", ".swap.tmp.nosync", text.uppercased(),
      text.replacingOccurrences(of: ".a.b.", with: "."),
    ] {
      #expect(try SwapName(#require(FileName(other))) == nil, "\(other)")
    }
  }
}

extension TestPlace {
  /// Puts a file in the place of another as programs do that take no lock.
  func replace(_ name: String, with text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path + "/" + name), options: .atomic)
  }
}
