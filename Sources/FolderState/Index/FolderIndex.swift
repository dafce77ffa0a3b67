package import Automerge
package import Diagnostics
import FolderDocuments
package import Folders
package import Runs
package import SafeFiles
import Synchronization

/// The index of a folder: what its documents know, and which of them cannot be read.
///
/// It is a class because every entity of a run asks it: nothing of it is copied.
package final class FolderIndex: Sendable {
  /// Every identity that a document holds or ever held.
  package let known: KnownIdentities
  /// Which changes the documents hold.
  package let changes: KnownChanges
  /// What only documents of old months hold that were set aside.
  package let setAside: SetAsideMonths
  /// What is wrong with documents, by path.
  package let findings: [Finding]
  /// The documents that more is expected of than they hold, by file, so that what extends them need
  /// not decode them again.
  package let growing: [Int: Growing]
  private let blockers: DocumentBlockers
  /// The entities of which readers see that a store lacked something.
  private let losses: [EntityKind: Set<Identity>]

  /// A document as it was decoded, without the bytes of its changes.
  package struct Growing: Sendable {
    package let document: DocumentState
    package let version: FileVersion
  }

  /// The bytes of files that are kept decoded, which is ten times as much and more.
  private static let mostGrowingBytes = 4 << 20

  /// The index of a folder without documents.
  package init() {
    (known, changes, setAside) = (KnownIdentities(), KnownChanges(), SetAsideMonths())
    (findings, growing, blockers, losses) = ([], [:], DocumentBlockers(), [:])
  }

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
    var whole = Part()
    var findings: [Finding] = []
    var blockers = DocumentBlockers()
    for part in parts {
      whole.growing.merge(part.growing) { first, _ in first }
      whole.known.merge(part.known)
      whole.changes.merge(part.changes)
      whole.losses.merge(part.losses) { $0.union($1) }
      for defect in part.defects {
        findings.append(defect.finding)
        blockers.add(defect.file, of: inventory)
      }
    }
    whole.changes.sort()
    let setAside = try SetAsideMonths(of: folder, context: context)
    findings += setAside.findings.filter { $0.severity > .info }
    for file in inventory.indices
    where inventory.nominalClass(of: file).isDocument
      && !inventory.fileClass(of: file).isDocument
    {
      // The inventory itself reports placeholders, links and the like.
      blockers.add(file, of: inventory)
    }
    (known, changes, growing) = (whole.known, whole.changes, whole.growing)
    losses = whole.losses
    (self.setAside, self.findings, self.blockers) = (setAside, findings, blockers)
  }

  /// Returns the document that was set aside and holds an entity; nil if there is none.
  package func documentSetAside(
    holding identity: Identity, _ kind: EntityKind
  ) -> SetAsideMonths.Document? {
    setAside.document(holding: identity, kind)
  }

  /// Returns the path of an unreadable document that an entity has to wait for, if there is one.
  ///
  /// Without it nobody can tell whether a user changed or deleted the entity there.
  package func blocker(
    of group: EntityGroup, stem: @autoclosure () -> [UInt8]
  ) -> RelativePath? {
    blockers.path(of: group, stem: stem)
  }

  /// Returns whether a document shows of an entity that a store lacked something: whatever its history
  /// holds, a store that has it now has something new.
  package func showsLoss(_ identity: Identity, _ kind: EntityKind) -> Bool {
    losses[kind]?.contains(identity) ?? false
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
    var losses: [EntityKind: Set<Identity>] = [:]
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
        if notesChanges {
          part.changes.add(document)
          let losses = ShownLosses(of: entities, kind, in: document, inventory.kinds).identities
          if !losses.isEmpty { part.losses[kind, default: []].formUnion(losses) }
        }
      } catch {
        part.defects.append(error)
      }
    }
    return part
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
