package import Diagnostics
package import Folders
package import Runs
package import SafeFiles

extension WritingRun {
  /// Lists the folder, once what interrupted runs left unfinished in its directories is removed or
  /// in quarantine.
  ///
  /// What a run reads after this is all there is: nothing waits under a name that readers pass over.
  package func inventory(noting findings: inout [Finding]) throws(MigrationError) -> FolderInventory
  {
    let inventory = try FolderAccess.inventory(of: folder, noting: &findings)
    var directories: Set<Int> = []
    for file in inventory.indices where inventory.nominalClass(of: file) == .ownTemporary {
      directories.insert(inventory.directory(of: file))
    }
    for number in directories.sorted() {
      let path = inventory.directoryPath(number)
      let displaced = try MigrationError.wrapping { () throws(FileError) in
        try folder.openDirectory(path).sweepTemporaries()
      }
      for file in displaced { try quarantine(file, in: path) }
    }
    return inventory
  }

  /// Moves to quarantine what somebody else wrote into the place of a file that was being replaced
  /// when the run that replaced it died. A run of its own in quarantine lets it have its own name.
  private func quarantine(
    _ file: DisplacedFile, in directory: RelativePath
  ) throws(MigrationError) {
    let path = directory.appending(file.name)
    let original = directory.appending(file.originalName)
    let version = try MigrationError.wrapping { () throws(FileError) -> FileVersion? in
      let parent = try folder.openDirectory(directory)
      // A link or a directory has no bytes, and moves all the same.
      guard try parent.state(of: file.name).kind == .regular else { return nil }
      return try parent.version(of: file.name)
    }
    beginWriting()
    var mover = try QuarantineMover(folder, begun: clock.begin)
    let quarantined = version.map {
      QuarantinedFile(path: original, version: $0, identities: [])
    }
    try mover.publishManifest(
      [quarantined].compactMap(\.self), of: .displaced, command: Self.command)
    let outcome = try mover.move(path, as: file.originalName, ifStill: version)
    try mover.finish()
    // It is in quarantine also if it was written once more at the last moment.
    guard outcome != .stays else { return }
    let next = [
      Quarantine.bringingBack(mover.run.name, to: folder),
      DisplayText.word(shownAs: folder.path).map { NextCommand(.mergeConflicts, [$0]) },
    ].compactMap(\.self)
    findings.append(
      Finding(
        .displaced, .error, path: original.description,
        message: "another program wrote it while a command replaced it and was killed; what it "
          + "wrote is in \(mover.run.path.appending(original))",
        next: next.map(\.shellText).joined(separator: ", then "), command: next.first))
  }

  /// What the manifest says that moved the file.
  private static let command = "finishing an interrupted run"
}

extension FolderAccess {
  /// Lists a folder; for a run that writes, once what interrupted runs left there is tidied up.
  package static func inventory(
    of folder: Directory, for writing: WritingRun?, noting findings: inout [Finding]
  ) throws(MigrationError) -> FolderInventory {
    guard let writing else { return try inventory(of: folder, noting: &findings) }
    return try writing.inventory(noting: &findings)
  }
}
