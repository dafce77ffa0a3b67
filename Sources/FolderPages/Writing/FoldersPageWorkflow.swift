import Diagnostics
import Folders
import MigrationCore
package import Runs
import SafeFiles

/// Makes one page of several folders, of which each is looked at when its turn comes; nothing in a folder is
/// written, and no lock is taken.
///
/// Of each only what the table says of it is kept in memory.
package final class FoldersPageWorkflow {
  private let options: PageOptions
  private let output: OutputFile?
  private var page = FoldersPage()
  /// What is written of the folders, and where in it each is.
  private var spool: ByteSpool
  private var parts: [Range<Int>] = []
  /// Who may see all of the folders; nil as long as none was seen.
  private var privacy: Privacy?
  /// Why there can be no page.
  private var failure: MigrationError?

  /// Looks where the page goes; nothing is read yet.
  package init(_ options: PageOptions, context: RunContext) throws(MigrationError) {
    self.options = options
    output = try options.place(context: context)
    spool = ByteSpool(in: context.temporaryDirectory, operations: context.operations)
  }

  /// Looks at the next folder. One that cannot be looked at is on the page, too, with the reason.
  package func add(_ folder: String, context: RunContext) throws(MigrationError) -> PageReport {
    let clock = RunClock()
    var overview = options.overview
    overview.folder = folder
    do throws(MigrationError) {
      let directory = try FolderAccess.open(
        folder, context: context, unfinishedRestore: .expected)
      do throws(MigrationError) { try output?.requireOutside(directory) } catch {
        failure = error
        throw error
      }
      let own = try OutputPlace.privacy(of: directory)
      privacy = privacy?.narrowed(by: own) ?? own
      let seen = try OverviewWorkflow(overview, context: context).perform()
      if context.isInterrupted() { throw .interrupted }
      try add(seen)
      var report = PageReport(seen, output: options.output, byteCount: nil)
      report.seconds = clock.seconds
      return report
    } catch {
      if case .interrupted = error { throw error }
      if failure == nil {
        try add(FolderOverview(notSeen: overview, error.diagnostic, context: context))
      }
      throw error
    }
  }

  private func add(_ overview: FolderOverview) throws(MigrationError) {
    let part = page.add(overview, isAnonymous: options.isAnonymous)
    do throws(FileError) { parts.append(try spool.append(part[...])) } catch {
      failure = MigrationError(error)
      throw MigrationError(error)
    }
  }

  /// Writes the page of all folders that were added; returns how many bytes it has.
  package func publish() throws(MigrationError) -> Int {
    if let failure { throw failure }
    let (beginning, end) = page.frame()
    var reader = ByteSpool.Reader(spool)
    var number = -1
    func next() throws(FileError) -> [UInt8]? {
      number += 1
      guard number > 0 else { return beginning }
      guard number <= parts.count else { return number == parts.count + 1 ? end : nil }
      var part: [UInt8] = []
      try reader.read(parts[number - 1], into: &part)
      return part
    }
    if let output {
      try output.publish(asPrivateAs: privacy, pieces: next)
    } else {
      while let piece = try MigrationError.wrapping(next) { try options.write(piece) }
    }
    return beginning.count + parts.reduce(0) { $0 + $1.count } + end.count
  }
}
