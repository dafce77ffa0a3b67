package import SafeFiles

/// What a restore leaves behind that is finished, or undone.
package struct RestoreOutcome: Hashable, Sendable {
  /// Where the old content of the folder is now, relative to the folder; nil if there was none, or if
  /// it was put back.
  package let setAside: RelativePath?
  /// What others wrote to the folder while entries moved, or, if it was undone, what the folder held
  /// then: where it is now, relative to the folder, directories by their names alone.
  package let arrived: [RelativePath]
  /// Whether what had moved was put back.
  package let isUndone: Bool

  init(of run: Directory, named name: FileName, isUndone: Bool = false) throws(FileError) {
    let path = RestorePlace.path.appending(name)
    let old = try run.openDirectoryIfPresent(RelativePath(RestorePlace.old))
    setAside = try old?.entries().isEmpty ?? true ? nil : path.appending(RestorePlace.old)
    let arrived = try run.openDirectoryIfPresent(RelativePath(RestorePlace.arrived))
    self.arrived =
      try arrived?.entries().map {
        path.appending(RestorePlace.arrived).appending($0.name)
      } ?? []
    self.isUndone = isUndone
  }
}
