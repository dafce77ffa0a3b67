import Automerge
import Foundation
import Testing

/// Commands at work on a folder that somebody else writes to: nothing of that is lost.
@Suite struct MovingFolderTests {
  /// What a command is given to do while the folder moves.
  enum Work: String, CaseIterable {
    case importing
    case updating
    case cleaningUp
    case merging
    case backingUp
    case verifying
    case exporting

    /// How often the command works in the fast suite.
    var fastRounds: Int {
      switch self {
      case .importing, .updating, .cleaningUp, .merging: 2
      case .backingUp, .verifying, .exporting: 1
      }
    }
  }

  /// How often a command works; the slow suite has the time to meet more of the moments.
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil
  private static let documents = ["records/2024/03.automerge", "records/2024/04.automerge"]

  private static let conflictCopy = "records/2024/03 (conflicted copy 2024-05-01).automerge"

  /// Makes a conflict copy of a document in which every record was edited on another device.
  private static func copy(
    _ path: String, to copy: String, with text: String, in folder: SmallFolder
  ) throws {
    let document = try Document(Data(contentsOf: folder.file(path)))
    for key in document.keys(obj: .ROOT) {
      guard case .Object(let record, .Map)? = try document.get(obj: .ROOT, key: key) else {
        continue
      }
      try document.put(obj: record, key: "copied", value: .String(text))
    }
    try document.save().write(to: folder.file(copy))
  }

  /// Whether some document, in the folder or in quarantine, has what a conflict copy had.
  private static func holdsCopy(_ text: String, _ folder: SmallFolder) throws -> Bool {
    for (path, entry) in try folder.snapshot() where path.hasSuffix(".automerge") {
      let document = try Document(entry.bytes ?? Data())
      for key in document.keys(obj: .ROOT) {
        guard case .Object(let record, .Map)? = try document.get(obj: .ROOT, key: key) else {
          continue
        }
        if try document.get(obj: record, key: "copied") == .Scalar(.String(text)) { return true }
      }
    }
    return false
  }

  private static func id(_ number: Int) -> String {
    "000000\(number)-6E0B-4C0C-9E43-0D8D1C5B7A00"
  }

  private static func legacyFile(_ number: Int) -> String {
    "records/2024/\(number.isMultiple(of: 2) ? "03" : "04")/2024-01-01_0000\(number).json"
  }

  private static func write(_ number: Int, _ comment: String, to folder: SmallFolder) throws {
    try folder.write(
      #"{"id":"\#(id(number))","startTime":"2024-03-01T07:00:00Z","comment":"\#(comment)"}"#,
      to: legacyFile(number))
  }

  /// Gives a command something to do in this round, and returns it.
  private static func prepare(_ work: Work, _ folder: SmallFolder, _ round: Int) throws -> [String]
  {
    switch work {
    case .importing:
      for number in [40 + 2 * round, 41 + 2 * round] where number < 100 {
        try write(number, "new", to: folder)
      }
      return ["import-crdt", folder.path]
    case .updating:
      for number in 10..<30 { try write(number, "update \(round)", to: folder) }
      return ["import-crdt", "--update", folder.path]
    case .cleaningUp:
      for number in 10..<30 { try write(number, "clean up \(round)", to: folder) }
      _ = try run("import-crdt", "--update", "--prefer", "legacy", folder.path)
      return ["cleanup-legacy", folder.path, "--apply", "--backup", try folder.backup()]
    case .merging:
      try copy(documents[0], to: conflictCopy, with: "copy \(round)", in: folder)
      return ["merge-conflicts", folder.path]
    case .backingUp: return ["pack-backup", folder.path]
    case .verifying: return ["verify-counts", folder.path]
    case .exporting: return ["export-json", folder.path]
    }
  }

  @Test(arguments: Work.allCases, MovingWriter.Manners.allCases)
  func `nothing that somebody writes meanwhile is lost`(
    _ work: Work, _ manners: MovingWriter.Manners
  ) throws {
    let folder = try SmallFolder()
    for number in 10..<30 { try Self.write(number, "imported", to: folder) }
    #expect(try run("import-crdt", folder.path).status == 0)
    var statuses: [Int32: Int] = [:]
    for round in 0..<(Self.isSlow ? 25 : work.fastRounds) {
      let command = try Self.prepare(work, folder, round)
      let writer = MovingWriter(
        folder.url, (Self.documents + (10..<30).map(Self.legacyFile)).shuffled(), manners)
      let run = try run(
        BuiltCommands.directory.appending(path: command[0]), Array(command.dropFirst()),
        input: nil)
      let written = try writer.stop()
      // Done, done with differences, or the folder moves too fast.
      #expect([0, 1, 75].contains(run.status), "\(command): \(run.output) \(run.errors)")
      statuses[run.status, default: 0] += 1
      try Self.expectNothingLost(written, in: folder, "\(work), \(manners), round \(round)")
      if work == .merging { #expect(try Self.holdsCopy("copy \(round)", folder)) }
    }
    if Self.isSlow { print("\(work), \(manners): runs by status \(statuses)") }
    // Once the folder rests, a run completes the work and leaves no debris.
    #expect([0, 1].contains(try run("import-crdt", "--update", folder.path).status))
    #expect([0, 1].contains(try run("verify-counts", folder.path).status))
    let names = try folder.snapshot().keys
    #expect(names.allSatisfy { !$0.contains(".tmp.nosync") })
  }

  private static func expectNothingLost(
    _ written: [String: String], in folder: SmallFolder, _ note: Comment
  ) throws {
    let comments = try comments(in: folder)
    for (path, text) in written {
      if path.hasSuffix(".automerge") {
        // A published document is never older than what the app wrote.
        let document = try Document(Data(contentsOf: folder.file(path)))
        for key in document.keys(obj: .ROOT) {
          guard case .Object(let record, .Map)? = try document.get(obj: .ROOT, key: key),
            let value = try document.get(obj: record, key: "note")
          else { continue }
          #expect(value == .Scalar(.String(text)), note)
        }
      } else {
        let number = try #require(Int(path.dropLast(5).suffix(2)))
        #expect(comments[id(number)]?.contains(text) == true, note)
      }
    }
    for (path, entry) in try folder.snapshot() where path.hasSuffix(".automerge") {
      #expect(throws: Never.self, note) { _ = try Document(entry.bytes ?? Data()) }
    }
  }

  /// The comments of each record in legacy files, those in quarantine included.
  private static func comments(in folder: SmallFolder) throws -> [String: Set<String>] {
    var comments: [String: Set<String>] = [:]
    for (path, entry) in try folder.snapshot() where path.hasSuffix(".json") {
      guard let bytes = entry.bytes, path.contains("records/"),
        let object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any],
        let id = object["id"] as? String, let comment = object["comment"] as? String
      else { continue }
      comments[id, default: []].insert(comment)
    }
    return comments
  }
}
