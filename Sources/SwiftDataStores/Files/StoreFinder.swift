package import SafeFiles

/// Finds databases that may be stores by what they begin with, whatever their names are.
///
/// Whether one has the tables of a store shows when it is opened.
package struct StoreFinder {
  /// The databases of a place, by their paths.
  package struct Found: Sendable {
    /// The databases.
    package var stores: [StoreFiles] = []
    /// What is called a store and does not begin as one: damaged, encrypted, or something else.
    package var others: [StoreFiles] = []
    /// Whether the place is a file, and not a directory in which there may be any databases.
    package var isFile = false
    /// Databases that are gone, of which a log or a journal is there.
    package var missing: [StoreFiles] = []
    /// The paths of links that are called stores, and are not followed.
    package var links: [String] = []
    /// What could not be looked at, and why.
    package var unreadable: [(path: String, error: FileError)] = []
  }

  /// How many directories deep a store may lie.
  private static let maximumDepth = 16
  /// The least a database has.
  private static let smallestSize = 512

  /// Returns the database at a path, or those in and below the directory at it.
  ///
  /// A file is returned whatever it holds: opening it tells. Links are not followed below the path.
  /// - Throws: `noStore` if there is no file and no directory at the path.
  package static func find(
    at path: String, operations: any FileOperations = SystemFileOperations()
  ) throws(StoreError) -> Found {
    var found = Found()
    if let directory = try directory(at: path, operations) {
      search(directory, RelativePath.folder, depth: 0, &found)
      return found
    }
    let (parent, name) = try StoreError.wrapping { () throws(FileError) in
      try Directory.openParent(ofPath: path, operations: operations)
    }
    found.isFile = true
    found.stores = [StoreFiles(in: parent, name: name, path: parent.path(of: name).shortened)]
    return found
  }

  /// Opens the directory at a path; nil if a file is there.
  private static func directory(
    at path: String, _ operations: any FileOperations
  ) throws(StoreError) -> Directory? {
    do throws(FileError) {
      return try Directory.open(path: path, operations: operations)
    } catch {
      switch error {
      case .wrongKind(_, _, let kind) where kind == .regular || kind == .unknown: return nil
      case .missing(let path): throw .noStore(path: path)
      default: throw .file(error)
      }
    }
  }

  private static func search(
    _ directory: Directory, _ place: RelativePath, depth: Int, _ found: inout Found
  ) {
    do throws(FileError) {
      let entries = try directory.entries()
      noteLost(among: entries, in: directory, place, &found)
      for entry in entries {
        let path = place.appending(entry.name)
        switch entry.kind {
        case .regular: try look(at: entry.name, in: directory, path, &found)
        case .directory where depth < maximumDepth:
          if isOurs(entry.name) || isSupport(entry.name) { continue }
          do throws(FileError) {
            search(try directory.openDirectory(entry.name), path, depth: depth + 1, &found)
          } catch {
            found.unreadable.append((path.description, error))
          }
        default: continue
        }
      }
    } catch {
      found.unreadable.append((place.description, error))
    }
  }

  /// Notes stores of which the database is gone, or is elsewhere and only a link to it here.
  private static func noteLost(
    among entries: [DirectoryEntry], in directory: Directory, _ place: RelativePath,
    _ found: inout Found
  ) {
    let names = Set(entries.map(\.name))
    var missing: Set<FileName> = []
    for entry in entries {
      if entry.kind == .symbolicLink, isCalledStore(entry.name) {
        found.links.append(place.appending(entry.name).description)
      }
      guard entry.kind == .regular, let name = database(beside: entry.name),
        isCalledStore(name), !names.contains(name)
      else { continue }
      missing.insert(name)
    }
    found.missing += missing.sorted().map {
      StoreFiles(in: directory, name: $0, path: place.appending($0).description)
    }
  }

  /// Whether a file is the log or the journal of what is called a store.
  package static func isBesideStore(_ name: FileName) -> Bool {
    database(beside: name).map(isCalledStore) ?? false
  }

  /// Returns the name of the database that a log or a journal is of; nil for anything else.
  private static func database(beside name: FileName) -> FileName? {
    for ending: StaticString in ["-wal", "-journal"] where name.hasSuffix(ending) {
      return FileName(Array(name.bytes.dropLast(ending.utf8CodeUnitCount)))
    }
    return nil
  }

  /// Whether a file has the name of a store and of no other database: what it holds is somebody's rows,
  /// and where they cannot be read that is no reason to pass them over.
  package static func isCalledNothingElse(_ name: FileName) -> Bool { name.hasSuffix(".store") }

  /// Whether a file is called a store.
  package static func isCalledStore(_ name: FileName) -> Bool {
    isCalledNothingElse(name) || name.hasSuffix(".sqlite")
  }

  private static func look(
    at name: FileName, in directory: Directory, _ path: RelativePath, _ found: inout Found
  ) throws(FileError) {
    do throws(FileError) {
      let file = try directory.openForReading(name)
      var bytes = [UInt8](repeating: 0, count: DatabaseHeader.magic.count)
      let size = try file.state().size
      let count = size >= smallestSize ? try file.read(into: &bytes) : 0
      let isDatabase = count == bytes.count && bytes == DatabaseHeader.magic
      guard isDatabase else {
        if isCalledNothingElse(name) {
          found.others.append(StoreFiles(in: directory, name: name, path: path.description))
        }
        return
      }
      found.stores.append(StoreFiles(in: directory, name: name, path: path.description))
    } catch {
      // What is gone by now was not there.
      if case .missing = error { return }
      found.unreadable.append((path.description, error))
    }
  }

  /// Whether a directory holds what is too large for a store, not stores.
  private static func isSupport(_ name: FileName) -> Bool {
    name.hasPrefix(".") && name.hasSuffix("_SUPPORT")
  }

  /// Whether a directory is one of this toolkit's, which holds copies.
  private static func isOurs(_ name: FileName) -> Bool { name.hasSuffix(".nosync") }
}

extension String {
  /// The path without `./` at its beginning.
  fileprivate var shortened: String { hasPrefix("./") ? String(dropFirst(2)) : self }
}
