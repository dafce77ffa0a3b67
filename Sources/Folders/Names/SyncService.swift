/// The services and programs whose conflict copies are known by their names.
package enum SyncService: String, CaseIterable, Hashable, Sendable {
  case dropbox = "Dropbox"
  case iCloud = "iCloud Drive"
  case googleDrive = "Google Drive"
  case oneDrive = "OneDrive"
  case syncthing = "Syncthing"
  case nextcloud = "Nextcloud"
  case ownCloud = "ownCloud"
  case resilio = "Resilio Sync"
  case synology = "Synology Drive"
  case seafile = "Seafile"
  case pCloud = "pCloud"
  case rclone = "rclone"
  case ctera = "CTERA"
  /// Any other that puts a word for conflict into the name.
  case unknown = "a sync service"
}
