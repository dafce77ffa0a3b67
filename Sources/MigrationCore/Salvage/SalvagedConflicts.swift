import Automerge
import Diagnostics
import Folders

/// The keys and indexes of a salvaged document with more than one value: a document of one change
/// holds one of them, so the others are told.
struct SalvagedConflicts {
  private(set) var conflicts: [RepairReport.Conflict] = []
  private let document: DocumentState

  /// More than this many are not conflicts but a document that lost its order.
  private static let most = 10_000

  init(_ document: DocumentState) throws(MigrationError) {
    self.document = document
    var pending: [(object: OpID, kind: ObjectKind, path: [String])] = [(.root, .map, [])]
    while let (object, kind, path) = pending.popLast(), conflicts.count < Self.most {
      var entries: [(step: String, group: ValueGroup)] = []
      if kind == .map {
        document.forEachKey(of: object) { name, group in
          entries.append((DisplayText.escaping(document.pool[name]), group))
        }
      } else {
        document.forEachElement(of: object) { _, group in
          entries.append(("\(entries.count)", group))
        }
      }
      for (step, group) in entries {
        let values = document.values(in: group)
        guard let winner = values.last else { continue }
        if values.count > 1 {
          conflicts.append(
            RepairReport.Conflict(
              path: path + [step], kept: try text(winner),
              losing: try values.dropLast().map { value throws(MigrationError) in
                try text(value)
              }))
        }
        if case .object(let kind) = winner.content, kind != .text {
          pending.append((winner.id, kind, path + [step]))
        }
      }
    }
  }

  /// Returns a value and what is in it as typed JSON.
  private func text(_ value: DocumentValue) throws(MigrationError) -> String {
    let text = Text()
    let output = InspectionOutput(ByteSink(name: "a report") { text.bytes += $0 })
    var json = StateJSON(.typed, of: document, to: output)
    try StateWalk(document: document, view: nil).visit(value, with: &json)
    try output.finish()
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private final class Text {
    var bytes: [UInt8] = []
  }
}
