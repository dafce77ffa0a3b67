import Automerge
import Diagnostics
import FolderDocuments
import Folders
import SafeFiles

/// Takes note of what entities of declared kinds name: files beside the documents, and each other.
struct DeclaredSurvey {
  /// A property that leads to other entities.
  private struct Reference {
    var target: EntityKind
    /// Whether something should become of the entity when that one is deleted.
    var shouldFollow: Bool
  }

  /// What the values of one name may be.
  private struct Member {
    var attachments: [Attachment] = []
    var references: [Reference] = []
    var isNothing: Bool { attachments.isEmpty && references.isEmpty }
  }

  /// What is worked out once for all entities of a kind.
  private final class Members {
    /// The declared ones.
    let names: NamesInOrder
    /// What each of them may be.
    let declared: [Member]
    /// Whether values of each name something.
    let nameSomething: [Bool]

    init(_ declared: [[UInt8]: Member]) {
      let sorted = declared.sorted { ByteOrder.precedes($0.key, $1.key) }
      names = NamesInOrder(sorted.lazy.map(\.key))
      self.declared = sorted.map(\.value)
      nameSomething = self.declared.map { !$0.isNothing }
    }
  }

  private let inventory: FolderInventory
  private var files: ImageVerifier
  private var members: [EntityKind: Members] = [:]
  /// The values of the entity that name something.
  private var noted: [Noted] = []
  /// What was referred to last: often several values of an entity name the same.
  private var pending: (target: GroupOutcome.Target, referrers: GroupOutcome.Referrers)?

  /// A value that names something.
  private struct Noted {
    /// The position of its member; nil where it is not declared.
    let declared: Int?
    let value: DocumentValue
    /// The file that it stands for; nil for any other value.
    let blob: BlobReference?
  }

  init(_ input: VerificationInput) {
    inventory = input.inventory
    files = ImageVerifier(input)
  }

  /// Notes what an entity names that readers of a document see.
  mutating func survey(
    _ map: OpID, of identity: Identity, in loaded: GroupDocuments.Loaded,
    to outcome: inout GroupOutcome
  ) {
    let members = members(of: outcome.group.kind)
    note(map, in: loaded.document, members)
    for value in noted {
      if let blob = value.blob { survey(blob, of: identity, in: loaded, to: &outcome) }
      guard let declared = value.declared else { continue }
      for attachment in members.declared[declared].attachments
      where value.blob == nil || !attachment.isBlob {
        survey(attachment, value.value, of: identity, in: loaded, to: &outcome)
      }
      for reference in members.declared[declared].references {
        survey(reference, value.value, in: loaded.document, loaded.file, to: &outcome)
      }
    }
    flush(to: &outcome)
  }

  /// Notes the values of an entity that name something.
  private mutating func note(_ map: OpID, in document: DocumentState, _ members: Members) {
    noted.removeAll(keepingCapacity: true)
    var next = 0
    let pool = document.pool
    let (names, nameSomething) = (members.names, members.nameSomething)
    document.forEachKey(of: map) { key, group in
      let name = pool.span.extracting(key)
      while next < names.count, names.precedes(at: next, name) { next += 1 }
      let isDeclared = next < names.count && names.isEqual(at: next, to: name)
      let namesSomething = isDeclared && nameSomething[next]
      guard let value = document.winner(in: group) else { return }
      // No profile tells which values came from a store, and may stand for a file named by its hash.
      var blob: BlobReference?
      if case .scalar(let place) = value.content, place.type == .string {
        blob = BlobReference(pool.span.extracting(place.range))
      }
      guard namesSomething || blob != nil else { return }
      noted.append(Noted(declared: isDeclared ? next : nil, value: value, blob: blob))
    }
  }

  private mutating func members(of kind: EntityKind) -> Members {
    if let known = members[kind] { return known }
    let kinds = inventory.kinds
    let profile = kinds[kind]
    var declared: [[UInt8]: Member] = [:]
    func add(_ name: [UInt8], _ change: (inout Member) -> Void) {
      change(&declared[name, default: Member()])
    }
    for property in profile?.properties.map(\.self) ?? [] {
      add(property.name.bytes) { member in
        guard let target = property.type.target, let name = target.kind,
          let kind = kinds.kind(named: Array(name.utf8).span)
        else { return }
        member.references.append(
          Reference(target: kind, shouldFollow: target.deleteRule != .keep))
      }
    }
    for attachment in profile?.allAttachments ?? [] {
      add(attachment.property.bytes) { $0.attachments.append(attachment) }
    }
    let made = Members(declared)
    members[kind] = made
    return made
  }

  /// Notes whether the file is there, and is what it should be, that a value stands for.
  private mutating func survey(
    _ blob: BlobReference, of identity: Identity, in loaded: GroupDocuments.Loaded,
    to outcome: inout GroupOutcome
  ) {
    let file = inventory.attachment(
      named: blob.fileName, in: [BlobReference.template].compactMap(\.self), month: nil)
    var finding: Finding?
    if let file {
      outcome.imagesFound += 1
      outcome.usedImages.append(UInt32(file))
      finding = files.difference(of: file, from: blob)
    } else {
      outcome.missingImagePlaces.append(blob.path)
      finding = files.missing(blob, of: inventory.kinds.title(outcome.group.kind, identity))
      finding?.path = inventory.path(of: loaded.file).description
    }
    // Several entities may name it.
    if let finding, !outcome.findings.contains(finding) { outcome.findings.append(finding) }
  }

  /// Notes which of the files are there that an entity names.
  private mutating func survey(
    _ attachment: Attachment, _ value: DocumentValue, of identity: Identity,
    in loaded: GroupDocuments.Loaded, to outcome: inout GroupOutcome
  ) {
    if attachment.isBlob {
      for text in loaded.document.texts(of: value) {
        guard let blob = BlobReference(text.span) else { continue }
        survey(blob, of: identity, in: loaded, to: &outcome)
      }
      return
    }
    for name in loaded.document.texts(of: value).compactMap(attachment.fileName) {
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

  private mutating func survey(
    _ reference: Reference, _ value: DocumentValue, in document: DocumentState, _ file: Int,
    to outcome: inout GroupOutcome
  ) {
    switch value.content {
    case .scalar(let place) where place.type == .string:
      let text = document.pool.span.extracting(place.range)
      guard let identity = inventory.kinds.identity(text, of: reference.target) else { return }
      note(identity, reference, file, to: &outcome)
    case .object(.map):
      var identities: [Identity] = []
      document.forEachKey(of: value.id) { key, group in
        let text = document.pool.span.extracting(key)
        guard document.isVisible(group),
          let identity = inventory.kinds.identity(text, of: reference.target)
        else { return }
        identities.append(identity)
      }
      for identity in identities { note(identity, reference, file, to: &outcome) }
    default: break
    }
  }

  private mutating func note(
    _ identity: Identity, _ reference: Reference, _ file: Int, to outcome: inout GroupOutcome
  ) {
    let target = GroupOutcome.Target(kind: reference.target, identity: identity)
    if pending?.target != target {
      flush(to: &outcome)
      pending = (target, GroupOutcome.Referrers(file: UInt32(file)))
    }
    pending?.referrers.add(
      GroupOutcome.Referrers(file: 0, count: 1, shouldFollow: reference.shouldFollow))
  }

  private mutating func flush(to outcome: inout GroupOutcome) {
    guard let (target, referrers) = pending else { return }
    pending = nil
    outcome.references[target, default: GroupOutcome.Referrers(file: referrers.file)]
      .add(referrers)
  }
}

extension DocumentState {
  /// Returns the strings that a value is: one, or those of a list.
  fileprivate func texts(of value: DocumentValue) -> [[UInt8]] {
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
