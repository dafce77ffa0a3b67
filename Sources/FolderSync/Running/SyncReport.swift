package import Diagnostics
package import Runs
import SafeFiles

/// What a sync of two folders did, or would do.
package struct SyncReport: RunReport {
  package static let name = "sync-folder"

  /// A document that was not the same on both sides.
  package struct Document: Hashable, Sendable {
    /// The path, relative to both folders.
    package var path: String
    /// How many changes this side got, and how many the other.
    package var received = 0
    package var sent = 0
    /// Whether this side had no such document, and whether the other had none.
    package var isNewHere = false
    package var isNewThere = false
    /// Whether both sides have the same now, on disk. Of a plan, false.
    package var isEqual = false
  }

  /// An attached file that one side did not have, or that is another on each.
  package struct File: Hashable, Sendable {
    /// What became of it.
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
      /// The other side has it now, too.
      case sent
      /// This side has it now, too.
      case received
      /// It has other bytes on each side, and stays so.
      case differs
      /// It could not be brought over; a finding says why.
      case left
    }

    package var path: String
    package var outcome: Outcome
    package var byteCount: Int
  }

  /// The folder on the other side, as it is called there.
  package internal(set) var other = ""
  package internal(set) var documents: [Document] = []
  package internal(set) var files: [File] = []
  /// How many documents and files were the same before.
  package internal(set) var equalDocumentCount = 0
  package internal(set) var equalFileCount = 0
  /// How many documents and files differ and were left out, as findings say.
  package internal(set) var leftOutCount = 0
  /// How many bytes the changes are that this side got.
  package internal(set) var changeByteCount = 0
  /// What went over the connection.
  package internal(set) var byteCountIn = 0
  package internal(set) var byteCountOut = 0
  package var findings: [Finding] = []
  package var isDryRun: Bool
  package internal(set) var seconds = 0.0

  init(isDryRun: Bool) { self.isDryRun = isDryRun }

  /// Whether the sides are not the same: something was left, or has other bytes on each side.
  package var differs: Bool {
    !isDryRun && (documents.contains { !$0.isEqual } || files.contains { $0.outcome == .left })
  }

  /// How many files came to this.
  package func count(_ outcome: File.Outcome) -> Int { files.count { $0.outcome == outcome } }

  package var items: [ReportObject] {
    documents.map { document in
      var item = ReportObject()
      item.add("type", "document")
      item.add("path", document.path)
      item.add("received", document.received)
      item.add("sent", document.sent)
      item.add("newHere", document.isNewHere)
      item.add("newThere", document.isNewThere)
      item.add("equal", document.isEqual)
      return item
    }
      + files.map { file in
        var item = ReportObject()
        item.add("type", "file")
        item.add("path", file.path)
        item.add("outcome", file.outcome.rawValue)
        item.add("byteCount", file.byteCount)
        return item
      }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("other", other)
    summary.add("documents", documents.count + equalDocumentCount)
    summary.add("equalBefore", equalDocumentCount)
    summary.add("equal", equalDocumentCount + documents.count(where: \.isEqual))
    summary.add("changesReceived", documents.reduce(0) { $0 + $1.received })
    summary.add("changeBytesReceived", changeByteCount)
    summary.add("changesSent", documents.reduce(0) { $0 + $1.sent })
    summary.add("files", files.count + equalFileCount)
    summary.add("filesReceived", count(.received))
    summary.add("filesSent", count(.sent))
    summary.add("filesDiffering", count(.differs))
    summary.add("leftOut", leftOutCount)
    summary.add("bytesReceived", byteCountIn)
    summary.add("bytesSent", byteCountOut)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
