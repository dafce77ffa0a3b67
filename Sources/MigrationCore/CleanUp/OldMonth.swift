import FolderState
import SafeFiles

/// The files of an old month that are to be set aside, and why it stays if it does.
struct OldMonth {
  /// What is in the way of setting a month aside.
  struct Obstacle {
    var path: RelativePath
    var reason: String
    var next: String
  }

  var legacyFiles: [QuarantinedFile] = []
  var documents: [QuarantinedFile] = []
  var images: [QuarantinedFile] = []
  /// Its documents by their numbers in the inventory.
  var documentNumbers: Set<UInt32> = []
  private(set) var obstacles: [Obstacle] = []

  /// Whether nothing is in the way.
  var mayMove: Bool { obstacles.isEmpty }

  /// Its files in the order in which they move: JSON of which nobody knows any more that it was
  /// imported must never be left.
  var files: [QuarantinedFile] { legacyFiles + documents + images }

  /// Notes what is in the way.
  mutating func stays(_ path: RelativePath, because reason: String, _ next: String) {
    obstacles.append(Obstacle(path: path, reason: reason, next: next))
  }
}
