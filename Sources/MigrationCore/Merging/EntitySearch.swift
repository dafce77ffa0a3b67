import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// Looks in the documents of a folder for the entity and the field that a person decides about.
struct EntitySearch {
  /// An entity that the search may mean.
  struct Found: Hashable, Sendable {
    /// The document's number in the inventory.
    let file: Int
    /// What the entity is called.
    let entity: MergeReport.Entity
    /// The way from the root to the entity.
    let root: [String]
    /// Whether it is named, and not only begins so.
    let isNamed: Bool
    /// Whether readers see it.
    let isSeen: Bool
    /// How many values the field has.
    var valueCount = 0
    /// What it is said to have where the field is not there: first of what is in conflict.
    var fields: [String] = []
    /// Whether its fields in conflict are listed.
    var listsConflicts = false
    /// Whether it hides another object under its key.
    var hidesOthers = false
  }

  /// So many digits name an entity, if no other begins with them.
  private static let fewestDigits = 4
  /// How many fields and entities are listed where none is meant.
  private static let mostListed = 10

  private let options: ResolutionOptions
  private let inventory: FolderInventory
  private var kinds: EntityKinds { inventory.kinds }

  init(_ options: ResolutionOptions, in inventory: FolderInventory) {
    self.options = options
    self.inventory = inventory
  }

  /// Finds the one entity that is meant, in the document where the field has several values if there
  /// is one. Conflict copies are no place to decide in: they are merged first.
  ///
  /// - Parameter unseen: what is told about places in which the entity may be, and nobody can look.
  /// - Returns: the entity, and what is told about documents that could not be looked at.
  func find(
    in folder: Directory, besides unseen: [Finding], context: RunContext
  ) throws(MigrationError) -> (found: Found, defects: [Finding]) {
    let files = inventory.documents.map(Int.init).filter { inventory.copies[$0] == nil }
    let results = try Workers.map(
      files.count, phase: .indexing, context: context,
      makeState: { DocumentLoader(folder, inventory) }
    ) { item, loader throws(MigrationError) -> Result<[Found], DocumentDefect> in
      do throws(DocumentDefect) {
        return .success(look(in: try loader.load(files[item]).document, files[item]))
      } catch {
        return .failure(error)
      }
    }
    var (found, defects): ([Found], [Finding]) = ([], [])
    for result in results {
      switch result {
      case .success(let more): found += more
      case .failure(let defect): defects.append(defect.finding)
      }
    }
    if found.contains(where: \.isNamed) { found.removeAll { !$0.isNamed } }
    return (try one(of: found, defects + unseen), defects)
  }

  private func one(of found: [Found], _ defects: [Finding]) throws(MigrationError) -> Found {
    let names = Set(found.map(\.entity.identity)).sorted()
    guard names.count == 1 else {
      let few = names.prefix(Self.mostListed).joined(separator: ", ")
      let damage = defects.first.map { "\($0.path): \($0.message)" }
      throw refusal(
        found.isEmpty
          ? "no document that loads has an entity \(options.id)"
          : "\(names.count.counted("entity", "entities")) begin with \(options.id): \(few)"
            + (names.count > Self.mostListed ? " and others" : ""),
        found.isEmpty
          ? "\(listing) makes a page that lists ids and fields of values in conflict"
          : "give more of its digits", cause: found.isEmpty ? damage : nil)
    }
    if !found[0].isNamed, let unread = defects.first {
      // Nobody can tell whether another one begins so there.
      throw refusal(
        "\(title(found[0])) begins with \(options.id), and so may one in what cannot be read: "
          + unread.path + (defects.count > 1 ? " and \((defects.count - 1).grouped) more" : ""),
        "give the whole id, \(names[0])", cause: "\(unread.path): \(unread.message)")
    }
    let seen = found.filter(\.isSeen)
    guard let first = seen.first else {
      throw refusal("\(title(found[0])) was deleted", "there is nothing to decide", found[0])
    }
    let conflicts = seen.filter { $0.valueCount > 1 }
    guard conflicts.count < 2 else {
      let paths = conflicts.map { inventory.path(of: $0.file).description }.sorted()
      throw refusal(
        "\(options.field) of \(title(first)) has several values in each of "
          + paths.joined(separator: ", "),
        "bring the documents together first, with \(inventory.merging(["--unify"]))")
    }
    if let only = conflicts.first ?? seen.first(where: { $0.valueCount == 1 }) { return only }
    let listed = first.fields.joined(separator: ", ")
    throw refusal(
      "\(title(first)) has no field \(options.field)"
        + (listed.isEmpty
          ? "" : first.listsConflicts ? "; in conflict: \(listed)" : "; has \(listed)"),
      first.hidesOthers
        ? "whole objects are in conflict here: \(inventory.merging(["--unify"])) brings them together"
        : first.listsConflicts ? "give one of these" : "none of its fields is in conflict", first)
  }

  /// What shows where a decision is needed, whatever the documents are compared with.
  private var listing: String {
    let folder = DisplayText.word(shownAs: options.folder) ?? "FOLDER"
    return ShellWord.line(
      of: ["report-folder", folder] + kinds.options + ["-o", "conflicts.html"])
  }

  // MARK: One document

  /// Returns where the field of an entity is in a document, and the way there from the root.
  func place(
    of found: Found, in document: DocumentState
  ) -> (place: FieldPlace, path: [String])? {
    let object =
      found.root.isEmpty ? OpID.root : FieldPlace.at(found.root, in: document)?.values.last?.id
    return object.flatMap { FieldPlace.find(options.field, in: document, below: $0) }
      .map { ($0, found.root + $0.path) }
  }

  private func look(in document: DocumentState, _ file: Int) -> [Found] {
    let kind = inventory.kind(of: file)
    let root = DocumentRoot(document, of: kind, kinds)
    var found: [Found] = []
    let meant = kinds.identity(Array(options.id.utf8).span, of: kind)
    for entity in root.entities {
      let told = kinds.reported(kind, entity.identity)
      let key = entity.key.map { String(decoding: document.pool[$0], as: UTF8.self) }
      let isNamed =
        entity.identity == meant || [key, told.identity, told.title].contains(options.id)
      guard isNamed || begins(told.identity) || begins(key) else { continue }
      var one = Found(
        file: file, entity: told, root: key.map { [$0] } ?? [], isNamed: isNamed,
        isSeen: entity.map != nil)
      one.hidesOthers = entity.valueCount > 1
      if let map = entity.map { look(at: map, in: document, &one) }
      found.append(one)
    }
    for other in root.others {
      let key = String(decoding: document.pool[other.key], as: UTF8.self)
      // What reports tell without an id is a key beside the entities.
      let steps = options.field.split(separator: ".", omittingEmptySubsequences: false)
      let isBeside =
        options.id.isEmpty && (options.field == key || steps.first.map { $0 == key } == true)
      guard isBeside || key == options.id, let seen = document.winner(in: other.group) else {
        continue
      }
      var one = Found(
        file: file, entity: MergeReport.Entity(identity: options.id),
        root: isBeside ? [] : [key], isNamed: true, isSeen: true)
      look(at: isBeside ? .root : seen.id, in: document, &one)
      found.append(one)
    }
    return found
  }

  private func begins(_ name: String?) -> Bool {
    guard let name, options.id.utf8.count >= Self.fewestDigits else { return false }
    return name.lowercased().hasPrefix(options.id.lowercased())
  }

  private func look(at map: OpID, in document: DocumentState, _ found: inout Found) {
    if let place = FieldPlace.find(options.field, in: document, below: map) {
      found.valueCount = place.values.count
      return
    }
    var losing = LosingValues(of: document, limit: Self.mostListed)
    // What cannot be listed is not there to be listed.
    try? losing.addAll(
      inside: DocumentValue(id: map, content: .object(.map)), of: found.entity, at: [])
    for difference in losing.differences where !found.fields.contains(difference.field) {
      found.fields.append(difference.field)
    }
    found.listsConflicts = !found.fields.isEmpty
    if found.listsConflicts { return }
    document.forEachKey(of: map) { name, group in
      if found.fields.count < Self.mostListed, document.isVisible(group) {
        found.fields.append(String(decoding: document.pool[name], as: UTF8.self))
      }
    }
  }

  // MARK: Refusals

  private func title(_ found: Found) -> String {
    found.entity.title.isEmpty ? "the root" : found.entity.title
  }

  /// Returns the error about an entity of a document, or about the folder.
  func refusal(
    _ problem: String, _ remedy: String, _ found: Found? = nil, cause: String? = nil,
    _ kind: Diagnostic.Kind = .conflictsWithData
  ) -> MigrationError {
    .underlying(
      Diagnostic(
        kind,
        subject: found.map { inventory.path(of: $0.file).description } ?? options.folder,
        problem: problem, remedy: remedy, cause: cause))
  }
}
