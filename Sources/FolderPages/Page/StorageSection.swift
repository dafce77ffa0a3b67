import Diagnostics
import Folders
import MigrationCore
import SafeFiles

/// What is kept of the folder beside what it holds now: backups, and what left it.
struct StorageSection {
  private let overview: FolderOverview
  private static let mostRows = 100

  init(_ overview: FolderOverview) { self.overview = overview }

  func writeBackups(to html: inout HTMLWriter) {
    if overview.writeGap(.backups, to: &html) { return }
    guard let archives = overview.backups?.archives, !archives.isEmpty else {
      html.element(
        "p", ("class", "warning"),
        text: overview.backups?.findings.isEmpty ?? false
          ? "No backup of the folder was found."
          : "No backup of the folder was found where it could be looked; see the findings.")
      return
    }
    html.element(
      "p",
      text: "Backups are listed by what their manifests say; their content was not read again. "
        + "pack-backup --list --verify does that.")
    html.table(
      "Backups, the newest first",
      [
        .text("backup"), .text("made"), .text("age"), .number("files"), .number("size"),
        .text("JSON"),
      ],
      archives.prefix(Self.mostRows).map { archive in
        [
          archive.path, archive.madeAt, age(of: archive.madeAt), archive.fileCount.grouped,
          archive.byteCount.byteCountText,
          archive.holdsLegacyFiles.map { $0 ? "yes" : "no" } ?? "not known",
        ]
      })
    writeRest(archives.count, to: &html)
  }

  func writeQuarantine(to html: inout HTMLWriter) {
    if overview.writeGap(.quarantine, to: &html) { return }
    guard let entries = overview.quarantine?.entries, !entries.isEmpty else {
      html.element(
        "p",
        text: overview.quarantine?.findings.isEmpty ?? false
          ? "Nothing is in quarantine."
          : "Nobody can say what is in quarantine; see the findings.")
      return
    }
    html.table(
      "What runs moved out of the folder",
      [
        .text("run"), .text("moved"), .text("age"), .text("what"), .number("files"),
        .number("size"), .text("what brings it back"),
      ],
      entries.prefix(Self.mostRows).map { entry in
        [
          entry.run, entry.movedAt ?? "", age(of: entry.movedAt ?? ""),
          (entry.kind ?? "not said") + (entry.isSetAside ? ", set aside by a restore" : ""),
          entry.fileCount.grouped, entry.byteCount.byteCountText, entry.command?.shellText ?? "",
        ]
      })
    writeRest(entries.count, to: &html)
  }

  private func writeRest(_ count: Int, to html: inout HTMLWriter) {
    let more = count - Self.mostRows
    if more > 0 { html.element("p", text: "And \(more.counted("row")) more.") }
  }

  private func age(of moment: String) -> String {
    UTCText.age(of: moment, at: Int(overview.moment.seconds))
  }
}
