import Automerge
import Diagnostics
import FileFaults
import Folders
import Testing

@testable import MigrationCore

/// Devices that share a folder update it on their own, and are merged.
@Suite struct UpdateConvergenceTests {
  private static let names = ["comment", "tagId", "mood", "images", "list"]

  /// A record with random members, now and then without some of them.
  private static func record(_ number: Int, _ random: inout TestRandom) -> String {
    var members: [String] = []
    for name in names where random.number(below: 4) > 0 {
      let value = random.number(below: 5)
      switch name {
      case "images", "list":
        let elements = (0..<random.number(below: 4)).map { _ in
          "\"\(["a", "b", "c", "d"][random.number(below: 4)])\""
        }
        members.append("\"\(name)\":[\(elements.joined(separator: ","))]")
      default: members.append("\"\(name)\":\"\(value)\"")
      }
    }
    return Legacy.record(number, members.joined(separator: ","))
  }

  private static func edit(
    _ folder: TestFolder, _ document: String, actor: UInt8, count: Int, _ random: inout TestRandom
  ) throws {
    let state = try folder.document(document)
    var edits: [(inout DocumentEditor) throws -> Void] = []
    for number in 1...count {
      let identity = try ConvergenceTests.identity(number)
      guard state.value(of: .root, key: identity.canonicalBytes) != nil else { continue }
      let text = "\(actor).\(random.number(below: 100))"
      switch random.number(below: 8) {
      case 0: edits.append { try $0.set("comment", of: identity, to: text) }
      case 1: edits.append { try $0.set("mood", of: identity, to: text) }
      case 2: edits.append { try $0.append(text, toList: "images", of: identity) }
      case 3: edits.append { try $0.delete(identity) }
      default: break
      }
    }
    try folder.edit(document, actor: actor) { editor in for edit in edits { try edit(&editor) } }
  }

  @Test func `devices that do the same write the same`() throws {
    for seed in UInt64(1)...6 {
      var random = TestRandom(seed: seed)
      let one = try TestFolder()
      for number in 1...6 {
        try one.write(Self.record(number, &random), to: "records/2024/01/\(number).json")
      }
      try one.importing()
      try Self.edit(one, UpdateTests.january, actor: 1, count: 6, &random)
      let other = try TestFolder()
      try one.copy(to: other)
      for number in 1...6 where random.number(below: 2) == 0 {
        let text = Self.record(number, &random)
        for folder in [one, other] {
          try folder.write(text, to: "records/2024/01/\(number).json")
        }
      }
      let reports = try [one, other].map { try UpdateTests.update($0) }
      #expect(reports[0].findings == reports[1].findings)
      #expect(
        try one.bytes(UpdateTests.january) == other.bytes(UpdateTests.january), "seed \(seed)")
    }
  }

  @Test func `random edits of files and documents on two devices converge`() throws {
    for seed in UInt64(1)...10 {
      var random = TestRandom(seed: seed)
      let count = 5
      let folders = [try TestFolder(), try TestFolder()]
      for number in 1...count {
        let text = Self.record(number, &random)
        for folder in folders { try folder.write(text, to: "records/2024/01/\(number).json") }
      }
      for folder in folders { try folder.importing() }
      for _ in 0..<3 {
        var texts: [Int: String] = [:]
        for number in 1...count where random.number(below: 2) == 0 {
          texts[number] = Self.record(number, &random)
        }
        for (device, folder) in folders.enumerated() {
          try Self.edit(
            folder, UpdateTests.january, actor: UInt8(device + 1), count: count, &random)
          for (number, text) in texts {
            try folder.write(text, to: "records/2024/01/\(number).json")
          }
          try UpdateTests.update(folder, prefersLegacy: random.number(below: 4) == 0)
          let once = try folder.documents()
          try UpdateTests.update(folder)
          #expect(try folder.documents() == once, "seed \(seed): a second update changed something")
          try Self.expectNothingLost(in: folder, count: count, seed)
        }
        let states = try folders.map { try $0.document(UpdateTests.january) }
        let merged = try states[0].merging(states[1])
        let reversed = try states[1].merging(states[0])
        #expect(merged.heads == reversed.heads, "seed \(seed)")
        #expect(try DocumentState(loading: merged.encoded()).heads == merged.heads)
        for folder in folders {
          try folder.write(merged.encoded(), to: UpdateTests.january)
          try Self.expectNothingLost(in: folder, count: count, seed)
        }
      }
      // Both have the same files and the same document now: what is left to do is the same, too.
      for folder in folders { try UpdateTests.update(folder) }
      let final = try folders.map { try $0.document(UpdateTests.january).heads }
      #expect(final[0] == final[1], "seed \(seed)")
    }
  }

  /// Every file is proven, or a finding of severity error keeps it where it is; and what was deleted
  /// stays so.
  private static func expectNothingLost(
    in folder: TestFolder, count: Int, _ seed: UInt64
  ) throws {
    let report = try folder.verifying()
    let unproven = count - report.counts.map(\.proven).reduce(0, +)
    let told = Set(report.findings.filter { $0.severity == .error }.map(\.path))
    #expect(told.count == unproven, "seed \(seed): \(report.findings)")
    let codes: Set<Finding.Code> = [.editedBoth, .diverged]
    #expect(
      report.findings.allSatisfy { $0.severity < .error || codes.contains($0.code) },
      "seed \(seed): \(report.findings)")
  }
}
