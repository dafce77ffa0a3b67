import Folders
import SafeFiles

/// The directories around a place, by which it is known whether it lies in a data folder.
struct Surroundings {
  /// The place itself, then each directory around it, up to the root or to our own state: what lies
  /// there is none of the content of a folder.
  package let directories: [Directory]
  /// The folder in whose state the place lies, if it does.
  let folderOfState: Directory?

  package init(of place: Directory) throws(FileError) {
    var directories = [place]
    var folderOfState: Directory?
    var (inner, state) = (place, try place.state())
    while folderOfState == nil {
      let outer: Directory
      let outerState: FileState
      let own: FileState?
      do throws(FileError) {
        outer = try inner.parentDirectory()
        outerState = try outer.state()
        // The root holds itself.
        if outerState.isSameFile(as: state) { break }
        own = try outer.stateIfPresent(of: FolderNames.state)
      } catch {
        // Whoever may not even enter it has no data folder there.
        guard case .permissionDenied = error else { throw error }
        break
      }
      if let own, own.isSameFile(as: state) {
        folderOfState = outer
      } else {
        directories.append(outer)
        (inner, state) = (outer, outerState)
      }
    }
    self.directories = directories
    self.folderOfState = folderOfState
  }
}
