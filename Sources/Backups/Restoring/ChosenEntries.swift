import Diagnostics
package import SafeFiles

/// Some entries of a backup, to be restored without the others.
///
/// Only their bytes have to be what the manifest says: a backup that is damaged elsewhere still
/// gives back what it holds whole.
package struct ChosenEntries: Sendable {
  /// Where the backup is.
  package let archive: BackupArchive
  /// What the whole backup holds.
  package let manifest: BackupManifest
  /// The state of the file when its manifest was read.
  let state: FileState
  /// The numbers of the entries, ascending; never of what is in no archive.
  let positions: [Int]

  /// The entries, in the order of the backup.
  package var entries: [BackupEntry] { positions.map { manifest[$0] } }

  /// Whether there are none.
  package var isEmpty: Bool { positions.isEmpty }

  /// Returns those entries in whose place the folder holds something else, or nothing.
  ///
  /// Bytes and link targets are compared; a directory is one whatever is in it.
  package func differing(
    from folder: Directory, context: BackupContext = BackupContext()
  ) throws(BackupError) -> ChosenEntries {
    var hasher = ContentHasher()
    var place: (path: RelativePath, directory: Directory?) = (.folder, folder)
    var different: [Int] = []
    for position in positions {
      if context.isInterrupted() { throw .interrupted }
      let path = manifest.path(position)
      guard let parent = path.parent, let name = path.lastComponent else { continue }
      do throws(FileError) {
        if parent != place.path { place = (parent, try Self.open(parent, in: folder)) }
        if let directory = place.directory,
          try isSame(position, name, in: directory, &hasher)
        {
          continue
        }
      } catch {
        throw .file(error)
      }
      different.append(position)
    }
    return ChosenEntries(
      archive: archive, manifest: manifest, state: state, positions: different)
  }

  /// Which entries are to be unpacked: these, and the directories that lead to them.
  var isUnpacked: [Bool] {
    var isUnpacked = [Bool](repeating: false, count: manifest.count)
    for position in positions {
      isUnpacked[position] = true
      var path = manifest.path(position).parent
      while let parent = path, let above = manifest.position(of: parent), !isUnpacked[above] {
        isUnpacked[above] = true
        path = parent.parent
      }
    }
    return isUnpacked
  }

  private static func open(
    _ path: RelativePath, in folder: Directory
  ) throws(FileError) -> Directory? {
    do throws(FileError) {
      return try folder.openDirectory(path)
    } catch {
      switch error {
      case .missing, .wrongKind: return nil
      default: throw error
      }
    }
  }

  private func isSame(
    _ position: Int, _ name: FileName, in directory: Directory, _ hasher: inout ContentHasher
  ) throws(FileError) -> Bool {
    let record = manifest.records[position]
    guard let there = try directory.stateIfPresent(of: name) else { return false }
    switch (record.kind, there.kind) {
    case (.directory, .directory): return true
    case (.link, .symbolicLink):
      return try directory.target(ofLink: name).elementsEqual(manifest.pool[record.target])
    case (.file, .regular):
      guard there.size == record.size else { return false }
      return try hasher.hash(name, in: directory).hash == record.hash
    default: return false
    }
  }
}

extension BackupArchive {
  /// Chooses the entries at some paths of the backup, and everything below those that are
  /// directories. Paths are written as the backup lists them.
  ///
  /// Only the manifest is read. Throws `noSuchEntry`, with what is called alike, for a path that is
  /// not in it.
  package func choose(_ paths: [String]) throws(BackupError) -> ChosenEntries {
    let state = try state()
    let manifest = try manifest()
    var isChosen = [Bool](repeating: false, count: manifest.count)
    for path in paths {
      guard let first = manifest.position(named: path) else {
        throw .noSuchEntry(
          path: self.path, entry: DisplayText.escaping(path.utf8),
          near: manifest.pathsLike(path))
      }
      let top = manifest.path(first)
      // What is in a directory comes right after it.
      var next = first
      while next < manifest.count, top.contains(manifest.path(next)) {
        isChosen[next] = manifest.records[next].kind != .special
        next += 1
      }
    }
    return ChosenEntries(
      archive: self, manifest: manifest, state: state,
      positions: isChosen.indices.filter { isChosen[$0] })
  }
}
