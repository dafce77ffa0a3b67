import Backups
package import Diagnostics
import FolderState
import Folders
package import Runs
import SafeFiles

/// Says what lies in the quarantine of a folder, and in those that restores have set aside; writes
/// nothing.
package struct QuarantineWorkflow {
  private let folder: String
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(folder: String, context: RunContext) {
    self.folder = folder
    self.context = context
  }

  /// Looks at every run that is there.
  package func perform() throws(MigrationError) -> QuarantineReport {
    let clock = RunClock()
    let folder = try FolderAccess.open(folder, context: context)
    var report = QuarantineReport()
    try add(try Quarantine.listing(of: folder), of: folder, isSetAside: false, to: &report)
    let replaced = try MigrationError.wrapping { () throws(FileError) in
      try ReplacedContent.all(of: folder)
    }
    for content in replaced {
      try add(try Quarantine.listing(of: content), of: folder, isSetAside: true, to: &report)
    }
    report.seconds = clock.seconds
    return report
  }

  private func add(
    _ listing: Quarantine.Listing, of folder: Directory, isSetAside: Bool,
    to report: inout QuarantineReport
  ) throws(MigrationError) {
    report.findings += listing.unlisted.map(\.finding)
    for run in listing.runs {
      let kind = isSetAside ? nil : self.kind(of: run, in: folder, noting: &report.findings)
      var entry = QuarantineReport.Entry(
        run: run.name.description, path: run.path.description, kind: kind?.rawValue,
        movedAt: Quarantine.time(of: run.name).map {
          UTCText.long(FileTime(seconds: $0, nanoseconds: 0))
        })
      entry.isSetAside = isSetAside
      // Documents of a layout come back with what their records were edited to since.
      if kind != .layout {
        entry.command = Quarantine.bringingBack(run.name, to: folder, as: context.kinds)
      }
      measure(run.directory, at: run.path, &entry, noting: &report.findings)
      report.entries.append(entry)
    }
  }

  /// What a run moved, as its manifest says; nil if that does not say it, or is not there.
  private func kind(
    of run: Quarantine.Run, in folder: Directory, noting findings: inout [Finding]
  ) -> QuarantineManifest.Kind? {
    do throws(FileError) {
      return try QuarantineManifestReader.open(ofRun: run.name, in: folder)?.kind
    } catch {
      let name = QuarantineManifest.name(of: run.name) ?? run.name
      findings.append(
        Finding(
          .unreadable, .warning, path: Quarantine.path.appending(name).description,
          message: "\(error.diagnostic.problem), so nobody knows why the files of the run moved"))
      return nil
    }
  }

  private func measure(
    _ directory: Directory, at path: RelativePath, _ entry: inout QuarantineReport.Entry,
    noting findings: inout [Finding]
  ) {
    do throws(FileError) {
      for item in try directory.entries() {
        if item.kind == .directory {
          measure(
            try directory.openDirectory(item.name), at: path.appending(item.name), &entry,
            noting: &findings)
        } else {
          entry.fileCount += 1
          // Files of holes may claim any size, and all of them together no more than fits.
          let size = min(Int(clamping: try directory.state(of: item.name).size), 1 << 50)
          entry.byteCount = min(entry.byteCount + size, 1 << 60)
        }
      }
    } catch {
      findings.append(.unlisted(path, because: error))
    }
  }
}

/// What lies in the quarantine of a folder.
package struct QuarantineReport: RunReport {
  package static let name = "cleanup-legacy"

  /// What one run moved there.
  package struct Entry: Sendable {
    /// The name of the run.
    package internal(set) var run: String
    /// Where its files are, relative to the folder.
    package internal(set) var path: String
    /// Why they moved: `legacy`, `months`, `copies`, `layout`, `displaced`; nil if nothing says it.
    package let kind: String?
    /// When; nil for a name that is none of ours.
    package let movedAt: String?
    /// How many files are there.
    package fileprivate(set) var fileCount = 0
    /// The size of all of them.
    package fileprivate(set) var byteCount = 0
    /// Whether a restore has set the quarantine aside.
    package fileprivate(set) var isSetAside = false
    /// What brings them back; nil where that is not a matter of files.
    package internal(set) var command: NextCommand?
  }

  package var findings: [Finding] = []
  /// What runs moved, in the order of their names.
  package internal(set) var entries: [Entry] = []
  package fileprivate(set) var seconds = 0.0

  /// The size of all that is there.
  package var byteCount: Int { entries.reduce(0) { min($0 + $1.byteCount, 1 << 60) } }

  package var items: [ReportObject] {
    entries.map { entry in
      var line = ReportObject()
      line.add("type", "quarantine")
      line.add("run", entry.run)
      line.add("path", entry.path)
      if let kind = entry.kind { line.add("kind", kind) }
      if let movedAt = entry.movedAt { line.add("movedAt", movedAt) }
      line.add("fileCount", entry.fileCount)
      line.add("byteCount", entry.byteCount)
      if entry.isSetAside { line.add("setAside", true) }
      if let command = entry.command { line.add("command", ReportValue(command)) }
      return line
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("runs", entries.count)
    summary.add("fileCount", entries.reduce(0) { $0 + $1.fileCount })
    summary.add("byteCount", byteCount)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
