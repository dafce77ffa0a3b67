import Diagnostics
import Folders
import SafeFiles

/// What is wrong with a folder and what there is to put it right, as far as a plan has to know.
struct RecoverySituation: Sendable {
  /// Where a document comes back from.
  enum Source: Hashable, Sendable {
    /// The newest backup that holds it whole.
    case document(backup: String)
    /// No backup holds it whole, but this one most of the JSON it was made from.
    case legacy(backup: String)
    /// Only a run in quarantine holds that JSON.
    case quarantine(run: RelativePath)
    /// A backup that cannot be used may hold it.
    case waits
    case nowhere
  }

  /// What becomes of a damaged document before anything takes its place.
  enum Salvage: Hashable, Sendable {
    /// What can be read of it is beside the folder since an earlier run.
    case kept
    case readable
    /// Nothing of it can be read.
    case unreadable
  }

  struct DamagedDocument: Hashable, Sendable {
    var path: RelativePath
    var salvage: Salvage
    /// The directory of what was salvaged in which it lies, or will.
    var place: String
    /// The path in that place that the damaged document can get itself.
    var aside: RelativePath
    var source: Source
    /// The files that hold its JSON in the source, if its kind is declared.
    var files: [RelativePath] = []
  }

  struct GoneDocument: Hashable, Sendable {
    /// Its path without the extension.
    var stem: RelativePath
    var source: Source
    /// The files that hold its JSON in the source, if its kind is declared.
    var files: [RelativePath] = []
  }

  /// Images that one backup holds whole, and the folder not.
  struct Images: Hashable, Sendable {
    var backup: String
    var paths: [RelativePath]
  }

  /// What brings back the content of a folder that holds none.
  struct Content: Hashable, Sendable {
    var backup: String
    var names: [String]
  }

  /// The absolute path of the folder.
  var folder: String
  var numericDates: NumericDates?
  /// Whether a restore was interrupted: then nothing else is known.
  var isInRestore = false
  var damaged: [DamagedDocument] = []
  var gone: [GoneDocument] = []
  var content: Content?
  /// The backup that the folder must still be like when its content is replaced.
  var made: String?
  var images: [Images] = []
  /// The commands that bring back months of which there is JSON again.
  var bringingBack: [NextCommand] = []
  var hasConflictCopies = false
  /// Whether JSON was changed after it was imported.
  var hasChangedJSON = false
  /// Whether some of that is of a private kind.
  var hasChangedPrivateJSON = false
  /// Whether JSON of the folder is in no document.
  var hasNewJSON = false
  /// The directories beside the folder that exist.
  var directories: Set<String> = []

  /// What tells a command the profile.
  var told: [String] = []
  /// What asks an import for private kinds; empty if there are none.
  var privateOptions: [String] = []

  /// Creates the situation of a folder with nothing wrong.
  init(folder: String, numericDates: NumericDates? = nil) {
    self.folder = folder
    self.numericDates = numericDates
  }
}
