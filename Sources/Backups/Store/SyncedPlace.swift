package import SafeFiles

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
