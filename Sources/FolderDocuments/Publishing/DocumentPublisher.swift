package import Runs
package import SafeFiles
import Synchronization

/// Puts finished documents into their places, all of them or, after a crash, some of them whole.
package enum DocumentPublisher {
  /// Writes every document under a temporary name, reads it back and compares it, and only when
  /// all of them are on disk gives them their names. Nothing is written if there is no room for all.
  package static func publish(
    _ documents: [BuiltDocument], in folder: Directory, context: RunContext
  ) throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in
      try folder.requireSpace(for: documents.reduce(0) { $0 + Int64($1.bytes.count) })
    }
    let directories = try directories(of: documents, in: folder)
    let staged = Mutex<[Int: StagedFile]>([:])
    do throws(MigrationError) {
      _ = try Workers.map(
        documents.count, phase: .publishing, context: context, makeState: {}
      ) { item, _ throws(MigrationError) in
        let document = documents[item]
        guard let name = document.path.lastComponent,
          let directory = document.path.parent.flatMap({ directories[$0] })
        else { throw .brokenInvariant("a document has no name") }
        let file = try stage(document, as: name, in: directory)
        staged.withLock { $0[item] = file }
      }
      if context.isInterrupted() { throw .interrupted }
    } catch {
      for file in staged.withLock({ Array($0.values) }) { file.discard() }
      throw error
    }
    let files = staged.withLock { $0 }
    do {
      try StagedFile.publish(documents.indices.compactMap { files[$0] })
    } catch {
      throw MigrationError(error)
    }
  }

  private static func directories(
    of documents: [BuiltDocument], in folder: Directory
  ) throws(MigrationError) -> [RelativePath: Directory] {
    var directories: [RelativePath: Directory] = [:]
    for document in documents {
      guard let parent = document.path.parent, directories[parent] == nil else { continue }
      do {
        directories[parent] = try folder.createDirectory(parent)
      } catch {
        throw MigrationError(error)
      }
    }
    return directories
  }

  private static func stage(
    _ document: BuiltDocument, as name: FileName, in directory: Directory
  ) throws(MigrationError) -> StagedFile {
    do {
      return try directory.stage(
        document.bytes, as: name,
        replacing: document.replaced.map { .unchanged($0) } ?? .nothing
      ).unlocked
    } catch {
      throw MigrationError(error)
    }
  }
}

/// A finished document that is not in its place yet.
package struct BuiltDocument: Sendable {
  /// Where it belongs.
  package var path: RelativePath
  /// Its bytes.
  package var bytes: [UInt8]
  /// The file it was built upon, nil if there was none.
  package var replaced: FileVersion?
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
    self.replaced = replaced
    self.entitiesAdded = entitiesAdded
    self.entitiesUpdated = entitiesUpdated
    self.changesAdded = changesAdded
  }
}
