import Folders
package import SafeFiles

/// The places where the backups of a folder are: they are listed, made, reused and dropped here.
package struct BackupStore: Sendable {
  /// One archive in a place.
  package struct Item: Sendable {
    /// Its name, taken apart.
    package let name: BackupName
    /// Where it is.
    package let archive: BackupArchive
    /// The state of the file.
    package let state: FileState
    /// What its manifest says, nil if that cannot be read.
    package let summary: BackupSummary?
    /// How it belongs to the folder.
    package let bond: FolderBond.Kind
  }

  /// The directory that new backups go to.
  package let directory: Directory
  /// Directories in which backups may be that were made when the folder had another name.
  private let formerPlaces: [Directory]
  private let base: String
  private let bond: FolderBond

  /// Creates a store for a folder in directories that exist.
  ///
  /// Without a bond only numberless backups belong to the folder that were made where it is.
  package init(
    _ directory: Directory, besides formerPlaces: [Directory] = [], for folder: Directory,
    named folderName: String, bond: FolderBond? = nil
  ) throws(BackupError) {
    self.directory = directory
    self.formerPlaces = formerPlaces
    base = BackupName.base(forFolderNamed: folderName)
    self.bond =
      if let bond {
        bond
      } else {
        try FolderBond(of: folder, FolderIdentifier()) { _ throws(BackupError) in
          .unknown(backupHoldsEntities: false)
        }
      }
  }

  /// Creates a store for the backups of a store of rows.
  package init(_ directory: Directory, named name: String, bond: FolderBond) {
    self.directory = directory
    formerPlaces = []
    base = BackupName.base(forFolderNamed: name)
    self.bond = bond
  }

  /// An archive that may be a backup of the folder made under another name: nobody can read whose it is.
  package struct Unread: Sendable {
    /// Where it is.
    package let archive: BackupArchive
    /// Why it cannot be read.
    package let error: BackupError
  }

  /// Returns the backups of the folder, newest first.
  package func list() throws(BackupError) -> [Item] {
    var unread: [Unread] = []
    return try list(noting: &unread)
  }

  /// Returns the backups of the folder, newest first, and notes what may be one.
  ///
  /// An archive of the right name whose manifest cannot be read is listed without a summary. One
  /// that belongs to another folder is not: a place may be shared.
  ///
  /// Of a store that nobody opened nobody knows what rows it had: what was packed as it was is no backup.
  package func list(noting unread: inout [Unread]) throws(BackupError) -> [Item] {
    try all(noting: &unread).filter { $0.summary?.store?.isUnopened != true }
  }

  /// Returns the archives that hold the files of the store as they were, and nothing that was opened;
  /// newest first.
  package func listUnopened() throws(BackupError) -> [Item] {
    var unread: [Unread] = []
    return try all(noting: &unread).filter { $0.summary?.store?.isUnopened == true }
  }

  private func all(noting unread: inout [Unread]) throws(BackupError) -> [Item] {
    var series: [[Item]] = []
    for place in [directory] + formerPlaces {
      let found = Dictionary(grouping: try names(in: place), by: \.base)
      for (_, names) in found.sorted(by: { $0.key < $1.key }) {
        var items: [Item] = []
        for name in names {
          if let item = try item(name, in: place, noting: &unread) { items.append(item) }
        }
        if !items.isEmpty { series.append(items) }
      }
    }
    // Counters order the backups of one name in one place, whatever the clock did; times all others.
    var items: [Item] = []
    while let next = series.indices.max(by: { isOlder(series[$0], series[$1]) }) {
      items.append(series[next].removeLast())
      if series[next].isEmpty { series.remove(at: next) }
    }
    return items
  }

  private func isOlder(_ one: [Item], _ other: [Item]) -> Bool {
    guard let one = one.last?.name, let other = other.last?.name else { return false }
    return (one.time, one.counter, one.base) < (other.time, other.counter, other.base)
  }

  private func item(
    _ name: BackupName, in place: Directory, noting unread: inout [Unread]
  ) throws(BackupError) -> Item? {
    let archive = BackupArchive(directory: place, name: name.fileName)
    let hasNameOfFolder = name.base == base && place === directory
    do throws(BackupError) {
      let state = try archive.state()
      let summary: BackupSummary
      do { summary = try archive.summary() } catch {
        if case .file(.missing) = error { throw error }
        guard !hasNameOfFolder else {
          return Item(name: name, archive: archive, state: state, summary: nil, bond: .related)
        }
        unread.append(Unread(archive: archive, error: error))
        return nil
      }
      // What others got is no backup, wherever it lies.
      guard summary.store?.leftOut == nil,
        let bond = try bond.kind(of: archive, summary, hasNameOfFolder: hasNameOfFolder)
      else { return nil }
      return Item(name: name, archive: archive, state: state, summary: summary, bond: bond)
    } catch {
      // Somebody dropped it meanwhile.
      guard case .file(.missing) = error else { throw error }
      return nil
    }
  }

  /// Returns the names the next backup may get, best first.
  package func nextNames(at time: FileTime, isCompressed: Bool) throws(BackupError)
    -> some Sequence<FileName>
  {
    var last = try names(in: directory).last { $0.base == base }?.counter ?? 0
    // Backups of one second are in order, too, whatever the folder was called.
    for place in formerPlaces { last = max(last, try names(in: place).last?.counter ?? 0) }
    let counters = last + 1...last + 100
    return counters.lazy.map { counter in
      BackupName(base: base, time: time, counter: counter, isCompressed: isCompressed).fileName
    }
  }

  /// Returns the newest backup that was read whole and holds exactly what the folder holds now, nil
  /// if there is none.
  ///
  /// Only the newest backup that can be read is considered: an older one that equals the folder
  /// by chance would be the next to be dropped. It has to be made with the same profile, so that it
  /// says what it holds, and leaves out what a new one would; what stands for some files counts as them.
  package func reusable(
    for folder: Directory, _ scope: BackupScope = .minuta, taking standIns: StandIns = StandIns(),
    steps: [NotedStep] = [], context: BackupContext = BackupContext()
  ) throws(BackupError) -> VerifiedBackup? {
    for item in try list() {
      guard let summary = item.summary else { continue }
      guard summary.scope == scope, summary.steps == steps else { return nil }
      let manifest: BackupManifest
      do { manifest = try item.archive.manifest() } catch {
        if case .interrupted = error { throw error }
        continue
      }
      guard try manifest.firstDifference(from: folder, standIns, context: context) == nil else {
        return nil
      }
      do { return try item.archive.verify(context: context) } catch {
        if case .interrupted = error { throw error }
      }
    }
    return nil
  }

  /// Returns the newest backup that can be read, if it was made less than some seconds ago and verifies.
  package func newest(
    youngerThan age: Int64, at now: FileTime, context: BackupContext = BackupContext()
  ) throws(BackupError) -> VerifiedBackup? {
    for item in try list() {
      guard let summary = item.summary, let made = RFC3339(summary.created) else { continue }
      // One of the future says nothing about how long ago it was made.
      guard (0..<age).contains(now.seconds - made.milliseconds / 1000) else { return nil }
      do throws(BackupError) { return try item.archive.verify(context: context) } catch {
        if case .interrupted = error { throw error }
        return nil
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
        try item.archive.directory.removeFile(
          item.archive.name, ifUnchangedSince: item.state,
          unlessHeldOr: { () throws(FileError) in try mark.isThere() })
      else { return false }
      try item.archive.directory.synchronize()
      return true
    } catch {
      throw .file(error)
    }
  }

  private func names(in place: Directory) throws(BackupError) -> [BackupName] {
    do throws(FileError) {
      return try place.entries().filter { $0.kind == .regular }
        .compactMap { BackupName($0.name) }.sorted()
    } catch {
      throw .file(error)
    }
  }
}

/// Recognises places that a sync service owns, where a backup would be copied and changed.
package enum SyncedPlace {
  private static let names: [(part: String, service: String)] = [
    ("Mobile Documents", "iCloud Drive"), ("CloudDocs", "iCloud Drive"), ("Dropbox", "Dropbox"),
    ("OneDrive", "OneDrive"), ("Google Drive", "Google Drive"), ("GoogleDrive", "Google Drive"),
    ("Nextcloud", "Nextcloud"), ("ownCloud", "ownCloud"), ("pCloud", "pCloud"),
    ("Seafile", "Seafile"), ("SynologyDrive", "Synology Drive"), ("Box Sync", "Box"),
    ("CloudStorage", "a cloud storage provider"), ("Resilio", "Resilio Sync"),
  ]
  private static let markers: [(name: FileName, service: String)] = [
    (".stfolder", "Syncthing"), (".dropbox", "Dropbox"), (".sync", "Resilio Sync"),
    (".owncloudsync.log", "ownCloud"), (".nextcloudsync.log", "Nextcloud"),
  ]

  /// Returns the name of the service that seems to own a directory, nil if none does: one of its
  /// parents is named like a service's folder, or it or its parent holds a service's mark.
  package static func service(of directory: Directory) throws(BackupError) -> String? {
    do throws(FileError) {
      let path = String(decoding: try directory.canonicalPath(), as: UTF8.self)
      for part in path.split(separator: "/") {
        if let match = names.first(where: { part.hasPrefix($0.part) }) { return match.service }
      }
      for place in [directory, try directory.parentDirectory()] {
        for (name, service) in markers where try place.stateIfPresent(of: name) != nil {
          return service
        }
      }
      return nil
    } catch {
      throw .file(error)
    }
  }
}
