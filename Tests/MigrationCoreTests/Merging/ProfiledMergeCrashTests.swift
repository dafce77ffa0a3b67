import Automerge
import FileFaults
import Folders
import Foundation
import Testing

@testable import MigrationCore
@testable import Runs

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Merges of folders of apps that only a profile describes, which fail anywhere.
@Suite struct ProfiledMergeCrashTests {
  /// Copies of every kind: documents, one of them without a base, files of one entity and of many,
  /// files that entities name.
  static func folder(_ sample: String) throws -> ProfiledFolder {
    let folder = try ProfiledFolder(sample: sample)
    try folder.importing()
    let (path, other, list) =
      sample == "notes"
      ? ("documents/2025-01.automerge", "settings.automerge", "notebooks")
      : ("habits.automerge", "log/2025-02.automerge", "habits")
    for (suffix, actor) in [(" 2", UInt8(1)), (".Conflict", 2)] {
      let edited = try folder.edited(path) { document in
        document.actor = ActorId(bytes: [UInt8](repeating: actor, count: 16))
        let identity = try #require(document.keys(obj: .ROOT).first)
        try document.put(
          obj: document.entity(identity), key: "x", value: .String("edit \(actor)"))
      }
      try folder.folder.write(edited, to: ProfiledFolder.copy(of: path, suffix))
    }
    try folder.folder.write(
      folder.folder.bytes(other), to: ProfiledFolder.copy(of: other, " (conflicted copy)"))
    try folder.folder.remove(other)
    let text = try folder.folder.text("\(list).json")
    try folder.folder.write(
      text.replacing("\"color\":", with: "\"new\": 1, \"color\":"), to: "\(list) 2.json")
    if sample == "notes" {
      try folder.folder.write(
        folder.folder.bytes("attachments/plan.txt"), to: "attachments/plan 2.txt")
    } else {
      try folder.folder.write(
        #"{"extra":1}"#, to: "log/2025/2025-01-30 (conflicted copy 2026-01-06).json")
    }
    return folder
  }

  @Test(arguments: ["notes", "habits"], [FaultPlan.Fault.stop, .failure(ENOSPC), .failure(EIO)])
  func `a merge that fails anywhere loses nothing, and the next one completes it`(
    _ sample: String, _ fault: FaultPlan.Fault
  ) throws {
    let origin = try Self.folder(sample)
    let before = try origin.files()
    let undisturbed = try origin.copied()
    try undisturbed.merging { $0.unifies = true }
    let expected = try undisturbed.files()
    let quarantined = try undisturbed.folder.quarantined()
    #expect(quarantined.count == 4, "\(quarantined.keys)")
    var call = 1
    while true {
      let folder = try origin.copied()
      let faults = FaultPlan(atCall: call, fault)
      _ = try? folder.merging(faults: faults) { $0.unifies = true }
      let (now, gone) = (try folder.files(), try folder.folder.quarantined())
      for (name, bytes) in now where !name.hasSuffix(".tmp.nosync") {
        #expect(bytes == before[name] || bytes == expected[name], "call \(call): \(name)")
      }
      // Whatever was there is there under its name, in what took it in, or in quarantine.
      for (name, bytes) in before where expected[name] == nil {
        #expect(
          now[name] == bytes || gone[name] == bytes || now.values.contains(bytes),
          "call \(call): \(name)")
      }
      try folder.merging { $0.unifies = true }
      #expect(try folder.files() == expected, "call \(call)")
      #expect(try folder.folder.quarantined() == quarantined, "call \(call)")
      if !faults.hasFired { break }
      call += fault == .stop ? 2 : 7
    }
    #expect(call > 20)
  }
}
