import Foundation
import Testing

extension SmallFolder {
  /// Leaves the folder as a restore of a backup does that died in the middle: the entries of these
  /// names are set aside, and the backup's content is not in their place yet.
  func leaveUnfinishedRestore(of backup: String, settingAside names: [String]) throws {
    let place = file(".automerge-migrate.nosync/restore/20260106T120000Z-0001")
    for name in ["new", "old"] {
      try FileManager.default.createDirectory(
        at: place.appending(path: name), withIntermediateDirectories: true)
    }
    let extracted = try run(
      URL(filePath: "/usr/bin/env"),
      ["tar", "-xf", backup, "-C", place.appending(path: "new").path, "--exclude=manifest.json"],
      input: nil)
    #expect(extracted.status == 0, "\(extracted.errors)")
    for name in names {
      try FileManager.default.moveItem(at: file(name), to: place.appending(path: "old/\(name)"))
    }
  }
}
