import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs

/// The keys and indexes of a salvaged document with more than one value: a document of one change
/// holds one of them, so the others are told.
struct SalvagedConflicts {
  private(set) var conflicts: [RepairReport.Conflict] = []
  private let document: DocumentState
  /// The objects on the way, each with the place of the one it is in.
  private var steps: [(container: Int, step: String)] = []
  private var byteCount = 0

  /// A file made to fill the memory has more, and deeper ones.
  private static let mostConflicts = 10_000
  private static let mostBytes = 1 << 24
  private static let longestPath = 200

  init(_ document: DocumentState) throws(MigrationError) {
    self.document = document
    var pending: [(object: OpID, kind: ObjectKind, place: Int)] = [(.root, .map, -1)]
    while let (object, kind, place) = pending.popLast(), conflicts.count < Self.mostConflicts,
      byteCount < Self.mostBytes
    {
      for (step, group) in entries(of: object, kind) {
        let values = document.values(in: group)
        guard let winner = values.last else { continue }
        if values.count > 1 {
          var losing: [String] = []
          for value in values.dropLast() { losing.append(try text(value)) }
          conflicts.append(
            RepairReport.Conflict(
              path: path(to: place) + [step], kept: try text(winner), losing: losing))
        }
        if case .object(let kind) = winner.content, kind != .text {
          steps.append((place, step))
          pending.append((winner.id, kind, steps.count - 1))
        }
      }
    }
  }

  private func entries(of object: OpID, _ kind: ObjectKind) -> [(String, ValueGroup)] {
    var entries: [(String, ValueGroup)] = []
    if kind == .map {
      document.forEachKey(of: object) { name, group in
        entries.append((DisplayText.escaping(document.pool[name]), group))
      }
    } else {
      document.forEachElement(of: object) { _, group in
        entries.append(("\(entries.count)", group))
      }
    }
    return entries
  }

  private func path(to place: Int) -> [String] {
    var path: [String] = []
    var place = place
    while place >= 0, path.count < Self.longestPath {
      path.append(steps[place].step)
      place = steps[place].container
    }
    return path.reversed()
  }

  /// Returns a value and what is in it as typed JSON.
  private mutating func text(_ value: DocumentValue) throws(MigrationError) -> String {
    let text = Text()
    let output = InspectionOutput(ByteSink(name: "a report") { text.bytes += $0 })
    var json = StateJSON(.typed, of: document, to: output)
    try StateWalk(document: document, view: nil).write(value, to: &json)
    try output.finish()
    byteCount += text.bytes.count
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private final class Text {
    var bytes: [UInt8] = []
  }
}
