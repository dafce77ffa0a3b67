extension ChangeQueue {
  /// What the system's queue of changes has to tell.
  struct News {
    /// Whether anything happened that a reader of the folder may see.
    var isChanged = false
    /// Whether there may be directories that are not watched yet, or watched ones that are gone.
    var mayHaveNewDirectories = false
  }
}
