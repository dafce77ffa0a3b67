import Diagnostics
package import FolderSync
import Runs

extension SyncReport: ReadableReport {
  /// So many lines of a table are shown; scripts get all of them.
  private static let mostLines = 20

  package var tables: [TextTable] {
    var table = TextTable(heading: ["document", "changes here", "changes there", "now"])
    for document in documents.prefix(Self.mostLines) {
      table.add([
        document.path.safeForTerminal,
        isDryRun ? "?" : document.isNewHere ? "new" : "+\(document.received.grouped)",
        isDryRun ? "?" : document.isNewThere ? "new" : "+\(document.sent.grouped)",
        document.isEqual ? "equal" : isDryRun ? "differs" : "left",
      ])
    }
    var others = TextTable(heading: ["file", "size", "outcome"])
    for file in files.prefix(Self.mostLines) {
      others.add([
        file.path.safeForTerminal, file.byteCount.byteCountText, file.outcome.rawValue,
      ])
    }
    return [table, others]
  }

  package var conclusion: [String] {
    let hidden = max(0, documents.count - Self.mostLines) + max(0, files.count - Self.mostLines)
    return (hidden > 0 ? ["\(hidden.counted("line")) more are not shown (--json has all)."] : [])
      + [sentence, sizes]
  }

  private var sentence: String {
    let all = documents.count + equalDocumentCount
    let files = "\((files.count + equalFileCount).counted("file"))"
    let duration = Duration.seconds(seconds).text
    guard !isDryRun else {
      return "Would sync \(documents.count.grouped) of \(all.counted("document")) with "
        + "\(other.safeForTerminal), and \(self.files.count.grouped) of \(files) (\(duration))."
    }
    let left = documents.count { !$0.isEqual } + count(.left) + count(.differs)
    guard left == 0 else {
      return "\(left.counted("thing")) of \(all.counted("document")) and \(files) "
        + "\(left == 1 ? "is" : "are") not the same in \(other.safeForTerminal) (\(duration))."
    }
    let leftOut = leftOutCount > 0 ? ", but for \(leftOutCount.grouped) left out" : ""
    return "Equal in \(other.safeForTerminal)\(leftOut): \(all.counted("document")) and \(files), "
      + "\(documents.count.grouped) and \(self.files.count.grouped) of them by this run "
      + "(\(duration))."
  }

  private var sizes: String {
    "\(byteCountIn.byteCountText) received, \(byteCountOut.byteCountText) sent."
  }
}
