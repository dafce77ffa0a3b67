package import SafeFiles

/// The place where the backups of a folder are: they are listed, made, reused and dropped here.
package struct BackupStore: Sendable {
  /// One archive in the place.
  package struct Item: Sendable {
    /// Its name, taken apart.
    package let name: BackupName
    /// Where it is.
    package let archive: BackupArchive
    /// The state of the file.
    package let state: FileState
    /// What its manifest says, nil if that cannot be read.
    package let summary: BackupSummary?
  }

  /// The directory.
  package let directory: Directory
  private let base: String
  private let origin: String

  /// Creates a store for a folder in a directory that exists.
  package init(_ directory: Directory, for folder: Directory, named folderName: String)
    throws(BackupError)
  {
    self.directory = directory
    base = BackupName.base(forFolderNamed: folderName)
    do { origin = ManifestCursor.escaped(try folder.canonicalPath()) } catch { throw .file(error) }
  }

  /// Returns the backups of the folder, newest first.
  ///
  /// An archive of the right name whose manifest cannot be read is listed without a summary. One
  /// that was made of a folder at another place is not: a place may be shared.
  package func list() throws(BackupError) -> [Item] {
    var items: [Item] = []
    for name in try names() {
      let archive = BackupArchive(directory: directory, name: name.fileName)
      let state = try archive.state()
      let summary: BackupSummary?
      do { summary = try archive.summary() } catch {
        if case .file(let fileError) = error, case .missing = fileError { continue }
        summary = nil
      }
      if let summary, summary.origin != origin { continue }
      items.append(Item(name: name, archive: archive, state: state, summary: summary))
    }
    return items.reversed()
  }

  /// Returns the names the next backup may get, best first.
  package func nextNames(at time: FileTime, isCompressed: Bool) throws(BackupError)
    -> some Sequence<FileName>
  {
    let last = try names().last?.counter ?? 0
    return (1...100).lazy.map { step in
      BackupName(base: base, time: time, counter: last + step, isCompressed: isCompressed).fileName
    }
  }

  /// Returns the newest backup that was read whole and holds exactly what the folder holds now, nil
  /// if there is none.
  ///
  /// Only the newest backup that can be read is considered: an older one that equals the folder
  /// by chance would be the next to be dropped.
  package func reusable(for folder: Directory, context: BackupContext = BackupContext())
    throws(BackupError) -> VerifiedBackup?
  {
    for item in try list() where item.summary != nil {
      let manifest: BackupManifest
      do { manifest = try item.archive.manifest() } catch {
        if case .interrupted = error { throw error }
        continue
      }
      guard try manifest.firstDifference(from: folder, context: context) == nil else { return nil }
      do { return try item.archive.verify(context: context) } catch {
        if case .interrupted = error { throw error }
      }
    }
    return nil
  }

  /// Removes a backup the retention rule gave up, if it is still the file that was looked at, and
  /// if nobody relies on it now or did since; returns whether it is gone.
  package func drop(_ item: Item) throws(BackupError) -> Bool {
    do throws(FileError) {
      let mark = KeepMark(of: item.archive)
      guard
        try directory.removeFile(
          item.archive.name, ifUnchangedSince: item.state,
          unlessHeldOr: { () throws(FileError) in try mark.isThere() })
      else { return false }
      try directory.synchronize()
      return true
    } catch {
      throw .file(error)
    }
  }

  private func names() throws(BackupError) -> [BackupName] {
    do throws(FileError) {
      return try directory.entries().filter { $0.kind == .regular }
        .compactMap { BackupName($0.name) }.filter { $0.base == base }.sorted()
    } catch {
      throw .file(error)
    }
  }
}
