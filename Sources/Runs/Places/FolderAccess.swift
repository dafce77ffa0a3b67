import Backups
package import Diagnostics
package import Folders
package import SafeFiles

/// How a run reaches the folder it works on: the one place where folders are opened.
///
/// A restore that died in the middle leaves a folder that holds neither what it held before nor what
/// the backup holds. So whoever opens a folder, to write or only to look, is told to finish it or to
/// undo it, unless that is what it is about to do.
package enum FolderAccess {
  /// Whether an unfinished restore keeps a run from the folder.
  package enum UnfinishedRestore {
    case refused
    /// For what finishes it or undoes it, and for what looks at our state alone.
    case expected
  }

  /// Opens a folder for reading; the app and other runs may write to it meanwhile.
  package static func open(
    _ path: String, context: RunContext, unfinishedRestore: UnfinishedRestore = .refused
  ) throws(MigrationError) -> Directory {
    let folder: Directory
    do throws(FileError) {
      folder = try Directory.open(path: path, operations: context.operations)
    } catch {
      if case .missing = error, unfinishedRestore == .refused {
        try requireFinishedRestore(around: path, context: context)
      }
      throw MigrationError(tellingLink(error, at: path, context: context))
    }
    return try folder.afterRestores(unfinishedRestore, context: context)
  }

  /// Says of a link to a file that it is one: the system only says that it is no directory.
  private static func tellingLink(
    _ error: FileError, at path: String, context: RunContext
  ) -> FileError {
    guard case .wrongKind(let shown, _, .unknown) = error,
      // Where the link cannot be looked at, the first error says as much as is known.
      let (parent, name) = try? Directory.openParent(ofPath: path, operations: context.operations),
      (try? parent.state(of: name))?.kind == .symbolicLink
    else { return error }
    return .wrongKind(path: shown, expected: .regular, found: .symbolicLink)
  }

  /// Throws `unfinishedRestore` if nothing is at a path because a restore died that was to put it there.
  package static func requireFinishedRestore(
    around path: String, context: RunContext
  ) throws(MigrationError) {
    // Where there is no directory around it either, whoever looked for it says so.
    let place = try? Directory.openParent(ofPath: path, operations: context.operations)
    _ = try place?.directory.afterRestores(.refused, context: context)
  }

  /// Opens a folder for reading; nil if a file is there.
  package static func openUnlessFile(
    _ path: String, context: RunContext
  ) throws(MigrationError) -> Directory? {
    let folder: Directory
    do throws(FileError) {
      folder = try Directory.open(path: path, operations: context.operations)
    } catch {
      switch error {
      case .wrongKind(_, _, let kind) where kind == .regular || kind == .unknown: return nil
      case .missing: try requireFinishedRestore(around: path, context: context)
      default: break
      }
      throw MigrationError(error)
    }
    return try folder.afterRestores(.refused, context: context)
  }

  /// Opens a folder to write to; nil if nothing is there.
  package static func openIfPresent(
    _ path: String, context: RunContext, unfinishedRestore: UnfinishedRestore = .refused
  ) throws(MigrationError) -> Directory? {
    let folder = try MigrationError.wrapping { () throws(FileError) in
      do throws(FileError) {
        return try Directory.openTarget(path: path, operations: context.operations)
      } catch {
        throw tellingLink(error, at: path, context: context)
      }
    }
    return try folder?.afterRestores(unfinishedRestore, context: context)
  }

  /// Returns how many bytes are free where a folder is; nil if it cannot be opened, of which whoever
  /// works in it says why.
  package static func freeSpace(at path: String, context: RunContext) -> Int64? {
    do throws(FileError) {
      return try Directory.open(path: path, operations: context.operations).freeSpace()
    } catch {
      return nil
    }
  }

  /// Returns whether a file is at a path, and so no folder; false if nothing is there.
  package static func isFile(_ path: String, context: RunContext) throws(MigrationError) -> Bool {
    try MigrationError.wrapping { () throws(FileError) in
      do throws(FileError) {
        _ = try Directory.open(path: path, operations: context.operations)
        return false
      } catch {
        switch error {
        case .wrongKind(_, _, let kind): return kind == .regular || kind == .unknown
        // Whoever opens it says it better.
        case .missing: return false
        default: throw error
        }
      }
    }
  }

  /// Throws `busy` if a run was stopped, or is, in the middle of a step of a plan: that is all or nothing,
  /// to whoever reads values as to whoever writes.
  package static func requireFinishedSteps(in folder: Directory) throws(MigrationError) {
    let state = try MigrationError.wrapping { () throws(FileError) in
      try folder.openDirectoryIfPresent(RelativePath(FolderNames.state))
    }
    if let state { try requireFinishedSteps(state, of: folder) }
  }

  /// Throws likewise, by our state in a folder.
  package static func requireFinishedSteps(
    _ state: Directory, of folder: Directory
  ) throws(MigrationError) {
    let isUnfinished = try MigrationError.wrapping { () throws(FileError) in
      try state.stateIfPresent(of: FolderNames.stepJournal) != nil
    }
    guard isUnfinished else { return }
    throw .underlying(
      Diagnostic(
        .busy, subject: folder.path,
        problem: "a run of migrate-schema is changing it, or was stopped while it did",
        remedy: "if none is at work, run the same migrate-schema command again, which finishes it"))
  }

  /// Opens a directory beside a folder; nil if nothing is there, or something else. Of a link that
  /// cannot be followed nobody knows what it is.
  package static func openBeside(
    _ path: String, context: RunContext
  ) throws(MigrationError) -> Directory? {
    try MigrationError.wrapping { () throws(FileError) in
      do throws(FileError) {
        return try Directory.openTarget(path: path, operations: context.operations)
      } catch {
        guard case .inTheWay(_, let found) = error, found != .symbolicLink else { throw error }
        return nil
      }
    }
  }

  /// Opens the directory that holds a file, and returns the file's name.
  package static func openParent(
    ofPath path: String, context: RunContext, unfinishedRestore: UnfinishedRestore = .refused
  ) throws(MigrationError) -> (directory: Directory, name: FileName) {
    let place = try MigrationError.wrapping { () throws(FileError) in
      try Directory.openParent(ofPath: path, operations: context.operations)
    }
    return (try place.directory.afterRestores(unfinishedRestore, context: context), place.name)
  }

  /// Takes the locks that writers of a folder hold; they are held as long as the result is kept.
  ///
  /// They are the app's own, and one in our state that runs of every profile look for: two runs of which
  /// one takes the folder for another app's exclude each other all the same.
  package static func lock(_ folder: Directory, context: RunContext) throws(MigrationError)
    -> [FolderLock]
  {
    // All that writes to a folder of the built-in app takes that one.
    let isEnough = context.appLock == EntityKinds.minuta.lock
    var locks: [FolderLock] = []
    if let name = context.appLock {
      locks += try acquire(name, in: folder, creating: true, context: context)
    }
    let state = try MigrationError.wrapping { () throws(FileError) in
      isEnough
        ? try folder.openDirectoryIfPresent(RelativePath(FolderNames.state))
        : try folder.createDirectory(FolderNames.state)
    }
    if let state {
      locks += try acquire(
        FolderNames.stateLock, in: state, creating: !isEnough, context: context)
    }
    context.explain(
      folder.path,
      message: "is locked, \(locks.count.counted("lock")): neither the app nor another command "
        + "writes until this is done")
    return locks
  }

  private static func acquire(
    _ name: FileName, in directory: Directory, creating: Bool, context: RunContext
  ) throws(MigrationError) -> [FolderLock] {
    do {
      return try FolderLock.acquire(
        in: directory, name: name, timeoutSeconds: Double(context.lockTimeoutSeconds),
        creating: creating, isInterrupted: context.isInterrupted,
        telling: context.tell(of:)
      ).map { [$0] } ?? []
    } catch {
      if case .lockTimeout = error, context.isInterrupted() { throw .interrupted }
      throw MigrationError(error)
    }
  }

  /// Takes the app's own lock as soon as no restore is at work that waits for it, too; throws
  /// `unfinishedRestore` if one died at work, which only another restore can finish.
  package static func lockAfterRestores(
    _ folder: Directory, context: RunContext
  ) throws(MigrationError) -> [FolderLock] {
    try waitingForRestores(context) { () throws(MigrationError) in
      let lock = try lock(folder, context: context)
      do throws(BackupError) {
        try RestorePlace.requireFinished(in: folder)
      } catch {
        // Without the lock a restore cannot go on: here it is let go of.
        return .failure(error)
      }
      return .success(lock)
    }
  }

  /// Whether a run can lock a folder that it may not have to write to: the locks are there already, so
  /// that none is made, and nobody has one, so that nobody is waited for.
  package static func isLockableAtOnce(_ folder: Directory, context: RunContext) -> Bool {
    // All that writes to a folder of the built-in app takes its lock, others that of our state.
    let isEnough = context.appLock == EntityKinds.minuta.lock
    do throws(FileError) {
      func isThereAndFree(_ name: FileName, in directory: Directory) throws(FileError) -> Bool {
        try FolderLock.acquire(in: directory, name: name, timeoutSeconds: 0, creating: false) != nil
      }
      // Who may only look at a folder does not tidy it up either.
      guard folder.isWritable else { return false }
      if let name = context.appLock, try !isThereAndFree(name, in: folder) { return false }
      guard let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)) else {
        return isEnough
      }
      guard state.isWritable else { return false }
      let isFree = try isThereAndFree(FolderNames.stateLock, in: state)
      return isFree || isEnough
    } catch {
      // Who has to lock it tells what is wrong.
      return false
    }
  }

  /// Tries something again and again until no restore is at work, or for as long as a run waits.
  fileprivate static func waitingForRestores<Value>(
    _ context: RunContext,
    _ body: () throws(MigrationError) -> Result<Value, BackupError>
  ) throws(MigrationError) -> Value {
    var patience = Patience(seconds: Double(context.lockTimeoutSeconds))
    while true {
      let obstacle: BackupError
      switch try body() {
      case .success(let value): return value
      case .failure(let error): obstacle = error
      }
      if context.isInterrupted() { throw .interrupted }
      guard case .restoreAtWork(let place) = obstacle, patience.wait() else {
        throw MigrationError(obstacle)
      }
      context.tellOfRestore(at: place, &patience)
    }
  }

  /// Returns the absolute path of a folder as it was given, links included: only that is known to
  /// whoever reads it.
  package static func absolutePath(
    _ given: String, of folder: Directory, context: RunContext
  ) throws(MigrationError) -> String {
    var names = given.split(separator: "/").filter { $0 != "." }
    if names.contains("..") { return try realPath(of: folder) }
    if !given.hasPrefix("/") {
      let here = try open(".", context: context, unfinishedRestore: .expected)
      names = try realPath(of: here).split(separator: "/") + names
    }
    return "/" + names.joined(separator: "/")
  }

  /// Returns the path of a directory without links, for a command.
  private static func realPath(of directory: Directory) throws(MigrationError) -> String {
    let bytes = try MigrationError.wrapping { () throws(FileError) in
      try directory.canonicalPath()
    }
    guard let path = String(validating: bytes, as: UTF8.self) else {
      throw .underlying(
        Diagnostic(
          .usage, subject: DisplayText.escaping(bytes), problem: "is not valid UTF-8",
          remedy: "make a link to it (ln -s) with a name that is, and give that"))
    }
    return path
  }

  /// Lists a folder; throws, with the status that fits, if there is a directory that cannot be listed.
  package static func wholeInventory(
    of folder: Directory, as kinds: EntityKinds = .minuta
  ) throws(MigrationError) -> FolderInventory {
    var unlisted: [Finding] = []
    let inventory = try inventory(of: folder, as: kinds, noting: &unlisted)
    guard let first = unlisted.first else { return inventory }
    // Asked again, the directory gives the error whose status fits; unless it can be read by now.
    try MigrationError.wrapping { () throws(FileError) in
      guard let path = DisplayText.bytes(shownAs: first.path).flatMap({ RelativePath($0) })
      else { return }
      _ = try folder.openDirectory(path).entries()
    }
    throw .unlisted(path: first.path, problem: first.message)
  }

  /// Lists a folder; what cannot be listed is noted, so that it counts as empty nowhere.
  package static func inventory(
    of folder: Directory, as kinds: EntityKinds = .minuta, threads: Int = 1,
    noting findings: inout [Finding]
  ) throws(MigrationError) -> FolderInventory {
    do {
      return try FolderInventory.scan(folder, as: kinds, threads: threads, noting: &findings)
    } catch {
      throw MigrationError(error)
    }
  }
}

extension Directory {
  /// Returns this directory once no restore is at work on the folder it is, or lies in; throws
  /// `unfinishedRestore` if one died at work, and only then.
  fileprivate func afterRestores(
    _ unfinishedRestore: FolderAccess.UnfinishedRestore, context: RunContext
  ) throws(MigrationError) -> Directory {
    guard unfinishedRestore == .refused else { return self }
    let surroundings = try MigrationError.wrapping { () throws(FileError) in
      try Surroundings(of: self)
    }
    for folder in surroundings.directories {
      try FolderAccess.waitingForRestores(context) { () throws(MigrationError) in
        Result { () throws(BackupError) in try RestorePlace.requireFinished(in: folder) }
      }
    }
    return self
  }
}

extension MigrationError {
  /// Runs file operations and wraps their error.
  package static func wrapping<Result>(
    _ body: () throws(FileError) -> Result
  ) throws(MigrationError) -> Result {
    do {
      return try body()
    } catch {
      throw MigrationError(error)
    }
  }
}

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
