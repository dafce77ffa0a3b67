import CArchive
import Diagnostics

/// The functions of libarchive, which is loaded when an archive is read or written: most commands do
/// neither.
struct ArchiveLibrary {
  let functions: ArchiveFunctions

  /// Loads the library, unless that was done before; throws `noLibrary` if it is not there.
  ///
  /// - Parameter path: the archive that it is for.
  init(for path: String) throws(BackupError) {
    var functions = ArchiveFunctions()
    // SAFETY: all functions are set if nothing is wrong; the text is copied at once.
    if let problem = unsafe findArchiveFunctions(&functions) {
      throw unsafe .noLibrary(path: path, problem: String(cString: problem))
    }
    self.functions = functions
  }
}
