package import Runs
package import SafeFiles
import Synchronization

/// Puts finished documents into their places, all of them or, after a crash, some of them whole.
///
/// Each is on disk under a temporary name as soon as it is finished, so that an import holds the bytes
/// of those alone that are being made. What is staged and not published goes with `discard()`.
package final class DocumentPublisher: Sendable {
  private let folder: Directory
  private let staging: Mutex<Staging>

  private struct Staging {
    /// The new files, by what they wait for: a hundred thousand documents of one record wait at once.
    var numbers: [RelativePath: UInt64] = [:]
    /// Those that replace files, or have other temporary names.
    var others: [RelativePath: StagedFile] = [:]
    /// The directories in which something waits, and those they are in.
    var directories: [RelativePath: Directory]
    /// The directories that were not there before, each behind the one it is in.
    var created: [(path: RelativePath, parent: Directory)] = []
    /// How many bytes there was room for at first.
    var room: Int64?
    /// How many of them are taken or promised.
    var byteCount: Int64 = 0

    mutating func add(_ file: StagedFile, at path: RelativePath) {
      if let number = file.number { numbers[path] = number } else { others[path] = file }
    }

    /// Takes out the file that waits for a place.
    mutating func take(_ path: RelativePath) throws(FileError) -> StagedFile? {
      if let file = others.removeValue(forKey: path) { return file }
      return try numbers.removeValue(forKey: path).map { number throws(FileError) in
        try file(number, at: path)
      }
    }

    func file(_ number: UInt64, at path: RelativePath) throws(FileError) -> StagedFile {
      guard let name = path.lastComponent, let parent = path.parent,
        let directory = directories[parent]
      else { throw .invalidPath(path: path.description) }
      return StagedFile(name, in: directory, number: number)
    }

    mutating func keepDirectories(of documents: [BuiltDocument]) {
      var kept: Set<RelativePath> = []
      for document in documents {
        var place = document.path.parent
        while let directory = place, kept.insert(directory).inserted { place = directory.parent }
      }
      created.removeAll { kept.contains($0.path) }
    }
  }

  /// Creates a publisher for a folder whose lock the caller holds until nothing is staged any more.
  package init(_ folder: Directory) {
    self.folder = folder
    staging = Mutex(Staging(directories: [.folder: folder]))
  }

  /// Writes a document under a temporary name, reads it back and compares it; its bytes are then on
  /// disk alone. Does nothing with one that is staged already.
  ///
  /// A document that was staged for the same place before is discarded. Throws `notEnoughSpace`
  /// before the first byte that has no room.
  package func stage(_ document: inout BuiltDocument) throws(MigrationError) {
    guard let bytes = document.takeBytes() else { return }
    guard let name = document.path.lastComponent, let parent = document.path.parent else {
      throw .brokenInvariant("a document has no name")
    }
    do throws(FileError) {
      let byteCount = Int64(bytes.count)
      let directory = try staging.withLock { staging throws(FileError) -> Directory in
        try promise(byteCount, of: &staging)
        return try self.directory(at: parent, &staging)
      }
      let file = try directory.stage(bytes, as: name, replacing: document.replacement).unlocked
      let path = document.path
      try staging.withLock { staging throws(FileError) in
        if let former = try staging.take(path) {
          // One that somebody has removed only seems to take room still.
          let size = try? former.directory.state(of: former.temporaryName).size
          staging.byteCount -= size ?? 0
          former.discard()
        }
        staging.add(file, at: path)
      }
    } catch {
      throw MigrationError(error)
    }
  }

  /// Gives documents their names, once all of them are on disk.
  package func publish(
    _ documents: [BuiltDocument], context: RunContext
  ) throws(MigrationError) {
    let waiting = documents.filter { !$0.isStaged }
    _ = try Workers.map(
      waiting.count, phase: .publishing, context: context, makeState: {}
    ) { item, _ throws(MigrationError) in
      var document = waiting[item]
      try stage(&document)
    }
    if context.isInterrupted() { throw .interrupted }
    do {
      try staging.withLock { staging throws(FileError) in
        staging.keepDirectories(of: documents)
        var publication = StagedFile.Publication()
        for document in documents {
          if let file = try staging.take(document.path) { publication.publish(file) }
        }
        try publication.finish()
      }
    } catch {
      throw MigrationError(error)
    }
  }

  /// Removes what was staged and not published, and the directories that were made for it alone.
  package func discard() {
    staging.withLock { staging in
      for file in staging.others.values { file.discard() }
      // What no path leads to is left to the next sweep.
      for (path, number) in staging.numbers { try? staging.file(number, at: path).discard() }
      staging.others.removeAll()
      staging.numbers.removeAll()
      for (path, parent) in staging.created.reversed() {
        // One in which somebody put something stays, as does an empty one that nobody may remove.
        if let name = path.lastComponent { try? parent.removeEmptyDirectory(name) }
      }
      staging.created.removeAll()
      staging.directories = [.folder: folder]
    }
  }

  private func promise(_ byteCount: Int64, of staging: inout Staging) throws(FileError) {
    let room = if let known = staging.room { known } else { try folder.freeSpace() }
    staging.room = room
    guard room - staging.byteCount >= byteCount else {
      throw .notEnoughSpace(
        path: folder.path, needed: staging.byteCount + byteCount, available: room)
    }
    staging.byteCount += byteCount
  }

  private func directory(
    at path: RelativePath, _ staging: inout Staging
  ) throws(FileError) -> Directory {
    if let known = staging.directories[path] { return known }
    guard let name = path.lastComponent, let place = path.parent else { return folder }
    let parent = try directory(at: place, &staging)
    let (directory, isNew) = try parent.openOrCreateDirectory(name)
    if isNew { staging.created.append((path, parent)) }
    staging.directories[path] = directory
    return directory
  }
}

/// A finished document that is not in its place yet.
package struct BuiltDocument: Sendable {
  /// Where it belongs.
  package var path: RelativePath
  /// Its bytes, as long as nobody took them.
  package private(set) var bytes: [UInt8]?
  /// How many they are.
  package let byteCount: Int
  /// What it may replace: the file it was built upon, or nothing. A version beside each of a hundred
  /// thousand new documents would be most of what an import holds.
  fileprivate let replacement: Replacement
  /// How many entities it got.
  package var entitiesAdded: Int
  /// How many entities in it got new values.
  package var entitiesUpdated = 0
  /// How many changes it got.
  package var changesAdded: Int

  package init(
    path: RelativePath, bytes: [UInt8], replaced: FileVersion? = nil, entitiesAdded: Int,
    entitiesUpdated: Int = 0, changesAdded: Int
  ) {
    self.path = path
    self.bytes = bytes
    byteCount = bytes.count
    replacement = replaced.map { .unchanged($0) } ?? .nothing
    self.entitiesAdded = entitiesAdded
    self.entitiesUpdated = entitiesUpdated
    self.changesAdded = changesAdded
  }

  /// The file it was built upon, nil if there was none.
  package var replaced: FileVersion? {
    if case .unchanged(let version) = replacement { version } else { nil }
  }

  /// Whether its bytes are on disk, or are dropped.
  package var isStaged: Bool { bytes == nil }

  /// Gives up the bytes and returns them; nil if that was done before.
  @discardableResult
  package mutating func takeBytes() -> [UInt8]? {
    defer { bytes = nil }
    return bytes
  }
}
