import Automerge
import Diagnostics
import FolderDocuments
import Folders
import SafeFiles

/// Takes note of what entities of declared kinds name: files beside the documents, and each other.
struct DeclaredSurvey {
  /// A property that leads to other entities.
  private struct Reference {
    var name: [UInt8]
    var target: EntityKind
    /// Whether something should become of the entity when that one is deleted.
    var shouldFollow: Bool
  }

  /// What is worked out once for all entities of a kind.
  private struct Names {
    var attachments: [Attachment]
    var references: [Reference]
    /// Where files are that values of no declared property may name; nil if none can.
    var blobs: PathTemplate?
    var declared: Set<[UInt8]> = []
  }

  private let inventory: FolderInventory
  private var files: ImageVerifier
  private var names: [EntityKind: Names] = [:]

  init(_ input: VerificationInput) {
    inventory = input.inventory
    files = ImageVerifier(input)
  }

  /// Notes what an entity names that readers of a document see.
  mutating func survey(
    _ map: OpID, of identity: Identity, in loaded: GroupDocuments.Loaded,
    to outcome: inout GroupOutcome
  ) {
    let names = names(of: outcome.group.kind)
    for attachment in names.attachments {
      survey(attachment, of: map, identity, in: loaded, to: &outcome)
    }
    if let blobs = names.blobs {
      for attachment in loaded.document.undeclaredBlobs(of: map, names.declared, in: blobs) {
        survey(attachment, of: map, identity, in: loaded, to: &outcome)
      }
    }
    for reference in names.references { survey(reference, of: map, in: loaded, to: &outcome) }
  }

  private mutating func names(of kind: EntityKind) -> Names {
    if let known = names[kind] { return known }
    let kinds = inventory.kinds
    let profile = kinds[kind]
    let references = profile?.properties.compactMap { property -> Reference? in
      guard let target = property.type.target, let name = target.kind,
        let kind = kinds.kind(named: Array(name.utf8).span)
      else { return nil }
      return Reference(
        name: property.name.bytes, target: kind, shouldFollow: target.deleteRule != .keep)
    }
    let made = Names(
      attachments: profile?.allAttachments ?? [], references: references ?? [],
      blobs: profile?.home?.rows == nil ? nil : BlobReference.template,
      declared: Set(profile?.properties.map(\.name.bytes) ?? []))
    names[kind] = made
    return made
  }

  /// Notes which of the files are there that an entity names.
  private mutating func survey(
    _ attachment: Attachment, of map: OpID, _ identity: Identity,
    in loaded: GroupDocuments.Loaded, to outcome: inout GroupOutcome
  ) {
    let names = loaded.document.texts(at: attachment.property.bytes, of: map)
    for name in names.compactMap(attachment.fileName) {
      let month = inventory.month(of: loaded.file)
      let file = inventory.attachment(named: name, in: attachment.directories, month: month)
      let places = attachment.directories.compactMap { directory in
        FileName(name).flatMap { directory.path(in: month)?.appending($0) }
      }
      if let file {
        outcome.imagesFound += 1
        outcome.usedImages.append(UInt32(file))
        // Several entities may name it.
        if let finding = files.difference(of: file, among: places),
          !outcome.findings.contains(finding)
        {
          outcome.findings.append(finding)
        }
      } else {
        outcome.missingImagePlaces += places
        var finding = files.missing(
          name, of: inventory.kinds.title(outcome.group.kind, identity), among: places)
        finding.path = inventory.path(of: loaded.file).description
        outcome.findings.append(finding)
      }
    }
  }

  private func survey(
    _ reference: Reference, of map: OpID, in loaded: GroupDocuments.Loaded,
    to outcome: inout GroupOutcome
  ) {
    let document = loaded.document
    guard let value = document.value(of: map, key: reference.name) else { return }
    func note(_ range: Range<Int>) {
      let text = document.pool.span.extracting(range)
      guard let identity = inventory.kinds.identity(text, of: reference.target) else { return }
      outcome.references[
        GroupOutcome.Target(kind: reference.target, identity: identity),
        default: GroupOutcome.Referrers(file: UInt32(loaded.file))
      ].add(GroupOutcome.Referrers(file: 0, count: 1, shouldFollow: reference.shouldFollow))
    }
    switch value.content {
    case .scalar(let place) where place.type == .string: note(place.range)
    case .object(.map):
      document.forEachKey(of: value.id) { key, group in
        if document.isVisible(group) { note(key) }
      }
    default: break
    }
  }
}

extension DocumentState {
  /// Returns the members of a map that no property declares, and that name a file by its hash.
  fileprivate func undeclaredBlobs(
    of map: OpID, _ declared: Set<[UInt8]>, in directory: PathTemplate
  ) -> [Attachment] {
    var found: [Attachment] = []
    forEachKey(of: map) { key, group in
      guard case .scalar(let place)? = winner(in: group)?.content, place.type == .string,
        BlobReference(pool.span.extracting(place.range)) != nil,
        !declared.contains(Array(pool[key]))
      else { return }
      var attachment = Attachment(PropertyName(Array(pool[key])), in: [directory])
      attachment.isBlob = true
      found.append(attachment)
    }
    return found
  }

  /// Returns the strings that a key of a map shows: one, or those of a list.
  fileprivate func texts(at key: [UInt8], of map: OpID) -> [[UInt8]] {
    guard let value = value(of: map, key: key) else { return [] }
    var texts: [[UInt8]] = []
    switch value.content {
    case .scalar(let place) where place.type == .string: texts.append(Array(pool[place.range]))
    case .object(.list):
      forEachElement(of: value.id) { _, group in
        if case .scalar(let place)? = winner(in: group)?.content, place.type == .string {
          texts.append(Array(pool[place.range]))
        }
      }
    default: break
    }
    return texts
  }
}
