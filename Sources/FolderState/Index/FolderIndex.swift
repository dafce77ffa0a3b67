package import Automerge
package import Diagnostics
import FolderDocuments
package import Folders
package import Runs
package import SafeFiles
import Synchronization

/// The index of a folder: what its documents know, and which of them cannot be read.
package struct FolderIndex: Sendable {
  /// Every identity that a document holds or ever held.
  package private(set) var known = KnownIdentities()
  /// Which changes the documents hold.
  package private(set) var changes = KnownChanges()
  /// What only documents of old months hold that were set aside.
  package private(set) var setAside = SetAsideMonths()
  /// What is wrong with documents, by path.
  package private(set) var findings: [Finding] = []
  /// The documents that more is expected of than they hold, by file, so that what extends them need
  /// not decode them again.
  package private(set) var growing: [Int: Growing] = [:]

  /// A document as it was decoded, without the bytes of its changes.
  package struct Growing: Sendable {
    package let document: DocumentState
    package let version: FileVersion
  }

  /// The bytes of files that are kept decoded, which is ten times as much and more.
  private static let mostGrowingBytes = 4 << 20

  /// Paths of unreadable documents, by what waits for them.
  private var groupBlockers: [EntityGroup: String] = [:]
  private var recordBlockers: [Month: [(stem: [UInt8], path: String)]] = [:]

  /// The index of a folder without documents.
  package init() {}

  /// Reads every document of a folder.
  ///
  /// - Parameters:
  ///   - notesChanges: whether anybody asks which changes the documents hold: there are many.
  ///   - expecting: how many entities a document is about to hold, by its file.
  package init(
    of folder: Directory, _ inventory: FolderInventory, notesChanges: Bool = true,
    context: RunContext, expecting: @Sendable (Int) -> Int = { _ in 0 }
  ) throws(MigrationError) {
    let documents = Self.documents(of: inventory)
    let room = Mutex(Self.mostGrowingBytes)
    let parts = try Workers.map(
      documents.count, phase: .indexing, context: context,
      makeState: { DocumentLoader(folder, inventory, keepsChunks: false) }
    ) { item, loader throws(MigrationError) in
      Self.read(
        documents[item], of: inventory, with: &loader, notesChanges, expecting: expecting, room)
    }
    for part in parts {
      growing.merge(part.growing) { first, _ in first }
      known.merge(part.known)
      changes.merge(part.changes)
      for defect in part.defects {
        findings.append(defect.finding)
        block(defect.file, of: inventory)
      }
    }
    changes.sort()
    setAside = try SetAsideMonths(of: folder, context: context)
    findings += setAside.findings.filter { $0.severity > .info }
    for file in inventory.indices
    where inventory.nominalClass(of: file).isDocument
      && !inventory.fileClass(of: file).isDocument
    {
      // The inventory itself reports placeholders, links and the like.
      block(file, of: inventory)
    }
  }

  /// Returns the path of an unreadable document that an entity has to wait for, if there is one.
  ///
  /// Without it nobody can tell whether a user changed or deleted the entity there.
  package func blocker(
    of group: EntityGroup, stem: @autoclosure () -> [UInt8]
  ) -> String? {
    if let path = groupBlockers[group] ?? groupBlockers[EntityGroup(group.kind)] { return path }
    guard let month = group.month, let blockers = recordBlockers[month] else { return nil }
    let stem = stem()
    return blockers.first { $0.stem.starts(with: stem) }?.path
  }

  /// The documents of a folder ascending by path, each with its copies behind it.
  private static func documents(of inventory: FolderInventory) -> [[Int]] {
    let documents = inventory.documents.map(Int.init)
    if inventory.copies.isEmpty { return documents.map { [$0] } }
    return inventory.withCopies(inventory.basesFirst(documents))
  }

  /// What some documents know together.
  private struct Part: Sendable {
    var known = KnownIdentities()
    var changes = KnownChanges()
    var defects: [DocumentDefect] = []
    var growing: [Int: Growing] = [:]
  }

  private static func read(
    _ files: [Int], of inventory: FolderInventory, with loader: inout DocumentLoader,
    _ notesChanges: Bool, expecting: (Int) -> Int, _ room: borrowing Mutex<Int>
  ) -> Part {
    var part = Part()
    var copies = loader.copies(among: files)
    for file in files {
      do throws(DocumentDefect) {
        let (outcome, state) = try loader.load(file, besides: &copies)
        guard case .new(let document) = outcome else { continue }
        let kind = inventory.kind(of: file)
        let entities = DocumentRoot(document, of: kind, inventory.kinds).entities
        if entities.count < expecting(file), room.take(loader.bytes.count) {
          part.growing[file] = Growing(document: document, version: loader.version(state))
        }
        // Where the place tells no kind it may be any, and what is an identity depends on the kind.
        for known in kind == .other ? inventory.kinds.all : [kind] {
          let entities =
            known == kind ? entities : DocumentRoot(document, of: known, inventory.kinds).entities
          for entity in entities {
            part.known.add(
              entity.identity, known, entity.valueCount > 0 ? .visible : .deleted, in: file)
          }
        }
        if notesChanges { part.changes.add(document) }
      } catch {
        part.defects.append(error)
      }
    }
    return part
  }

  private mutating func block(_ file: Int, of inventory: FolderInventory) {
    let path = inventory.path(of: file).description
    if inventory.nominalClass(of: file) == .entityDocument {
      if let month = inventory.month(of: file) {
        recordBlockers[month, default: []].append((Self.stem(of: file, in: inventory), path))
      }
    } else if let group = inventory.entityGroup(ofDocument: file) {
      // A copy under a name of its own may hold anything its base may hold. An entity stays where its
      // date once put it, so that one of another month may hold it.
      groupBlockers[inventory.kinds.isDated(group.kind) ? EntityGroup(group.kind) : group] = path
    }
  }

  /// The name without extension; of a placeholder `.NAME.automerge.icloud` that of the document.
  private static func stem(of file: Int, in inventory: FolderInventory) -> [UInt8] {
    var name = inventory.nameBytes(of: file)
    if let target = FolderNames.placeholderTarget(Array(name).span) {
      name = name[name.startIndex + target.lowerBound..<name.startIndex + target.upperBound]
    }
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return Array(name)
    }
    return Array(name[..<dot])
  }
}

extension Mutex<Int> {
  /// Takes some of what is left; whether there was enough.
  fileprivate borrowing func take(_ count: Int) -> Bool {
    withLock { left in
      guard count <= left else { return false }
      left -= count
      return true
    }
  }
}
