package import SafeFiles

/// A directory of our own, which nobody else can enter, for the copy of one store.
///
/// It is locked while it is used and goes with its last reference. What a dead run left is not locked,
/// and the next run removes it.
package final class PrivatePlace: Sendable {
  /// The directory; its files are named by whoever uses it.
  package let directory: Directory

  private let parent: Directory
  private let name: FileName
  private let noteLeftBehind: @Sendable (FileError) -> Void

  private static let prefix: StaticString = "automerge-migrate-store."
  private static let randomDigits = 16
  private static let attempts = 10

  private init(
    _ directory: Directory, named name: FileName, in parent: Directory,
    _ noteLeftBehind: @escaping @Sendable (FileError) -> Void
  ) {
    self.directory = directory
    self.name = name
    self.parent = parent
    self.noteLeftBehind = noteLeftBehind
  }

  deinit {
    do throws(FileError) { try parent.removeOwnTree(name) } catch {
      // The next run sweeps it, if it can.
      noteLeftBehind(error)
    }
  }

  /// Makes a place in a directory for temporary files, and removes what dead runs left there.
  ///
  /// - Parameter noteLeftBehind: called with why something of it is still there when it should be gone.
  static func make(
    in parent: Directory, noteLeftBehind: @escaping @Sendable (FileError) -> Void
  ) throws(FileError) -> PrivatePlace {
    for _ in 1...attempts {
      let bytes = Array(prefix.description.utf8) + Entropy.hexDigits(randomDigits)
      guard let name = FileName(bytes) else { continue }
      try parent.makeDirectory(name)
      let directory: Directory
      do throws(FileError) {
        directory = try parent.openDirectory(name)
      } catch {
        // Another run swept it before it was locked.
        guard case .missing = error else { throw error }
        continue
      }
      let place = PrivatePlace(directory, named: name, in: parent, noteLeftBehind)
      // Another run may take a place that is not locked yet for what a dead one left.
      guard isLocked(directory), let now = try parent.stateIfPresent(of: name),
        now.isSameFile(as: try directory.state())
      else { continue }
      sweep(parent, owner: now.owner)
      return place
    }
    throw .changedSince(path: parent.path)
  }

  /// Locks a new directory; where there are no locks nobody sweeps either.
  private static func isLocked(_ directory: Directory) -> Bool {
    do throws(FileError) { return try directory.lockIfFree() } catch {
      if case .lockingUnsupported = error { return true }
      return false
    }
  }

  /// Removes what dead runs of the same user left. That this fails keeps nobody from working.
  private static func sweep(_ parent: Directory, owner: FileOwner) {
    // As above.
    for entry in (try? parent.entries()) ?? [] where isPlace(entry) {
      do throws(FileError) {
        guard try parent.state(of: entry.name).owner.user == owner.user else { continue }
        let directory = try parent.openDirectory(entry.name)
        guard try directory.lockIfFree() else { continue }
        try parent.removeOwnTree(entry.name)
      } catch {
        continue
      }
    }
  }

  private static func isPlace(_ entry: DirectoryEntry) -> Bool {
    let bytes = entry.name.bytes
    return entry.kind == .directory && entry.name.hasPrefix(prefix)
      && bytes.count == prefix.utf8CodeUnitCount + randomDigits
      && bytes.dropFirst(prefix.utf8CodeUnitCount).allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
