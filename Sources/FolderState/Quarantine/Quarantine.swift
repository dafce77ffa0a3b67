package import Backups
package import Diagnostics
package import Folders
package import Runs
package import SafeFiles

/// Where files of a folder go instead of being deleted.
///
/// Each run has a directory of its own below `.automerge-migrate.nosync/quarantine`, in which files
/// keep their relative paths.
package enum Quarantine {
  /// One run's directory.
  package struct Run: Sendable {
    /// The name of the run: a time, and a counter if there were several in one second.
    package var name: FileName
    /// Its path relative to the folder.
    package var path: RelativePath
    package var directory: Directory

    /// Tells of a file that is in quarantine although it changed.
    package func displaced(_ file: RelativePath) -> Finding {
      Finding(
        .displaced, .error, path: file.description,
        message: "was written while this command moved it, and something else has its place: what "
          + "was written is in \(path.appending(file))",
        next: "compare the two; nothing of it is lost")
    }
  }

  /// What one run's directory holds.
  package struct Content: Sendable {
    package var run: Run
    package var inventory: FolderInventory

    package init(run: Run, inventory: FolderInventory) {
      self.run = run
      self.inventory = inventory
    }
  }

  /// The quarantine's path relative to the folder.
  package static let path = RelativePath(FolderNames.state).appending(FolderNames.quarantine)

  /// What a quarantine holds.
  package struct Listing {
    /// Its runs in the order of their names.
    package fileprivate(set) var runs: [Run] = []
    /// The runs that cannot be looked at.
    package fileprivate(set) var unlisted: [(name: FileName, finding: Finding)] = []
  }

  /// Returns the runs of a folder's quarantine in the order of their names, and notes those that
  /// cannot be looked at.
  package static func runs(
    of folder: Directory, noting findings: inout [Finding]
  ) throws(MigrationError) -> [Run] {
    let listing = try listing(of: folder)
    findings += listing.unlisted.map(\.finding)
    return listing.runs
  }

  /// Lists a folder's quarantine.
  package static func listing(of folder: Directory) throws(MigrationError) -> Listing {
    try listing(of: folder, at: path, shown: path)
  }

  /// Lists a quarantine that a restore has set aside.
  package static func listing(of content: ReplacedContent) throws(MigrationError) -> Listing {
    let name = FolderNames.quarantine
    return try listing(
      of: content.directory, at: RelativePath(name), shown: content.path.appending(name))
  }

  private static func listing(
    of folder: Directory, at place: RelativePath, shown: RelativePath
  ) throws(MigrationError) -> Listing {
    let quarantine = try MigrationError.wrapping { () throws(FileError) in
      try folder.openDirectoryIfPresent(place).map { place throws(FileError) in
        (place, try place.entries())
      }
    }
    var listing = Listing()
    guard let (directory, entries) = quarantine else { return listing }
    // Something else under the name of a run stands where its directory was.
    for entry in entries
    where entry.kind == .directory || entry.kind != .regular && time(of: entry.name) != nil {
      let path = shown.appending(entry.name)
      do throws(FileError) {
        listing.runs.append(
          Run(name: entry.name, path: path, directory: try directory.openDirectory(entry.name)))
      } catch {
        // One that went since is empty, and was swept.
        if case .missing = error { continue }
        listing.unlisted.append((entry.name, .unlisted(path, because: error)))
      }
    }
    return listing
  }

  /// Lists what a run holds; notes what of it cannot be looked at, or read where it lies.
  package static func inventory(
    of run: Run, as kinds: EntityKinds = .minuta, noting findings: inout [Finding]
  ) throws(MigrationError) -> FolderInventory {
    var found: [Finding] = []
    let inventory = try FolderAccess.inventory(of: run.directory, as: kinds, noting: &found)
    found += inventory.findings().filter { $0.severity == .error }
    for var finding in found {
      finding.path = "\(run.path)/\(finding.path)"
      findings.append(finding)
    }
    return inventory
  }

  /// Returns the command that moves what a run moved back to where it was; nil if the name of the run
  /// is none that a command takes.
  package static func bringingBack(
    _ run: FileName, to folder: Directory, as kinds: EntityKinds
  ) -> NextCommand? {
    guard let path = DisplayText.word(shownAs: folder.path),
      let run = String(validating: run.bytes, as: UTF8.self)
    else { return nil }
    return NextCommand(
      .cleanupLegacy, [path, "--bring-back", run, "--apply"] + kinds.options)
  }

  /// Returns whether a path is that of a file.
  package static func isFile(
    _ path: RelativePath, in directory: Directory
  ) throws(FileError) -> Bool {
    do throws(FileError) {
      return try directory.stateIfPresent(of: path)?.kind == .regular
    } catch {
      // Something else has the name of one of its directories.
      if case .wrongKind = error { return false }
      throw error
    }
  }

  /// Returns when a run was begun, in seconds since 1970, by its name `20260106T120000Z` or
  /// `20260106T120000Z-2`; nil for any other name.
  package static func time(of run: FileName) -> Int64? {
    let text = run.bytes
    guard text.count >= 16, text.count == 16 || text[16] == UInt8(ascii: "-"),
      text[8] == UInt8(ascii: "T"), text[15] == UInt8(ascii: "Z")
    else { return nil }
    func part(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
    return RFC3339(
      "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T"
        + "\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
    ).map { $0.milliseconds / 1000 }
  }
}
