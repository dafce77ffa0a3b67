import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// What brings records of a folder from one layout into the other.
struct LayoutChange: Sendable {
  /// The documents that records get, with their bytes.
  var documents: [BuiltDocument] = []
  /// What each of these gets, for a run that is stopped.
  var entries: [StepJournal.Entry] = []
  /// The documents that are not needed any more then.
  var leaving: [StepJournal.Leaving] = []
  /// How many records are in another document then.
  var entityCount = 0
  var findings: [Finding] = []

  /// Adds what another part of the folder needs.
  mutating func add(_ other: LayoutChange) {
    documents += other.documents
    entries += other.entries
    leaving += other.leaving
    entityCount += other.entityCount
    findings += other.findings
  }
}

extension DocumentLayout {
  /// The other one.
  var other: DocumentLayout { self == .monthly ? .perRecord : .monthly }

  /// What a document of records is by its name and place.
  var documentClass: FileClass { self == .monthly ? .monthDocument : .entityDocument }
}

extension FolderInventory {
  /// The numbers of the documents of records in a layout, readable or not, ascending by path.
  func documents(in layout: DocumentLayout) -> [Int] {
    indices.filter { nominalClass(of: $0) == layout.documentClass }
  }

  /// Whether no document of records is in another layout.
  func isWholly(in layout: DocumentLayout) -> Bool { documents(in: layout.other).isEmpty }
}

extension DocumentLoader {
  /// Loads a document that could be read a moment ago.
  mutating func loadAgain(
    _ file: Int, of inventory: FolderInventory
  ) throws(MigrationError) -> (DocumentState, FileVersion) {
    do throws(DocumentDefect) {
      let (document, state) = try load(file)
      return (document, version(state))
    } catch {
      throw .folderChanging(path: inventory.path(of: file).description)
    }
  }
}
