package import SafeFiles

/// Removes what dead restores left: backups that were still being unpacked, and empty runs.
package enum RestoreSweep {
  /// Removes it from a folder; what a living restore unpacks stays, whoever calls.
  package static func removeDebris(in folder: Directory) throws(FileError) {
    guard try folder.stateIfPresent(of: RestorePlace.path) != nil else { return }
    let place = try folder.openDirectory(RestorePlace.path)
    for entry in try place.entries() where entry.kind == .directory {
      do throws(FileError) {
        try removeDebris(of: entry.name, in: place)
      } catch {
        // A restore that ends takes its run away.
        guard case .missing = error else { throw error }
      }
    }
  }

  private static func removeDebris(
    of name: FileName, in place: Directory
  ) throws(FileError) {
    let run = try place.openDirectory(name)
    // A living restore holds the lock on its run.
    guard run.tryLock() else { return }
    try unlessDenied { () throws(FileError) in
      guard try run.stateIfPresent(of: RestorePlace.staging) != nil else { return }
      try run.removeOwnTree(RestorePlace.staging)
    }
    // What cannot be listed ends this: nobody knows what was set aside there.
    guard try run.entries().isEmpty else { return }
    try unlessDenied { () throws(FileError) in try place.removeEmptyDirectory(name) }
  }

  /// What somebody else owns stays, and keeps nobody from working.
  private static func unlessDenied(
    _ remove: () throws(FileError) -> Void
  ) throws(FileError) {
    do throws(FileError) { try remove() } catch {
      guard case .permissionDenied = error else { throw error }
    }
  }
}
