import Diagnostics
package import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// The stores at a place as somewhere where entities are found: opened, and with the profile that says
/// what their rows are. Used by one thread at a time.
package final class StoreSource {
  /// One of the stores.
  struct Opened {
    let store: Store
    /// Where it is: the path that was given, or below it.
    var path: String { store.files.path }
    /// The name of its file.
    var name: String { store.files.name.description }
    /// The version of the profile that its tables are of; nil if they are of none.
    let version: Int?
    let entities: [StoreEntity]
  }

  /// The path that was given.
  package let path: String
  /// What kinds of entity the stores have.
  package let kinds: EntityKinds
  let stores: [Opened]
  /// What is worth telling about the stores, their rows apart.
  let findings: [Finding]
  /// The proofs that the stores are sound, where they are still to be made.
  var pendingChecks: [SoundnessCheck] { stores.compactMap(\.store.pendingCheck) }
  /// What the app keeps in its preferences; nil if nobody gave them.
  let preferences: PreferenceEntities?

  /// Whether nobody but the store's own model says what its kinds are.
  var isOfNoProfile: Bool {
    kinds.profileName == GenericProfile.name && !kinds.profile.kinds.contains(where: \.isPrivate)
  }

  init(
    path: String, kinds: EntityKinds, stores: [Opened], findings: [Finding],
    preferences: PreferenceEntities? = nil
  ) {
    (self.path, self.kinds, self.stores, self.findings) = (path, kinds, stores, findings)
    self.preferences = preferences
  }

  /// The kinds that are in preferences, of which nothing is known without them.
  var kindsNotGiven: Set<EntityKind> {
    guard preferences == nil else { return [] }
    return Set(kinds.all.filter { kinds[$0]?.home?.rows?.preferenceKeys != nil })
  }

  /// Opens the stores at a path: a file, or all in and below a directory; nil if there are none.
  ///
  /// Without a profile the stores tell theirs; where none that is built in fits, one is made of the
  /// model of the store. A store that cannot be read ends this: what it holds would be missing.
  ///
  /// - Parameter checking: when the stores are proven to be sound.
  static func open(
    _ path: String, context: RunContext, checking: StoreOpener.Checking = .first
  ) throws(MigrationError) -> StoreSource? {
    var opened: [Store] = []
    let (copies, lost): ([Finding], [Finding])
    do throws(StoreError) {
      var found = try StoreFinder.find(at: path, operations: context.operations)
      if let (_, error) = found.unreadable.first { throw .file(error) }
      copies = AppCopies.takeOut(of: &found)
      lost = found.lost(at: path)
      if found.stores.isEmpty, found.others.isEmpty, copies.isEmpty, lost.isEmpty { return nil }
      let opener = try context.storeOpener()
      // What is called a store and is none is damaged or encrypted: opening it tells.
      for files in found.others { _ = try opener.open(files) }
      for files in found.stores.sorted(by: {
        $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
      }) {
        do throws(StoreError) {
          opened.append(try opener.open(files, checking: checking))
        } catch {
          // Among others a database is somebody else's, unless it is called a store.
          guard case .notAStore = error, !found.isFile,
            !StoreFinder.isCalledNothingElse(files.name)
          else { throw error }
        }
      }
    } catch {
      if case .noStore = error {
        try FolderAccess.requireFinishedRestore(around: path, context: context)
        try requireNotLost(path, context: context)
      }
      throw MigrationError(error)
    }
    if opened.isEmpty {
      if let first = lost.first {
        throw .underlying(
          Diagnostic(
            .missingInput, subject: path, problem: "\(first.path): \(first.message)",
            remedy: first.next))
      }
      guard let copy = copies.first else { return nil }
      throw .underlying(
        Diagnostic(
          .conflictsWithData, subject: path,
          problem: "holds no store but copies that an app made, such as \(copy.path)",
          remedy: "bring one back with restore-backup, or give it by its own path"))
    }
    return try StoreRecognition(opened, at: path, context, noting: copies + lost).source()
  }

  /// Opens what is at a path if a file is there that is a store, or is called one; nil for anything else.
  static func open(
    file path: String, context: RunContext, checking: StoreOpener.Checking = .first
  ) throws(MigrationError) -> StoreSource? {
    if try isStore(path, context: context) {
      return try open(path, context: context, checking: checking)
    }
    try requireNotLost(path, context: context)
    return nil
  }

  /// Whether a file is at a path that is a store. What is called one is one, whatever it holds: opening
  /// it tells.
  package static func isStore(
    _ path: String, context: RunContext,
    unfinishedRestore: FolderAccess.UnfinishedRestore = .refused
  ) throws(MigrationError) -> Bool {
    guard try FolderAccess.isFile(path, context: context) else { return false }
    let (directory, name) = try FolderAccess.openParent(
      ofPath: path, context: context, unfinishedRestore: unfinishedRestore)
    return try MigrationError.wrapping { () throws(FileError) in
      guard try directory.stateIfPresent(of: name)?.kind == .regular else { return false }
      return try hasNameOfStore(name) ? true : isDatabase(name, in: directory)
    }
  }

  /// Whether a file is called a store.
  static func hasNameOfStore(_ name: FileName) -> Bool {
    StoreFinder.isCalledStore(name)
  }

  /// Whether a file begins as a database does.
  static func isDatabase(_ name: FileName, in directory: Directory) throws(FileError) -> Bool {
    let file = try directory.openForReading(name)
    var bytes = [UInt8](repeating: 0, count: DatabaseHeader.magic.count)
    let count = try file.read(into: &bytes)
    return count == bytes.count && bytes == DatabaseHeader.magic
  }

  /// Begins to read all rows but those of some kinds, and those that need no line.
  func lines(
    withholding withheld: Set<EntityKind> = [], besides settled: SettledRows = SettledRows()
  ) -> StoreLines {
    StoreLines(self, parts, withholding: withheld, besides: settled)
  }
}
