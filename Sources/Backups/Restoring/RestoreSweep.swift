package import SafeFiles

/// Removes what dead restores left: backups that were still being unpacked, and empty runs.
package enum RestoreSweep {
  /// Removes it from a folder; what a living restore unpacks stays, whoever calls.
  package static func removeDebris(in folder: Directory) throws(FileError) {
    guard try folder.stateIfPresent(of: RestorePlace.path) != nil else { return }
    let place = try folder.openDirectory(RestorePlace.path)
    for entry in try place.entries() where entry.kind == .directory {
      let run = try place.openDirectory(entry.name)
      // A living restore holds the lock on its run.
      guard run.tryLock() else { continue }
      do throws(FileError) {
        if try run.stateIfPresent(of: RestorePlace.staging) != nil {
          try run.removeOwnTree(RestorePlace.staging)
        }
        if try run.entries().isEmpty { try place.removeEmptyDirectory(entry.name) }
      } catch {
        // What somebody else owns stays, and keeps nobody from working.
        guard case .permissionDenied = error else { throw error }
      }
    }
  }
}
